import type { prospectStatuses } from '../../contract/prospects.ts'
import type { SeedCall } from '../data/calls.ts'
import type { EmailConversation } from '../data/email-conversations.ts'
import type { LinkedinConversation } from '../data/linkedin-conversations.ts'
import type { Invitation } from '../data/linkedin-invitations.ts'
import type { SeedProspect } from './prospects.ts'
import { addMinutes, type SeedContext } from './seed-context.ts'
import { buildSteps, type Step } from './steps.ts'

type AccountHistory = {
  conversations: readonly EmailConversation[]
  linkedin: readonly LinkedinConversation[]
  calls: readonly SeedCall[]
  invitations: readonly Invitation[]
}

/** Status and progress of a prospect, derived from its history so that all lists and statistics agree. */
export type ProspectState = {
  status: (typeof prospectStatuses)[number]
  reason: string | null
  stepsDone: number
  nextStepAt: Date | null
  awayUntil: Date | null
  /** When the state last changed; undefined when nothing has happened. */
  changedAt: Date | undefined
  /** The campaign emails sent to the prospect, oldest first, including one that a server rejected. */
  emails: { step: Step; variantId: string; at: Date }[]
}

/** The states of all prospects, by ID. */
export type ProspectStates = ReadonlyMap<string, ProspectState>

/** Days from the demo's first start to the next step, or the return from an absence. */
const DAYS_TO_NEXT_STEP = 6
/** Number of attempts that a call step makes. */
export const CALL_ATTEMPTS = 2

export function computeProspectState(
  seed: SeedContext,
  prospect: SeedProspect,
  history: AccountHistory,
): ProspectState {
  const { campaign, person } = prospect
  const slug = person[2]
  const steps = buildSteps(seed, campaign)
  const isWithProspect = (conversation: { campaign: string; with: string }) =>
    conversation.campaign === campaign.key && conversation.with === slug
  const turns = history.conversations.filter(isWithProspect).flatMap(conversation => conversation.turns)
  const received = turns.filter(({ type }) => type === 'received')
  const replyTimes = received.filter(({ kind }) => kind !== 'auto_reply').map(({ at }) => seed.at(...at))
  const autoReply = received.find(({ kind }) => kind === 'auto_reply')
  const linkedinReplyTimes = history.linkedin
    .filter(isWithProspect)
    .flatMap(conversation => conversation.turns)
    .filter(({ type }) => type === 'received')
    .map(({ at }) => seed.at(...at))
  const calls = history.calls.filter(call => call.campaign === campaign.key && call.with === slug)
  const refusal = campaign.refused?.[slug]
  const pauseReason = campaign.paused?.[slug]
  const stopTimes = [
    ...[...replyTimes, ...linkedinReplyTimes, ...(autoReply ? [seed.at(...autoReply.at)] : [])].map(at =>
      at.getTime(),
    ),
    ...(prospect.sentAt && (pauseReason || refusal || campaign.bounced?.[slug])
      ? [prospect.sentAt.getTime() + 1]
      : []),
  ]
  const emails = listEmails(seed, prospect, steps, Math.min(...stopTimes))
  const areCallsDone = calls.filter(({ outcome }) => outcome !== 'withdrawn').length === CALL_ATTEMPTS
  const hasAnsweredCall = calls.some(({ outcome }) => outcome === 'answered')
  const invitations = history.invitations.filter(
    invitation => invitation.with === slug && campaign.key === 'linkedin',
  )
  const stepsDone = refusal
    ? 0
    : emails.length +
      (areCallsDone && !hasAnsweredCall ? 1 : 0) +
      invitations.reduce(
        (sum, { invitedAt, messagedAt }) => sum + (invitedAt ? 1 : 0) + (messagedAt ? 1 : 0),
        0,
      )
  const toState = (
    status: ProspectState['status'],
    reason: string | null = null,
    nextStepAt: Date | null = null,
  ): ProspectState => ({
    ...{ status, reason, stepsDone, nextStepAt, emails },
    awayUntil: status === 'out_of_office' ? nextStepAt : null,
    changedAt: [
      ...emails.map(({ at }) => at),
      ...replyTimes,
      ...linkedinReplyTimes,
      ...(autoReply ? [seed.at(...autoReply.at)] : []),
      ...calls.map(({ at }) => seed.at(...at)),
    ]
      .sort((a, b) => Number(a) - Number(b))
      .at(-1),
  })
  const lastEmailAt = emails.at(-1)?.at ?? seed.at(1)
  if (refusal) return toState('bounced', refusal)
  if (campaign.bounced?.[slug]) return toState('bounced', 'hard_bounce')
  if (received.some(({ kind }) => kind === 'unsubscribe')) return toState('opted_out', 'reply')
  if (replyTimes.length + linkedinReplyTimes.length > 0) return toState('replied')
  if (hasAnsweredCall) return toState('replied', 'answered_call')
  if (pauseReason) return toState('paused', pauseReason, addMinutes(lastEmailAt, 10))
  if (stepsDone === steps.length) return toState('completed')
  if (autoReply) return toState('out_of_office', null, seed.at(-DAYS_TO_NEXT_STEP))
  if (invitations.some(({ isOpen }) => isOpen)) return toState('active')
  if (stepsDone > 0) return toState('active', null, seed.at(-DAYS_TO_NEXT_STEP))
  return toState('pending', null, getAddedAt(seed, prospect))
}

/** Returns the time at which the prospect was added to its campaign. */
export const getAddedAt = ({ at }: SeedContext, { campaign, index }: SeedProspect): Date =>
  new Date(at(campaign.createdDaysAgo, '09:50').getTime() + index)

function listEmails(seed: SeedContext, { sentAt, index }: SeedProspect, steps: Step[], stoppedAt: number) {
  if (!sentAt) return []
  const emails: ProspectState['emails'] = []
  let at = sentAt
  for (const step of steps) {
    at = addMinutes(at, step.delayMinutes)
    if (step.channel !== 'email' || at.getTime() >= stoppedAt || at >= seed.at(0)) break
    emails.push({ step, variantId: step.variants[index % step.variants.length]!.id, at })
  }
  return emails
}
