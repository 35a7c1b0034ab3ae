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
  const pause = async (email: string) => {
    const { id: prospectId } = ids.get(email)!
    const { inFlight } = await owner.call('pauseProspect', { prospectId })
    const answeredAt = performance.now()
    await waitForSends(app, app.owner`prospect_id = ${prospectId}`)
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
    await waitForSends(app, app.owner`prospect_id = ${prospectId}`)
    figures.late += countLate(email, answeredAt, inFlight)
    return inFlight
  }
  /** Merges the person into a new person who does not belong to any campaign. */
  const merge = async (email: string) => {
    const { id: prospectId, personId: duplicateId } = ids.get(email)!
    const newEmail = `merged-${email}`
    const { id: personId } = await owner.call('createPerson', { email: newEmail })
    await owner.call('mergePersons', { personId, duplicateIds: [duplicateId] })
    const answeredAt = performance.now()
    movedTo.set(email, newEmail)
    figures.merged += 1
    await waitForSends(app, app.owner`prospect_id = ${prospectId}`)
    figures.late += countLate(email, answeredAt, 0)
    return 0
  }
  const stop = async (email: string) => {
    const { id: prospectId } = ids.get(email)!
    const { stopped, inFlight } = await owner.call('stopProspects', { prospectIds: [prospectId] })
    const answeredAt = performance.now()
    await waitForSends(app, app.owner`prospect_id = ${prospectId}`)
    figures.late += countLate(email, answeredAt, inFlight)
    figures.stopped += stopped
    return inFlight
  }
  const changes = isMerging ? [merge] : [pause, move, stop]
  const change = async (email: string) => {
    await sleep(random() ** 2 * 50)
    try {
      const inFlight = await changes[Math.floor(random() * changes.length)]!(email)
      figures.races += 1
      figures.inFlight += inFlight
    } catch (error) {
      // The email was already sent, or was being sent during the merge.
      if (!(error instanceof AppError && error.code === 'Conflict')) throw error
    }
  }
  races.draw(emails, change)
  using _pauses = pauseAtFailpoints(random)
  {
    const clock = openClock()
    await using _one = openEngine({ ...app, now: clock.now })
    await using _two = openEngine({ ...app, now: clock.now })
    await waitUntilIdle(app, [owner.accountId], clock)
    await races.finish()
  }
  for (const dot of journal.dots) dot.to = movedTo.get(dot.to) ?? dot.to
  const tally = await tallyDeliveries(app.owner, journal, owner.accountId)
  const accepted = journal.dots.filter(({ isAccepted }) => isAccepted).length
  return { ...tally, ...figures, withheld: journal.attempts.length - accepted }
}
