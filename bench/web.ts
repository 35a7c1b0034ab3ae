import type { Page } from 'playwright-core'
import { createAccount } from '../src/server/accounts/accounts.ts'
import { createApiToken } from '../src/server/accounts/api-tokens.ts'
import { createSession } from '../src/server/accounts/sessions.ts'
import { createUser } from '../src/server/accounts/users.ts'
import type { App } from '../src/server/context.ts'
import { sessionCookieName } from '../src/server/http/session-cookie.ts'
import { openBrowser } from '../test/support/chromium.ts'
import { median } from './measure.ts'
import { overture, startServer } from './process.ts'

/** A phone of some years ago: four times slower than this machine, 1.6 Mbit/s with 150 ms to every answer (fast 3G). */
const CPU_SLOWDOWN = 4
const network = { offline: false, latency: 150, downloadThroughput: 200_000, uploadThroughput: 93_750 }

const CAMPAIGNS = 50

/** Each with what stands there once the page is of use. */
const pages: { path: string; shows: string; isSignedIn: boolean }[] = [
  { path: '/sign-in', shows: 'form button[type=submit]', isSignedIn: false },
  { path: '/campaigns', shows: 'tbody tr', isSignedIn: true },
  { path: '/settings/api-tokens', shows: '#page-title', isSignedIn: true },
]

/** Times in milliseconds until the page is of use: with nothing in the cache, and with all that may be kept. */
export type WebRow = {
  case: string
  firstMs: number
  warmMs: number
  /** Compressed, of the first visit. */
  scriptKb: number
  /** Cumulative layout shift, the worst of all visits. */
  shift: number
}

type Visit = { ms: number; scriptKb: number; shift: number }

export async function measureWeb(
  app: App,
  { dataDir, rounds, say }: { dataDir: string; rounds: number; say: (message: string) => void },
): Promise<WebRow[]> {
  await using opened = new AsyncDisposableStack()
  const server = opened.use(
    await startServer([overture, 'serve', '--json', '--port', '0', '--data', dataDir, '--role', 'web'], {
      RATE_LIMIT_PER_MINUTE: '0',
    }),
  )
  const cookie = await aPersonWithCampaigns(app, server.url)
  const browser = opened.use(await openBrowser(server.url))
  const rows: WebRow[] = []
  for (const { path, shows, isSignedIn } of pages) {
    const visits: { first: Visit; warm: Visit }[] = []
    for (let round = 1; round <= rounds; round++) {
      say(`web ${path}, round ${round} of ${rounds}`)
      const page = await browser.newPage()
      if (isSignedIn) await page.context().addCookies([{ ...cookie, url: server.url }])
      await slowDown(page)
      visits.push({ first: await visit(page, path, shows), warm: await visit(page, path, shows) })
      await page.context().close()
    }
    const all = visits.flatMap(({ first, warm }) => [first, warm])
    rows.push({
      case: `web ${path}`,
      firstMs: median(visits.map(({ first }) => first.ms)),
      warmMs: median(visits.map(({ warm }) => warm.ms)),
      scriptKb: median(visits.map(({ first }) => first.scriptKb)),
      shift: Math.max(...all.map(({ shift }) => shift)),
    })
  }
  if (browser.faults.length > 0) throw new Error(browser.faults.join('\n'))
  return rows
}

export const printWeb = (rows: WebRow[]): void =>
  console.table(
    Object.fromEntries(
      rows.map(({ case: name, firstMs, warmMs, scriptKb, shift }) => [
        name,
        {
          'first ms': Math.round(firstMs),
          'warm ms': Math.round(warmMs),
          'script kB': Math.round(scriptKb),
          shift,
        },
      ]),
    ),
  )

async function aPersonWithCampaigns(app: App, url: string): Promise<{ name: string; value: string }> {
  const { auth } = app.db
  const email = 'ada@acme.example'
  const { id: userId } = await createUser(auth, { email, name: 'Ada Byron' })
  await createAccount(auth, { name: 'Analytical', ownerEmail: email }, { actor: 'bench' })
  const { token } = await createApiToken(auth, { userId, name: 'bench' })
  for (let n = 1; n <= CAMPAIGNS; n++) {
    const made = await fetch(`${url}/v1/campaigns`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ name: `Campaign ${n}` }),
    })
    if (!made.ok) throw new Error(`no campaign: ${await made.text()}`)
  }
  const session = await createSession(auth, { userId, address: '127.0.0.1', now: app.now() })
  return { name: sessionCookieName(app.config), value: session.token }
}

async function slowDown(page: Page): Promise<void> {
  const session = await page.context().newCDPSession(page)
  await session.send('Network.emulateNetworkConditions', network)
  await session.send('Emulation.setCPUThrottlingRate', { rate: CPU_SLOWDOWN })
}

async function visit(page: Page, path: string, shows: string): Promise<Visit> {
  await page.goto('about:blank')
  await page.goto(path, { waitUntil: 'commit' })
  const ms = await page.evaluate(timeUntilShown, shows)
  await page.waitForLoadState('networkidle')
  return { ms, ...(await page.evaluate(whatItTook)) }
}

/** Runs in the page: when the frame after the one that shows it begins, and so what is shown can be used. */
const timeUntilShown = (selector: string): Promise<number> =>
  new Promise(done => {
    const look = () =>
      document.querySelector(selector)
        ? requestAnimationFrame(() => done(performance.now()))
        : requestAnimationFrame(look)
    look()
  })

/** Runs in the page. */
async function whatItTook(): Promise<{ scriptKb: number; shift: number }> {
  const resources = performance.getEntriesByType('resource') as PerformanceResourceTiming[]
  const scripts = resources.filter(({ name }) => name.endsWith('.js'))
  const shifts = await new Promise<{ value: number }[]>(done => {
    new PerformanceObserver(list => done(list.getEntries() as never)).observe({
      type: 'layout-shift',
      buffered: true,
    })
    setTimeout(() => done([]), 500)
  })
  return {
    scriptKb: scripts.reduce((sum, { encodedBodySize }) => sum + encodedBodySize, 0) / 1000,
    shift: shifts.reduce((sum, { value }) => sum + value, 0),
  }
}
