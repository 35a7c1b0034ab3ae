import { existsSync } from 'node:fs'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { firefox } from 'playwright-core'
import { vi } from 'vitest'
import { type TestBrowser, toTestBrowser } from './chromium.ts'

const program = ['/usr/bin/firefox-esr', '/usr/bin/firefox'].find(existsSync)

/** Returns false and warns when Firefox is missing; throws in CI, where these tests must run. */
export function hasFirefox(): boolean {
  if (program) return true
  if (process.env.CI) throw new Error('Firefox is missing: install the firefox-esr package')
  console.warn('SKIPPED: tests in Firefox need firefox-esr (apt-get install firefox-esr)')
  return false
}

/**
 * Opens the distribution's Firefox over WebDriver BiDi. Playwright 1.65 and later need a command that the current
 * extended support release lacks (`emulation.setMediaFeaturesOverride`).
 */
export async function openFirefox(baseURL: string): Promise<TestBrowser> {
  const downloadsPath = await mkdtemp(join(tmpdir(), 'overture-firefox-'))
  const browser = await firefox.launch({
    executablePath: program!,
    channel: 'moz-firefox',
    downloadsPath,
  })
  return {
    ...toTestBrowser(browser, baseURL),
    // Firefox reports the download of a blob without an ID, which Playwright ignores.
    readDownload: async (_page, act) => {
      const earlier = await readdir(downloadsPath)
      await act()
      return vi.waitFor(() => readNewFile(downloadsPath, earlier), { timeout: 60_000, interval: 100 })
    },
    [Symbol.asyncDispose]: async () => {
      await browser.close()
      await rm(downloadsPath, { recursive: true, force: true, maxRetries: 5 })
    },
  }
}

/** Reads the new file in the folder; throws until it is complete. */
async function readNewFile(folder: string, earlier: string[]): Promise<string> {
  const files = (await readdir(folder)).filter(name => !earlier.includes(name))
  const [file] = files
  if (!file || files.some(name => name.endsWith('.part'))) throw new Error('The download is not complete')
  const text = await readFile(join(folder, file), 'utf8')
  if (text === '') throw new Error('The file is empty')
  return text
}
