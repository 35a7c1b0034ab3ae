import { setTimeout as sleep } from 'node:timers/promises'
import { openEngine } from '../../src/server/engine/loop.ts'
import type { TestApp } from '../support/app.ts'
import { makeMailCampaign } from '../support/mail/mail-campaign.ts'
import type { ScriptedSmtp } from '../support/mail/scripted-smtp.ts'
import { Journal } from './journal.ts'
import { openJournaledSmtp } from './journaled-smtp.ts'
import { HeldEmails, pauseAtFailpoints, type RacedCommand, waitForSends } from './race-at-commands.ts'
import { type Tally, tallyDeliveries } from './tally-deliveries.ts'
import { openClock, waitUntilIdle } from './wait-until-idle.ts'

/** Maximum number of SMTP commands between two pauses. */
const MAX_COMMANDS = 100
/** The commands at which pauses begin, in turn. */
const commands: readonly RacedCommand[] = ['DOT', 'RCPT']
/** Longer than the delay after which a withheld step is planned again. */
const ADVANCE_MS = 10 * 60_000

export type PauseFigures = Omit<Tally, 'late'> & {
  pauses: number
  /** Pauses that reported messages in flight. */
  inFlight: number
  /** Email transfers that the gate withheld. */
  withheld: number
  /** Emails sent during a pause, except those that the pause reported as in flight. */
  late: number
}

/**
 * Pauses and resumes the account, or its campaign, repeatedly while emails are sent: each pause begins at an SMTP
 * command, and both sides pause at random failpoints.
 */
export async function racePauses(
  app: TestApp,
  { emailCount, servers = 2, random }: { emailCount: number; servers?: number; random: () => number },
): Promise<PauseFigures> {
  using journal = new Journal()
  await using opened = new AsyncDisposableStack()
  const figures = { pauses: 0, inFlight: 0, late: 0 }
  const held = new HeldEmails()
  let commandsLeft = 0
  let pause: ((acknowledge: () => void) => Promise<void>) | undefined
  let pausing: Promise<void> | undefined
  const peers: ScriptedSmtp[] = []
  for (let n = 0; n < servers; n += 1) {
    const peer: ScriptedSmtp = await openJournaledSmtp(journal, step => {
      commandsLeft -= 1
      const command = commands[figures.pauses % commands.length]!
      if (pause && !pausing && commandsLeft <= 0 && step === command) {
        const release = held.hold(command, peer.port)
        pausing = pause(() => release?.()).finally(() => {
          release?.()
          commandsLeft = 1 + random() * MAX_COMMANDS
          pausing = undefined
        })
      }
      return undefined
    })
    peers.push(opened.use(peer))
  }
  const { owner, campaignId, ...campaign } = await makeMailCampaign(app, peers, emailCount)
  const { accountId } = owner
  const clock = openClock()
  // A paused campaign has no work, so `waitUntilIdle` may return before the campaign is completed.
  const isOver = async () => (await owner.call('getCampaign', { campaignId })).status === 'completed'
  pause = async acknowledge => {
    await sleep(random() ** 2 * 50)
    const pausesAccount = random() < 0.5
    const paused = pausesAccount
      ? await owner.call('pauseSending', {})
      : await owner.call('pauseCampaign', { campaignId }).catch(async error => {
          if (!(await isOver())) throw error
        })
    if (!paused) return
    const { inFlight } = paused
    const answeredAt = performance.now()
    acknowledge()
    figures.pauses += 1
    figures.inFlight += inFlight > 0 ? 1 : 0
    await waitForSends(app, app.owner`account_id = ${accountId}`)
    const left = journal.dots.filter(({ at, isAccepted }) => isAccepted && at > answeredAt).length
    figures.late += Math.max(0, left - inFlight)
    if (pausesAccount) await owner.call('resumeSending', {})
    else await owner.call('resumeCampaign', { campaignId })
    clock.advance(ADVANCE_MS)
  }
  using _pauses = pauseAtFailpoints(random, held, 'sending_pause')
  {
    await using _one = openEngine({ ...app, now: clock.now })
    await using _two = openEngine({ ...app, now: clock.now })
    do {
      await waitUntilIdle(app, [accountId], clock, held)
      await pausing
    } while (!(await isOver()))
    pause = undefined
    await pausing
  }
  const { late: _, ...tally } = await tallyDeliveries(app.owner, journal, accountId)
  if (tally.prospects !== campaign.emails.length)
    throw new Error(`${tally.prospects} of ${campaign.emails.length} prospects were found`)
  const accepted = journal.dots.filter(({ isAccepted }) => isAccepted).length
  return { ...tally, ...figures, withheld: journal.attempts.length - accepted }
}
