import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { AxeBuilder } from '@axe-core/playwright'
import { type BrowserContextOptions, chromium, type Page } from 'playwright-core'
import { expect } from 'vitest'

const program = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find(existsSync)

/** Loud on purpose: in CI these tests must run. */
export function hasChromium(): boolean {
  if (program) return true
  if (process.env.CI) throw new Error('Chromium is missing: install the package chromium')
  console.warn('SKIPPED: tests in a browser need Chromium (apt-get install chromium)')
  return false
}

/** Opens a page as a person does, scripts and all; gives what it then consists of. */
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
  /** A person's own browser, with nothing in it yet. */
  newPage: (options?: BrowserContextOptions) => Promise<Page>
  /** What no page may do: ask another host, break the content security policy, throw. */
  faults: string[]
}

export async function openBrowser(baseURL: string): Promise<TestBrowser> {
  const browser = await chromium.launch({ executablePath: program!, args: ['--no-sandbox'] })
  const faults: string[] = []
  return {
    faults,
    newPage: async options => {
      const context = await browser.newContext({ baseURL, ...options })
      const page = await context.newPage()
      watch(page, baseURL, faults)
      return page
    },
    [Symbol.asyncDispose]: () => browser.close(),
  }
}

/** A browser that keeps on disk what a person's own keeps, compiled scripts too; a page of `openBrowser` keeps none of it. */
export async function openProfile(
  baseURL: string,
): Promise<AsyncDisposable & { page: Page; faults: string[] }> {
  const folder = await mkdtemp(join(tmpdir(), 'overture-chromium-'))
  const context = await chromium.launchPersistentContext(folder, {
    executablePath: program!,
    args: ['--no-sandbox'],
    baseURL,
  })
  const page = await context.newPage()
  const faults: string[] = []
  watch(page, baseURL, faults)
  return {
    page,
    faults,
    [Symbol.asyncDispose]: async () => {
      await context.close()
      await rm(folder, { recursive: true, force: true, maxRetries: 5 })
    },
  }
}

function watch(page: Page, baseURL: string, faults: string[]): void {
  page.context().setDefaultTimeout(30_000)
  page.on('request', request => {
    if (new URL(request.url()).origin !== baseURL) faults.push(`asks ${request.url()}`)
  })
  page.on('pageerror', error => faults.push(error.message))
  // That an answer was an error is told by the browser, and shown by the page.
  page.on('console', message => {
    if (message.type() === 'error' && !message.text().startsWith('Failed to load resource')) {
      faults.push(message.text())
    }
  })
}

/** Signed in already, by the cookie of a session. */
export function giveCookie(page: Page, url: string, cookie: string): Promise<void> {
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

/** The rules of axe that depend on colours. */
const colourRules = ['color-contrast', 'link-in-text-block']

/** Returns what keeps somebody from using the page as it is, by these rules of axe or by all. */
async function findBarriers(page: Page, rules?: string[]): Promise<string[]> {
  // Without legacy mode axe opens another page for each check, for frames of other origins; there are none.
  const axe = new AxeBuilder({ page }).setLegacyMode()
  const { violations } = await (rules ? axe.withRules(rules) : axe).analyze()
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .flatMap(({ id, nodes }) => nodes.map(({ target }) => `${id}: ${target.join(' ')}`))
}

/** Expects the page to fit these widths and to be accessible at the last of them, in both themes. */
export async function expectUsable(page: Page, name: string, widths = [360, 768, 1440]): Promise<void> {
  await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' })
  for (const width of widths) {
    await page.setViewportSize({ width, height: 900 })
    const beyond = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)
    expect(beyond, `wider than ${width} pixels`).toBeLessThanOrEqual(0)
    await takePicture(page, `${name}-${width}-light`)
  }
  expect(await findBarriers(page), 'light').toEqual([])
  // A theme changes colours alone.
  await page.emulateMedia({ colorScheme: 'dark', reducedMotion: 'reduce' })
  await takePicture(page, `${name}-${widths.at(-1)}-dark`)
  expect(await findBarriers(page, colourRules), 'dark').toEqual([])
}

/** Pictures to look at, below screenshots/, when SCREENSHOTS=1 asks for them. */
export async function takePicture(page: Page, name: string): Promise<void> {
  if (!process.env.SCREENSHOTS) return
  const path = join(import.meta.dirname, '../../../screenshots', `${name}.png`)
  await page.screenshot({ path, animations: 'disabled' })
}
