import type { Page } from 'playwright-core'
import { sessionCookieName } from '../src/server/adapters/http/session-cookie.ts'
import { createSession } from '../src/server/domain/auth/sessions.ts'
import { createApiToken } from '../src/server/domain/auth/stored-api-tokens.ts'
import type { App } from '../src/server/kernel/context.ts'
import type { Sql } from '../src/server/kernel/db/database.ts'
import { openProfile } from '../test/support/browser/chromium.ts'
import { median } from './measure.ts'
import { overture, startServer } from './process.ts'
import { seed } from './seed.ts'
import { type InteractionRow, measureInteractions } from './web-interactions.ts'

/** An older phone: four times slower than this machine, on fast 3G (1.6 Mbit/s, 150 ms latency). */
const CPU_SLOWDOWN = 4
const network = { offline: false, latency: 150, downloadThroughput: 200_000, uploadThroughput: 93_750 }
const fullNetwork = { offline: false, latency: 0, downloadThroughput: -1, uploadThroughput: -1 }

/** The seed puts 60% of the emails into the measured account, with four emails in each conversation. */
const EMAILS = Math.ceil((100_000 * 4) / 0.6)

/** The measured pages, each with a selector that matches once the page is usable. */
const pages: { path: string; readySelector: string; isSignedIn: boolean }[] = [
  { path: '/sign-in', readySelector: 'form button[type=submit]', isSignedIn: false },
  { path: '/inbox', readySelector: '[data-list] > li', isSignedIn: true },
  { path: '/campaigns', readySelector: 'tbody tr', isSignedIn: true },
  { path: '/settings/api-tokens', readySelector: '#page-title', isSignedIn: true },
]

/**
 * Browsers start to cache compiled scripts during the second visit, so the third visit is the first with all scripts
 * cached. Each round begins with an empty profile on disk, because private windows cache no compiled scripts.
 */
const VISITS = 3

/** Wait time for the files that a page loads after it is usable. */
const LATE_FILES_MS = 1_000

/** Times in milliseconds until the page is usable. */
type WebRow = {
  case: string
  firstMs: number
  warmMs: number
  /** One more visit without throttling, as on a desktop. */
  unthrottledMs: number
  /** CPU time of the page's main thread in the last throttled visit. */
  warmCpuMs: number
  /** Compressed size of the scripts in the first visit. */
  scriptKb: number
  /** Worst cumulative layout shift of all visits. */
  shift: number
}

type Visit = { ms: number; cpuMs: number; scriptKb: number; shift: number }

/** Measures an account of 100,000 people and conversations, or fewer with fewer `emails`. */
export async function measureWeb(
  app: App,
  {
    owner,
    dataDir,
    emails = EMAILS,
    rounds,
    log,
  }: {
    owner: Sql
    dataDir: string
    emails: number | undefined
    rounds: number
    log: (message: string) => void
  },
): Promise<{ pages: WebRow[]; interactions: InteractionRow[] }> {
  await using opened = new AsyncDisposableStack()
  const { userId } = await seed(owner, emails, log)
  const server = opened.use(
    await startServer([overture, 'serve', '--json', '--port', '0', '--data', dataDir, '--role', 'web'], {
      RATE_LIMIT_PER_MINUTE: '0',
    }),
  )
  const session = await createSession(app.db.auth, { userId, address: '127.0.0.1', now: app.now() })
  const cookie = { name: sessionCookieName(app.config), value: session.token }
  const campaignId = await createCampaign(app, { userId, url: server.url })
  const rows: WebRow[] = []
  for (const { path, readySelector, isSignedIn } of pages) {
    const measured: Visit[][] = []
    for (let round = 1; round <= rounds; round++) {
      log(`web ${path}, round ${round} of ${rounds}`)
      await using profile = await openProfile(server.url)
      const { page, errors } = profile
      if (isSignedIn) await page.context().addCookies([{ ...cookie, url: server.url }])
      const meter = await throttle(page)
      const visits: Visit[] = []
      while (visits.length < VISITS) visits.push(await visit(page, meter, path, readySelector))
      await meter.stopThrottling()
      visits.push(await visit(page, meter, path, readySelector))
      if (errors.length > 0) throw new Error(errors.join('\n'))
      measured.push(visits)
    }
    const getMedian = (at: number, read: (visit: Visit) => number) =>
      median(measured.map(visits => read(visits.at(at)!)))
    rows.push({
      case: `web ${path}`,
      firstMs: getMedian(0, ({ ms }) => ms),
      warmMs: getMedian(-2, ({ ms }) => ms),
      unthrottledMs: getMedian(-1, ({ ms }) => ms),
      warmCpuMs: getMedian(-2, ({ cpuMs }) => cpuMs),
      scriptKb: getMedian(0, ({ scriptKb }) => scriptKb),
      shift: Math.max(...measured.flat().map(({ shift }) => shift)),
    })
  }
  log('web interactions')
  return { pages: rows, interactions: await measureInteractions({ url: server.url, cookie, campaignId }) }
}

export function printWeb({ pages, interactions }: Awaited<ReturnType<typeof measureWeb>>): void {
  console.table(
    Object.fromEntries(
      pages.map(({ case: name, firstMs, warmMs, unthrottledMs, warmCpuMs, scriptKb, shift }) => [
        name,
        {
          'first ms': Math.round(firstMs),
          'warm ms': Math.round(warmMs),
          'warm, unthrottled ms': Math.round(unthrottledMs),
          'warm cpu ms': Math.round(warmCpuMs),
          'script kB': Math.round(scriptKb),
          shift,
        },
      ]),
    ),
  )
  console.table(
    Object.fromEntries(
      interactions.map(({ case: name, samples, medianMs, p95Ms, worstMs, limitMs }) => [
        name,
        {
          samples,
          'median ms': Math.round(medianMs),
          'p95 ms': Math.round(p95Ms),
          'worst ms': Math.round(worstMs),
          'limit ms': limitMs,
        },
      ]),
    ),
  )
}

/** Creates a draft of five emails. */
async function createCampaign(app: App, { userId, url }: { userId: string; url: string }): Promise<string> {
  const { token } = await createApiToken(app.db.auth, { userId, name: 'bench' })
  const steps = [1, 2, 3, 4, 5].map(n => ({ subject: `Step ${n}`, body: 'Hi {{ firstName }}' }))
  const response = await fetch(`${url}/v1/campaigns`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'Five steps', steps }),
  })
  if (!response.ok) throw new Error(`Could not create a campaign: ${await response.text()}`)
  return ((await response.json()) as { id: string }).id
}

type Meter = { cpuMs: () => Promise<number>; stopThrottling: () => Promise<void> }

async function throttle(page: Page): Promise<Meter> {
  const session = await page.context().newCDPSession(page)
  await session.send('Network.emulateNetworkConditions', network)
  await session.send('Emulation.setCPUThrottlingRate', { rate: CPU_SLOWDOWN })
  await session.send('Performance.enable', { timeDomain: 'threadTicks' })
  return {
    cpuMs: async () => {
      const { metrics } = await session.send('Performance.getMetrics')
      return 1_000 * metrics.find(({ name }) => name === 'TaskDuration')!.value
    },
    stopThrottling: async () => {
      await session.send('Network.emulateNetworkConditions', fullNetwork)
      await session.send('Emulation.setCPUThrottlingRate', { rate: 1 })
    },
  }
}

async function visit(page: Page, meter: Meter, path: string, readySelector: string): Promise<Visit> {
  await page.goto('about:blank')
  await page.goto(path, { waitUntil: 'commit' })
  const ms = await page.evaluate(measureTimeUntilShown, readySelector)
  const cpuMs = await meter.cpuMs()
  // Not `networkidle`, because the stream of live updates stays open.
  await page.waitForLoadState('load')
  await page.waitForTimeout(LATE_FILES_MS)
  return { ms, cpuMs, ...(await page.evaluate(readPageMetrics)) }
}

/** Runs in the page. Resolves at the frame after the one that shows the selector, when the content is usable. */
const measureTimeUntilShown = (selector: string): Promise<number> =>
  new Promise(done => {
    const poll = () =>
      document.querySelector(selector)
        ? requestAnimationFrame(() => done(performance.now()))
        : requestAnimationFrame(poll)
    poll()
  })

/** Runs in the page. */
async function readPageMetrics(): Promise<{ scriptKb: number; shift: number }> {
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
