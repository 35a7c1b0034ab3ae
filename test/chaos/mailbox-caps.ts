import { setTimeout as sleep } from 'node:timers/promises'
import { SmtpPools } from '../../src/server/engine/send/smtp-pools.ts'
import { openDatabase } from '../../src/server/kernel/db/database.ts'
import type { TestApp } from '../support/app.ts'
import { tick } from '../support/campaigns/tick.ts'
import { makeMailCampaign, parseEnvelopeAddress } from '../support/mail/mail-campaign.ts'
import { ScriptedSmtp } from '../support/mail/scripted-smtp.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS

type Options = {
  claimers: number
  cap: number
  due: number
  mailboxes: number
  days: number
  random: () => number
}
type Figures = {
  attempts: number
  accepted: number
  /** The highest number of attempts by one mailbox in any 24 hours. */
  worst: number
  /** Attempts as a share of the total cap. */
  used: number
  duplicated: number
  claimers: number
}

/**
 * Runs many claimers at once over mailboxes with far more due emails than their caps allow, while the clock advances in
 * uneven steps. The result comes from the SMTP servers, which record every final dot and refuse some.
 */
export async function raceForQuota(
  app: TestApp,
  { claimers, cap, due, mailboxes, days, random }: Options,
): Promise<Figures> {
  const start = Date.parse('2026-11-23T00:00:00.000Z')
  let now = start
  const timedApp = { ...app, now: () => new Date(now) }
  app.setNow(new Date(start))
  const journal: { mailbox: number; at: number; to: string; isAccepted: boolean }[] = []
  await using opened = new AsyncDisposableStack()
  const peers: ScriptedSmtp[] = []
  for (let mailbox = 0; mailbox < mailboxes; mailbox++) {
    const peer = await ScriptedSmtp.open((step, _line, transfer) => {
      if (step !== 'DOT') return undefined
      const isAccepted = random() > 0.03
      const to = parseEnvelopeAddress(transfer!.envelope.find(line => /^RCPT/i.test(line)) ?? '')
      journal.push({ mailbox, at: now, to, isAccepted })
      return isAccepted ? undefined : '451 4.3.0 later'
    })
    peers.push(opened.use(peer))
  }
  const { owner, mailboxIds } = await makeMailCampaign(app, peers, due)
  for (const mailboxId of mailboxIds) await owner.call('updateMailbox', { mailboxId, dailyCap: cap })
  const over = new AbortController()
  const idle = Array.from({ length: claimers }, () => 0)
  const working = idle.map(async (_, claimer) => {
    await using db = await openDatabase(app.connection, { maxConnections: 2 })
    await using pools = new SmtpPools()
    while (!over.signal.aborted) {
      const started = await tick({ ...timedApp, db }, pools)
      await Promise.all(started.map(({ done }) => done))
      // Resets every claimer: advancing the clock while any of them works would end its leases.
      if (started.length > 0) idle.fill(0)
      else {
        idle[claimer]! += 1
        await sleep(20)
      }
    }
  })
  // The quota of the first day becomes free again after the last day, so there is one more hour to use it.
  for (const end = start + days * DAY_MS + HOUR_MS; now < end; ) {
    idle.fill(0)
    while (idle.some(rounds => rounds < 2)) await sleep(10)
    const times = peers.map((_, mailbox) => journal.flatMap(dot => (dot.mailbox === mailbox ? dot.at : [])))
    const openings = times.map(each => (each.at(-cap) ?? start) + DAY_MS).filter(opening => opening > now)
    const [retry] = await app.owner<{ dueAt: Date | null }[]>`
      select min(due_at) as "dueAt" from email_sends where state = 'queued' and due_at > ${new Date(now)}`
    if (retry?.dueAt) openings.push(retry.dueAt.getTime())
    // Uneven steps, but at most half a minute past the time when quota becomes free or a retry is due.
    now = Math.min(now + 60_000 + random() * 2 * HOUR_MS, ...openings.map(at => at + random() * 30_000))
    now = Math.ceil(now)
  }
  over.abort()
  await Promise.all(working)
  const worst = Array.from({ length: mailboxes }, (_, mailbox) =>
    findDailyMaximum(journal.filter(dot => dot.mailbox === mailbox).map(dot => dot.at)),
  )
  const accepted = journal.filter(({ isAccepted }) => isAccepted)
  return {
    attempts: journal.length,
    accepted: accepted.length,
    worst: Math.max(...worst),
    used: journal.length / (cap * mailboxes * (days + 1)),
    duplicated: accepted.length - new Set(accepted.map(({ to }) => to)).size,
    claimers,
  }
}

function findDailyMaximum(times: number[]): number {
  const sorted = times.toSorted((a, b) => a - b)
  let most = 0
  for (let first = 0, last = 0; last < sorted.length; last++) {
    while (sorted[first]! <= sorted[last]! - DAY_MS) first += 1
    most = Math.max(most, last - first + 1)
  }
  return most
}
