import { setTimeout as sleep } from 'node:timers/promises'
import type { Fragment } from '../../src/server/kernel/db/database.ts'
import { failpoints } from '../../src/server/kernel/failpoints.ts'
import type { TestApp } from '../support/app.ts'
import { type MailCampaign, makeMailCampaignToLaunch } from '../support/mail/mail-campaign.ts'
import type { Step } from '../support/mail/scripted-smtp.ts'
import { EngineProcesses } from './engine-processes.ts'
import { Journal } from './journal.ts'
import { openJournaledSmtp } from './journaled-smtp.ts'
import {
  getPercentiles,
  type Percentiles,
  sumTallies,
  type Tally,
  tallyDeliveries,
} from './tally-deliveries.ts'
import { waitUntilIdle } from './wait-until-idle.ts'

/** Emails per mailbox in each wave. */
const EMAILS_PER_MAILBOX = 12
const MAILBOXES = 6
/** Longer than any engine lives, so that paused work never resumes. */
const HELD_MS = 600_000
const LONGEST_LIFE_MS = 9_000
const POLL_MS = 100

const failpointNames = failpoints.slice(failpoints.indexOf('plan.began'), failpoints.indexOf('smtp.answered'))
const steps = ['EHLO', 'MAIL', 'RCPT', 'DATA', 'DOT'] as const satisfies Step[]

export type TakeoverFigures = Tally & { kills: number; interrupted: number; takenOverAfterMs: Percentiles }

/**
 * Kills engines while they have work in progress at every failpoint. Measures how long each claimed email waits until
 * another engine sends it again, or reports it as unconfirmed if it may have been sent already.
 */
export async function killEngines(
  app: TestApp,
  { waves, engines = 4, random }: { waves: number; engines?: number; random: () => number },
): Promise<TakeoverFigures> {
  using journal = new Journal()
  await using opened = new AsyncDisposableStack()
  let isHolding = false
  const peers = await Promise.all(
    Array.from({ length: MAILBOXES }, (_, n) =>
      openJournaledSmtp(journal, step =>
        isHolding && step === steps[n % steps.length] && random() < 0.5 ? { reaction: 'silent' } : undefined,
      ),
    ),
  )
  for (const peer of peers) opened.use(peer)
  const processes = opened.use(await EngineProcesses.open(app, engines))
  const waits: number[] = []
  const tallies: Tally[] = []
  for (let wave = 0; wave < waves; wave += 1) {
    isHolding = false
    const campaigns = await Promise.all(
      peers.map(peer => makeMailCampaignToLaunch(app, [peer], EMAILS_PER_MAILBOX)),
    )
    const accountIds = campaigns.map(({ owner }) => owner.accountId)
    const group = `${wave}`
    const keys = campaigns.flatMap(({ mailboxIds }, n) => [...mailboxIds, `127.0.0.1:${peers[n]!.port}`])
    processes.instruct({
      groups: Object.fromEntries(keys.map(key => [key, group])),
      arm: Array.from({ length: MAILBOXES }, () => ({
        name: failpointNames[Math.floor(random() * failpointNames.length)]!,
        group,
        failure: { do: 'pause', ms: HELD_MS },
      })),
    })
    isHolding = true
    await Promise.all(campaigns.map(campaign => campaign.launch()))
    await sleep(1_000 + random() * LONGEST_LIFE_MS)
    // Failures that haven't happened by now must not hit the engines that take over.
    processes.instruct({ disarm: processes.armed.map(({ name, group }) => `${name} ${group}`) })
    const victims = processes.children
    const ready = processes.waitForReplacements(processes.deaths + victims.length)
    for (const child of victims) child.kill('SIGKILL')
    const killedAt = performance.now()
    isHolding = false
    waits.push(...(await waitForTakeover(app, journal, campaigns, killedAt, ready)))
    await waitUntilIdle(app, accountIds, processes.clock)
    for (const accountId of accountIds) tallies.push(await tallyDeliveries(app.owner, journal, accountId))
  }
  return {
    ...sumTallies(tallies),
    kills: processes.deaths,
    interrupted: waits.length,
    takenOverAfterMs: getPercentiles(waits),
  }
}

/**
 * Returns how long each email that was claimed at the time of the kill waited to be sent again or reported,
 * in milliseconds. Starts counting when the replacement engines are ready, because startup time depends on
 * the machine.
 */
async function waitForTakeover(
  app: TestApp,
  journal: Journal,
  campaigns: MailCampaign[],
  killedAt: number,
  ready: Promise<void>,
): Promise<number[]> {
  const waits: number[] = []
  let readyAt = Number.POSITIVE_INFINITY
  void ready.then(() => {
    readyAt = performance.now()
  })
  const sinceReady = (at: number) => Math.max(0, at - readyAt)
  const accountIds = campaigns.map(({ owner }) => owner.accountId)
  const waiting = new Set(await listClaimed(app, accountIds))
  for (; waiting.size > 0; await sleep(POLL_MS)) {
    const sent = await listSent(app, accountIds)
    for (const { to, at } of journal.attempts) {
      if (at > killedAt && waiting.delete(to)) waits.push(sinceReady(at))
    }
    // Sent by the killed engine before it died, so there was nothing to take over.
    for (const { email } of sent) waiting.delete(email)
    for (const { email } of await listUnconfirmed(app, accountIds)) {
      if (waiting.delete(email)) waits.push(sinceReady(performance.now()))
    }
  }
  return waits
}

/** Returns recipients of emails reported as unconfirmed. */
const listUnconfirmed = (app: TestApp, accountIds: string[]) =>
  listRecipients(app, accountIds, app.owner`m.delivery_status = 'unconfirmed'`)

/** Returns recipients of emails reported as sent. */
const listSent = (app: TestApp, accountIds: string[]) =>
  listRecipients(app, accountIds, app.owner`m.status = 'sent' and m.delivery_status is null`)

const listRecipients = ({ owner }: TestApp, accountIds: string[], condition: Fragment) => owner<
  { email: string }[]
>`
  select p.email
    from email_messages m
    join prospects r on r.account_id = m.account_id and r.id = m.prospect_id
    join persons p on p.account_id = r.account_id and p.id = r.person_id
   where m.account_id = any(${accountIds}) and ${condition}`

/** Returns recipients of emails that an engine has claimed, for planning or for sending. */
const listClaimed = async ({ owner }: TestApp, accountIds: string[]): Promise<string[]> =>
  (
    await owner<{ email: string }[]>`
      select p.email
        from prospects r
        join persons p on p.account_id = r.account_id and p.id = r.person_id
        left join email_sends e on e.account_id = r.account_id and e.prospect_id = r.id
       where r.account_id = any(${accountIds})
         and (e.state in ('claimed', 'dot_pending') or (r.next_step_at is not null and r.lease_until is not null))`
  ).map(({ email }) => email)
