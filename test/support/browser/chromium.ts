import { execFile } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { AxeBuilder } from '@axe-core/playwright'
import {
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  chromium,
  type Page,
} from 'playwright-core'
import { expect } from 'vitest'

/** The headless shell has no user interface, which saves a fifth of the CPU time. */
const program = [
  '/usr/bin/chromium-headless-shell',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
].find(existsSync)

/** Returns false and warns when Chromium is missing; throws in CI, where these tests must run. */
export function hasChromium(): boolean {
  if (program) return true
  if (process.env.CI) throw new Error('Chromium is missing: install the chromium package')
  console.warn('SKIPPED: tests in a browser need Chromium (apt-get install chromium)')
  return false
}

/** Opens a page, runs its scripts and returns the resulting HTML. */
export async function openInChromium(url: string): Promise<string> {
  const profile = await mkdtemp(join(tmpdir(), 'overture-chromium-'))
  try {
    const flags = ['--headless', '--no-sandbox', '--disable-gpu', '--virtual-time-budget=10000']
    const args = [...flags, `--user-data-dir=${profile}`, '--dump-dom', url]
    return (await promisify(execFile)(program!, args, { timeout: 50_000 })).stdout
  } finally {
    await rm(profile, { recursive: true, force: true, maxRetries: 5 })
  }
}

export type TestBrowser = AsyncDisposable & {
  /** Opens a page in a new, empty browser context; `baseURL` is the only origin that it may request. */
  newPage: (options?: BrowserContextOptions) => Promise<Page>
  /** Returns the text of the file that `act` downloads. */
  readDownload: (page: Page, act: () => Promise<void>) => Promise<string>
  /** Requests to other origins, violations of the content security policy, and errors. */
  errors: string[]
}

/** The pages of a test don't live long enough for optimized code, whose compilation takes a tenth of the CPU time. */
const args = ['--no-sandbox', '--js-flags=--no-maglev --no-opt']

let launched: Promise<Browser> | undefined

/** Returns Chromium for a test file. The files that one process runs share its Chromium, which ends with the process. */
export async function openBrowser(baseURL: string): Promise<TestBrowser> {
  launched ??= chromium.launch({ executablePath: program!, args })
  return toTestBrowser(await launched, baseURL)
}

/** Wraps a browser. Disposal closes the pages that the test opened, but not the browser. */
export function toTestBrowser(browser: Browser, baseURL: string): TestBrowser {
  const errors: string[] = []
  const contexts: BrowserContext[] = []
  return {
    errors,
    newPage: async options => {
      const context = await browser.newContext({ baseURL, ...options })
      contexts.push(context)
      const page = await context.newPage()
      watch(page, options?.baseURL ?? baseURL, errors)
      return page
    },
    readDownload: async (page, act) => {
      const [download] = await Promise.all([page.waitForEvent('download'), act()])
      return readFile(await download.path(), 'utf8')
    },
    [Symbol.asyncDispose]: async () => {
      await Promise.all(contexts.map(context => context.close()))
    },
  }
}

/** Opens a browser with a profile on disk, which also keeps compiled scripts, unlike a page from `openBrowser`. */
export async function openProfile(
  baseURL: string,
): Promise<AsyncDisposable & { page: Page; errors: string[] }> {
  const folder = await mkdtemp(join(tmpdir(), 'overture-chromium-'))
  const context = await chromium.launchPersistentContext(folder, {
    executablePath: program!,
    args: ['--no-sandbox'],
    baseURL,
  })
  const page = await context.newPage()
  const errors: string[] = []
  watch(page, baseURL, errors)
  return {
    page,
    errors,
    [Symbol.asyncDispose]: async () => {
      await context.close()
      await rm(folder, { recursive: true, force: true, maxRetries: 5 })
    },
  }
}

function watch(page: Page, baseURL: string, errors: string[]): void {
  page.context().setDefaultTimeout(60_000)
  page.on('request', request => {
    if (new URL(request.url()).origin !== baseURL) errors.push(`requests ${request.url()}`)
  })
  page.on('pageerror', error => errors.push(error.message))
  // Ignores Chromium's messages about error responses, because the page shows these errors itself.
  page.on('console', message => {
    if (message.type() === 'error' && !message.text().startsWith('Failed to load resource')) {
      errors.push(message.text())
    }
  })
}

/** Signs the page in with a session cookie. */
export function addSessionCookie(page: Page, url: string, cookie: string): Promise<void> {
  const [name = '', value = ''] = cookie.split('=')
  return page.context().addCookies([{ name, value, url }])
}

export async function signIn(
  page: Page,
  { email, password }: { email: string; password: string },
): Promise<void> {
  await page.getByLabel('Email').fill(email)
  await page.getByLabel('Password', { exact: true }).fill(password)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
}

const requireFromAxe = createRequire(import.meta.resolve('@axe-core/playwright'))
const minifiedAxe = readFileSync(requireFromAxe.resolve('axe-core/axe.min.js'), 'utf8')

/** The axe rules that depend on colors. */
const colorRules = ['color-contrast', 'link-in-text-block']

/** Returns serious accessibility violations of the page for these axe rules, or for all rules. */
async function findViolations(page: Page, rules?: string[]): Promise<string[]> {
  // The builder loads the unminified axe for each run, which takes longer than the run. Frames need their own axe.
  const hasNoFrames = page.frames().length === 1
  if (hasNoFrames && !(await page.evaluate(() => 'axe' in window))) await page.evaluate(minifiedAxe)
  const builder = new AxeBuilder(hasNoFrames ? { page, axeSource: ';' } : { page })
  // Without legacy mode, axe opens another page per check for cross-origin frames, which we don't have.
  const axe = builder.options({ reporter: 'no-passes' }).setLegacyMode()
  const { violations } = await (rules ? axe.withRules(rules) : axe).analyze()
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .flatMap(({ id, nodes }) => nodes.map(({ target }) => `${id}: ${target.join(' ')}`))
}

/** Expects the page to fit these widths, and to be accessible in both themes at the last width. */
export async function expectUsable(page: Page, name: string, widths = [360, 768, 1440]): Promise<void> {
  await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' })
  for (const width of widths) {
    await page.setViewportSize({ width, height: 900 })
    const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)
    expect(overflow, `wider than ${width} pixels`).toBeLessThanOrEqual(0)
    await saveScreenshot(page, `${name}-${width}-light`)
  }
  expect(await findViolations(page), 'light').toEqual([])
  // A theme changes only colors, so the dark theme needs only the rules that depend on colors.
  await page.emulateMedia({ colorScheme: 'dark', reducedMotion: 'reduce' })
  await saveScreenshot(page, `${name}-${widths.at(-1)}-dark`)
  expect(await findViolations(page, colorRules), 'dark').toEqual([])
}

/** Saves a screenshot in screenshots/ when SCREENSHOTS=1 is set. */
export async function saveScreenshot(page: Page, name: string): Promise<void> {
  if (!process.env.SCREENSHOTS) return
  const path = join(import.meta.dirname, '../../../screenshots', `${name}.png`)
  await page.screenshot({ path, animations: 'disabled' })
}
