import { setTimeout as sleep } from 'node:timers/promises'
import { openEngine } from '../../src/server/engine/loop.ts'
import { AppError } from '../../src/server/kernel/errors.ts'
import { failpoints, setFailpoints } from '../../src/server/kernel/failpoints.ts'
import type { TestApp } from '../support/app.ts'
import { addressIn, aMailCampaign } from '../support/mail/mail-campaign.ts'
import { Journal } from './journal.ts'
import { getRecipient, openJournaledSmtp } from './journaled-smtp.ts'
import { openClock, settle } from './settle.ts'
import { type Tally, tallyDeliveries } from './tally-deliveries.ts'

/** Failpoints at which the process may pause, so that the steps of the two sides happen in any order. */
const pausable = failpoints.filter(name => /^(gate|smtp\.(allowed|released))/.test(name))

export type ChangeFigures = Tally & {
  races: number
  /** Changes that reported their mail in flight. */
  inFlight: number
  /** Transfers of emails that the gate withheld. */
  withheld: number
}

/**
 * Pauses prospects and changes people's addresses while their mails are sent: each change starts while the mail is at a
 * random SMTP command, and both sides pause at random failpoints. `late` counts mails that left for the old address
 * after the answer to the change, or before the prospect was resumed, and were not in its `inFlight`.
 */
export async function raceChanges(
  app: TestApp,
  { races, servers = 8, random }: { races: number; servers?: number; random: () => number },
): Promise<ChangeFigures> {
  using journal = new Journal()
  await using opened = new AsyncDisposableStack()
  const figures = { races: 0, inFlight: 0, late: 0 }
  const changing: Promise<void>[] = []
  const startsAt = new Map<string, 'RCPT' | 'BODY' | 'DOT'>()
  const movedTo = new Map<string, string>()
  let change = async (_email: string): Promise<void> => {}
  const peers = []
  for (let n = 0; n < servers; n += 1) {
    const peer = await openJournaledSmtp(journal, (step, line, transfer) => {
      const email = step === 'RCPT' ? addressIn(line) : transfer && getRecipient(transfer)
      if (email && startsAt.get(email) === step) {
        startsAt.delete(email)
        changing.push(change(email))
      }
      return undefined
    })
    peers.push(opened.use(peer))
  }
  const { owner, emails, prospects } = await aMailCampaign(app, peers, races)
  const ids = new Map(
    (await prospects()).map(({ id, personId, person }) => [person!.email!, { id, personId }]),
  )
  const countLate = (email: string, since: number, inFlight: number) => {
    const left = journal.dots.filter(({ to, at, isAccepted }) => to === email && isAccepted && at > since)
    return Math.max(0, left.length - inFlight)
  }
  const pause = async (email: string) => {
    const { id: prospectId } = ids.get(email)!
    const { inFlight } = await owner.call('pauseProspect', { prospectId })
    const answeredAt = performance.now()
    await waitUntilIdle(app, prospectId)
    figures.late += countLate(email, answeredAt, inFlight)
    await owner.call('resumeProspect', { prospectId })
    return inFlight
  }
  const move = async (email: string) => {
    const { id: prospectId, personId } = ids.get(email)!
    const newEmail = `new-${email}`
    const { inFlight = 0 } = await owner.call('updatePerson', { personId, email: newEmail })
    const answeredAt = performance.now()
    movedTo.set(email, newEmail)
    await waitUntilIdle(app, prospectId)
    figures.late += countLate(email, answeredAt, inFlight)
    return inFlight
  }
  change = async email => {
    await sleep(random() ** 2 * 50)
    try {
      const inFlight = await (random() < 0.5 ? pause : move)(email)
      figures.races += 1
      figures.inFlight += inFlight
    } catch (error) {
      // Its mail was sent before the pause.
      if (!(error instanceof AppError && error.code === 'Conflict')) throw error
    }
  }
  for (const email of emails) startsAt.set(email, random() < 0.4 ? 'RCPT' : random() < 0.5 ? 'BODY' : 'DOT')
  setFailpoints(name =>
    pausable.includes(name) && random() < 0.2 ? { do: 'pause', ms: random() * 15 } : undefined,
  )
  opened.defer(() => setFailpoints(undefined))
  {
    const clock = openClock()
    await using _one = openEngine({ ...app, now: clock.now })
    await using _two = openEngine({ ...app, now: clock.now })
    await settle(app, [owner.accountId], clock)
    await Promise.all(changing)
  }
  for (const dot of journal.dots) dot.to = movedTo.get(dot.to) ?? dot.to
  const tally = await tallyDeliveries(app.owner, journal, owner.accountId)
  const accepted = journal.dots.filter(({ isAccepted }) => isAccepted).length
  return { ...tally, ...figures, withheld: journal.attempts.length - accepted }
}

/** Waits until the prospect's mail was sent, or is back in the queue or reverted. */
async function waitUntilIdle({ owner }: TestApp, prospectId: string): Promise<void> {
  for (;;) {
    const busy = await owner`
      select from email_sends where prospect_id = ${prospectId} and state in ('claimed', 'dot_pending') limit 1`
    if (busy.count === 0) return
    await sleep(20)
  }
}
