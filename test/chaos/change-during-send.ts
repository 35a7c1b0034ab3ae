import { setTimeout as sleep } from 'node:timers/promises'
import { openEngine } from '../../src/server/engine/loop.ts'
import { AppError } from '../../src/server/kernel/errors.ts'
import type { TestApp } from '../support/app.ts'
import { makeMailCampaign } from '../support/mail/mail-campaign.ts'
import { Journal } from './journal.ts'
import { openCommandRaces, pauseAtFailpoints, waitForSends } from './race-at-commands.ts'
import { type Tally, tallyDeliveries } from './tally-deliveries.ts'
import { openClock, waitUntilIdle } from './wait-until-idle.ts'

export type ChangeFigures = Tally & {
  races: number
  /** Prospects that were stopped before they finished. */
  stopped: number
  /** People who were merged into another person. */
  merged: number
  /** Emails that changes reported as in flight. */
  inFlight: number
  /** Email transfers that the gate withheld. */
  withheld: number
}

/**
 * Pauses prospects, stops prospects and changes people's addresses (or merges people) while their emails are sent. Each
 * change starts while the email is at a random SMTP command. Both sides pause at random failpoints. `late` counts
 * the emails sent to the original address after the response to the change, minus those that the response reported as
 * in flight. After a pause, `late` counts emails only until the prospect is resumed.
 */
export async function raceChanges(
  app: TestApp,
  {
    emailCount,
    servers = 8,
    isMerging = false,
    random,
  }: { emailCount: number; servers?: number; isMerging?: boolean; random: () => number },
): Promise<ChangeFigures> {
  using journal = new Journal()
  await using races = await openCommandRaces(journal, { servers, random })
  const figures = { races: 0, stopped: 0, merged: 0, inFlight: 0, late: 0 }
  const movedTo = new Map<string, string>()
  const { owner, emails, prospects } = await makeMailCampaign(app, races.peers, emailCount)
  const ids = new Map(
    (await prospects()).map(({ id, personId, person }) => [person!.email!, { id, personId }]),
  )
  const countLate = (email: string, since: number, inFlight: number) => {
    const left = journal.dots.filter(({ to, at, isAccepted }) => to === email && isAccepted && at > since)
    return Math.max(0, left.length - inFlight)
  }
  // Each of these makes a change and returns how many emails it reported as in flight.
  const pause = async (email: string) => {
    const { inFlight } = await owner.call('pauseProspect', { prospectId: ids.get(email)!.id })
    return inFlight
  }
  const move = async (email: string) => {
    const { personId } = ids.get(email)!
    const newEmail = `new-${email}`
    const { inFlight = 0 } = await owner.call('updatePerson', { personId, email: newEmail })
    movedTo.set(email, newEmail)
    return inFlight
  }
  /** Merges the person into a new person who does not belong to any campaign. */
  const merge = async (email: string) => {
    const newEmail = `merged-${email}`
    const { id: personId } = await owner.call('createPerson', { email: newEmail })
    await owner.call('mergePersons', { personId, duplicateIds: [ids.get(email)!.personId] })
    movedTo.set(email, newEmail)
    figures.merged += 1
    return 0
  }
  const stop = async (email: string) => {
    const prospectIds = [ids.get(email)!.id]
    const { stopped, inFlight } = await owner.call('stopProspects', { prospectIds })
    figures.stopped += stopped
    return inFlight
  }
  const changes = isMerging ? [merge] : [pause, move, stop]
  const change = async (email: string, acknowledge: () => void) => {
    await sleep(random() ** 2 * 50)
    const makeChange = changes[Math.floor(random() * changes.length)]!
    // A conflict: the email was already sent, or was being sent during the merge.
    const inFlight = await makeChange(email).catch(ignoreConflict)
    if (inFlight === undefined) return
    const answeredAt = performance.now()
    acknowledge()
    figures.races += 1
    figures.inFlight += inFlight
    const { id: prospectId } = ids.get(email)!
    await waitForSends(app, app.owner`prospect_id = ${prospectId}`)
    figures.late += countLate(email, answeredAt, inFlight)
    // A conflict: the email was in flight, so the prospect has finished.
    if (makeChange === pause) await owner.call('resumeProspect', { prospectId }).catch(ignoreConflict)
  }
  races.draw(emails, change)
  using _pauses = pauseAtFailpoints(random, races.held)
  {
    const clock = openClock()
    await using _one = openEngine({ ...app, now: clock.now })
    await using _two = openEngine({ ...app, now: clock.now })
    await waitUntilIdle(app, [owner.accountId], clock, races.held)
    await races.finish()
  }
  for (const dot of journal.dots) dot.to = movedTo.get(dot.to) ?? dot.to
  const tally = await tallyDeliveries(app.owner, journal, owner.accountId)
  const accepted = journal.dots.filter(({ isAccepted }) => isAccepted).length
  return { ...tally, ...figures, withheld: journal.attempts.length - accepted }
}

function ignoreConflict(error: unknown): undefined {
  if (!(error instanceof AppError && error.code === 'Conflict')) throw error
}
