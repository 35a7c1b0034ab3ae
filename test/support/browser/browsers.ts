import { hasChromium, openBrowser } from './chromium.ts'
import { hasFirefox, openFirefox } from './firefox.ts'

/** The browsers in which every job must work. */
export const browsers = [
  { name: 'Chromium', isInstalled: hasChromium, open: openBrowser },
  { name: 'Firefox', isInstalled: hasFirefox, open: openFirefox },
]
