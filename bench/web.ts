import type { Page } from 'playwright-core'
import { sessionCookieName } from '../src/server/adapters/http/session-cookie.ts'
import { createAccount } from '../src/server/domain/accounts/accounts.ts'
import { createUser } from '../src/server/domain/accounts/users.ts'
import { createSession } from '../src/server/domain/auth/sessions.ts'
import { createApiToken } from '../src/server/domain/auth/stored-api-tokens.ts'
import type { App } from '../src/server/kernel/context.ts'
import { openProfile } from '../test/support/browser/chromium.ts'
import { median } from './measure.ts'
import { overture, startServer } from './process.ts'

/** A phone of some years ago: four times slower than this machine, 1.6 Mbit/s with 150 ms to every answer (fast 3G). */
const CPU_SLOWDOWN = 4
const network = { offline: false, latency: 150, downloadThroughput: 200_000, uploadThroughput: 93_750 }
const fullNetwork = { offline: false, latency: 0, downloadThroughput: -1, uploadThroughput: -1 }

const CAMPAIGNS = 50

/** Each with what stands there once the page is of use. */
const pages: { path: string; shows: string; isSignedIn: boolean }[] = [
  { path: '/sign-in', shows: 'form button[type=submit]', isSignedIn: false },
  { path: '/campaigns', shows: 'tbody tr', isSignedIn: true },
  { path: '/settings/api-tokens', shows: '#page-title', isSignedIn: true },
]

/**
 * Browsers keep a script's compiled form from the second visit on, so the third is the first that finds all of it.
 * Each round begins with an empty profile, on disk as a person's own: a private window keeps no compiled scripts.
 */
const VISITS = 3

/** Times in milliseconds until the page is of use. */
export type WebRow = {
  case: string
  firstMs: number
  warmMs: number
  /** One more visit, with nothing slowed down: a desk instead of that phone. */
  deskMs: number
  /** Of the last slow one: processor time of the page's main thread, what is slowed down included. */
  warmCpuMs: number
  /** Compressed, of the first visit. */
  scriptKb: number
  /** Cumulative layout shift, the worst of all visits. */
  shift: number
}

type Visit = { ms: number; cpuMs: number; scriptKb: number; shift: number }

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
  const rows: WebRow[] = []
  for (const { path, shows, isSignedIn } of pages) {
    const measured: Visit[][] = []
    for (let round = 1; round <= rounds; round++) {
      say(`web ${path}, round ${round} of ${rounds}`)
      await using profile = await openProfile(server.url)
      const { page, faults } = profile
      if (isSignedIn) await page.context().addCookies([{ ...cookie, url: server.url }])
      const meter = await slowDown(page)
      const visits: Visit[] = []
      while (visits.length < VISITS) visits.push(await visit(page, meter, path, shows))
      await meter.fullSpeed()
      visits.push(await visit(page, meter, path, shows))
      if (faults.length > 0) throw new Error(faults.join('\n'))
      measured.push(visits)
    }
    const medianOf = (at: number, read: (visit: Visit) => number) =>
      median(measured.map(visits => read(visits.at(at)!)))
    rows.push({
      case: `web ${path}`,
      firstMs: medianOf(0, ({ ms }) => ms),
      warmMs: medianOf(-2, ({ ms }) => ms),
      deskMs: medianOf(-1, ({ ms }) => ms),
      warmCpuMs: medianOf(-2, ({ cpuMs }) => cpuMs),
      scriptKb: medianOf(0, ({ scriptKb }) => scriptKb),
      shift: Math.max(...measured.flat().map(({ shift }) => shift)),
    })
  }
  return rows
}

export const printWeb = (rows: WebRow[]): void =>
  console.table(
    Object.fromEntries(
      rows.map(({ case: name, firstMs, warmMs, deskMs, warmCpuMs, scriptKb, shift }) => [
        name,
        {
          'first ms': Math.round(firstMs),
          'warm ms': Math.round(warmMs),
          'warm, not slowed ms': Math.round(deskMs),
          'warm cpu ms': Math.round(warmCpuMs),
          'script kB': Math.round(scriptKb),
          shift,
        },
      ]),
    ),
  )

async function aPersonWithCampaigns(app: App, url: string): Promise<{ name: string; value: string }> {
  const { auth } = app.db
  const email = 'ada@acme.example'
  const { id: userId } = await createUser(auth, { email, name: 'Ada Byron', isEmailVerified: true })
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

type Meter = { cpuMs: () => Promise<number>; fullSpeed: () => Promise<void> }

async function slowDown(page: Page): Promise<Meter> {
  const session = await page.context().newCDPSession(page)
  await session.send('Network.emulateNetworkConditions', network)
  await session.send('Emulation.setCPUThrottlingRate', { rate: CPU_SLOWDOWN })
  await session.send('Performance.enable', { timeDomain: 'threadTicks' })
  return {
    cpuMs: async () => {
      const { metrics } = await session.send('Performance.getMetrics')
      return 1_000 * metrics.find(({ name }) => name === 'TaskDuration')!.value
    },
    fullSpeed: async () => {
      await session.send('Network.emulateNetworkConditions', fullNetwork)
      await session.send('Emulation.setCPUThrottlingRate', { rate: 1 })
    },
  }
}

async function visit(page: Page, meter: Meter, path: string, shows: string): Promise<Visit> {
  await page.goto('about:blank')
  await page.goto(path, { waitUntil: 'commit' })
  const ms = await page.evaluate(timeUntilShown, shows)
  const cpuMs = await meter.cpuMs()
  await page.waitForLoadState('networkidle')
  return { ms, cpuMs, ...(await page.evaluate(whatItTook)) }
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
