import { existsSync } from 'node:fs'
import { firefox } from 'playwright-core'
import { type TestBrowser, toTestBrowser } from './chromium.ts'

const program = ['/usr/bin/firefox-esr', '/usr/bin/firefox'].find(existsSync)

/** Throws in CI, where these tests must run. */
export function hasFirefox(): boolean {
  if (program) return true
  if (process.env.CI) throw new Error('Firefox is missing: install the package firefox-esr')
  console.warn('SKIPPED: tests in Firefox need firefox-esr (apt-get install firefox-esr)')
  return false
}

/**
 * Opens the Firefox of the distribution over WebDriver BiDi. From version 1.65 on, Playwright needs a command that the
 * current extended support release lacks (`emulation.setMediaFeaturesOverride`).
 */
export const openFirefox = async (baseURL: string): Promise<TestBrowser> =>
  toTestBrowser(await firefox.launch({ executablePath: program!, channel: 'moz-firefox' }), baseURL)
