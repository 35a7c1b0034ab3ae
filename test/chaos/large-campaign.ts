import { setTimeout as sleep } from 'node:timers/promises'
import { median, readRssMb } from '../../bench/measure.ts'
import type { TestApp } from '../support/app.ts'
import { makeMailCampaignToLaunch } from '../support/mail/mail-campaign.ts'
import { EngineProcesses } from './engine-processes.ts'
import { Journal } from './journal.ts'
import { openJournaledSmtp } from './journaled-smtp.ts'
import { type Tally, tallyDeliveries } from './tally-deliveries.ts'
import { waitUntilIdle } from './wait-until-idle.ts'

const MAILBOXES = 4
const SAMPLE_MS = 500

export type LargeCampaignFigures = Tally & {
  perSecond: number
  /** Median memory of the engine in the second and the last quarter of the run. */
  rssMb: { early: number; late: number }
  growth: number
}

/** Sends one campaign with this many emails through one engine. */
export async function sendLargeCampaign(
  app: TestApp,
  { emailCount }: { emailCount: number },
): Promise<LargeCampaignFigures> {
  using journal = new Journal()
  await using opened = new AsyncDisposableStack()
  const peers = await Promise.all(
    Array.from({ length: MAILBOXES }, async () => {
      const peer = await openJournaledSmtp(journal, step => {
        // Keeping every email would need too much memory.
        if (step === 'MAIL') peer.forget()
        return undefined
      })
      return opened.use(peer)
    }),
  )
  const { owner, launch } = await makeMailCampaignToLaunch(app, peers, emailCount)
  const processes = opened.use(await EngineProcesses.open(app, 1))
  await launch()
  const startedAt = performance.now()
  const samples: number[] = []
  const sampling = new AbortController()
  const sampled = (async () => {
    for (; !sampling.signal.aborted; await sleep(SAMPLE_MS))
      samples.push(readRssMb(processes.children[0]!.pid!))
  })()
  await waitUntilIdle(app, [owner.accountId], processes.clock)
  const seconds = (performance.now() - startedAt) / 1000
  sampling.abort()
  await sampled
  const quarter = Math.floor(samples.length / 4)
  const early = median(samples.slice(quarter, 2 * quarter))
  const late = median(samples.slice(3 * quarter))
  return {
    ...(await tallyDeliveries(app.owner, journal, owner.accountId)),
    perSecond: Math.round(emailCount / seconds),
    rssMb: { early, late },
    growth: late / early - 1,
  }
}
