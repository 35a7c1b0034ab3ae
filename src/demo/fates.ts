import type { prospectStatuses } from '../contract/prospects.ts'
import type { CallStory } from './calls.ts'
import type { Prospect } from './cast.ts'
import type { EmailConversation } from './email-conversations.ts'
import type { Invitation } from './invitations.ts'
import type { LinkedinConversation } from './linkedin-conversations.ts'
import { type Step, stepsOf } from './steps.ts'
import { minutesAfter, type Teller } from './teller.ts'

type Told = {
  conversations: readonly EmailConversation[]
  linkedin: readonly LinkedinConversation[]
  calls: readonly CallStory[]
  invitations: readonly Invitation[]
}

/** How far somebody has got in a campaign: it follows from what they did, so that every list says the same of them. */
export type Fate = {
  status: (typeof prospectStatuses)[number]
  reason: string | null
  stepsDone: number
  nextStepAt: Date | null
  awayUntil: Date | null
  /** When it came to that; undefined when nothing has happened. */
  changedAt: Date | undefined
  /** The emails they got, oldest first; of one that a server refused at once, that one. */
  emails: { step: Step; variantId: string; at: Date }[]
}

const AWAY_DAYS = 6
/** How often a call step is tried. */
export const CALL_TRIES = 2

export function tellFate(teller: Teller, prospect: Prospect, told: Told): Fate {
  const { campaign, person } = prospect
  const slug = person[2]
  const steps = stepsOf(teller, campaign)
  const isTheirs = (each: { campaign: string; with: string }) =>
    each.campaign === campaign.key && each.with === slug
  const turns = told.conversations.filter(isTheirs).flatMap(each => each.turns)
  const received = turns.filter(({ type }) => type === 'received')
  const answers = received.filter(({ kind }) => kind !== 'auto_reply').map(({ at }) => teller.at(...at))
  const away = received.find(({ kind }) => kind === 'auto_reply')
  const onLinkedin = told.linkedin
    .filter(isTheirs)
    .flatMap(each => each.turns)
    .filter(({ type }) => type === 'received')
    .map(({ at }) => teller.at(...at))
  const calls = told.calls.filter(call => call.campaign === campaign.key && call.with === slug)
  const isRefused = campaign.refused?.[slug]
  const isPaused = campaign.paused?.[slug]
  const stoppedAt = [
    ...[...answers, ...onLinkedin, ...(away ? [teller.at(...away.at)] : [])].map(at => at.getTime()),
    ...(prospect.writtenAt && (isPaused || isRefused || campaign.bounced?.[slug])
      ? [prospect.writtenAt.getTime() + 1]
      : []),
  ]
  const emails = emailsTo(teller, prospect, steps, Math.min(...stoppedAt))
  const isCalled = calls.filter(({ outcome }) => outcome !== 'withdrawn').length === CALL_TRIES
  const hasAnsweredCall = calls.some(({ outcome }) => outcome === 'answered')
  const invited = told.invitations.filter(each => each.with === slug && campaign.key === 'linkedin')
  const stepsDone = isRefused
    ? 0
    : emails.length +
      (isCalled && !hasAnsweredCall ? 1 : 0) +
      invited.reduce((sum, { invitedAt, messagedAt }) => sum + (invitedAt ? 1 : 0) + (messagedAt ? 1 : 0), 0)
  const is = (
    status: Fate['status'],
    reason: string | null = null,
    nextStepAt: Date | null = null,
  ): Fate => ({
    ...{ status, reason, stepsDone, nextStepAt, emails },
    awayUntil: status === 'out_of_office' ? nextStepAt : null,
    changedAt: [
      ...emails.map(({ at }) => at),
      ...answers,
      ...onLinkedin,
      ...(away ? [teller.at(...away.at)] : []),
      ...calls.map(({ at }) => teller.at(...at)),
    ]
      .sort((a, b) => Number(a) - Number(b))
      .at(-1),
  })
  const last = emails.at(-1)?.at ?? teller.at(1)
  if (isRefused) return is('bounced', isRefused)
  if (campaign.bounced?.[slug]) return is('bounced', 'hard_bounce')
  if (received.some(({ kind }) => kind === 'unsubscribe')) return is('opted_out', 'reply')
  if (answers.length + onLinkedin.length > 0) return is('replied')
  if (hasAnsweredCall) return is('replied', 'answered_call')
  if (isPaused) return is('paused', isPaused, minutesAfter(last, 10))
  if (stepsDone === steps.length) return is('completed')
  if (away) return is('out_of_office', null, teller.at(-AWAY_DAYS))
  if (invited.some(({ isOpen }) => isOpen)) return is('active')
  if (stepsDone > 0) return is('active', null, teller.at(-AWAY_DAYS))
  return is('pending', null, addedAt(teller, prospect))
}

/** When the prospect was added to its campaign. */
export const addedAt = ({ at }: Teller, { campaign, place }: Prospect): Date =>
  new Date(at(campaign.createdDaysAgo, '09:50').getTime() + place)

function emailsTo(teller: Teller, { writtenAt, place }: Prospect, steps: Step[], stoppedAt: number) {
  if (!writtenAt) return []
  const emails: Fate['emails'] = []
  let at = writtenAt
  for (const step of steps) {
    at = minutesAfter(at, step.delayMinutes)
    if (step.channel !== 'email' || at.getTime() >= stoppedAt || at >= teller.at(0)) break
    emails.push({ step, variantId: step.variants[place % step.variants.length]!.id, at })
  }
  return emails
}
