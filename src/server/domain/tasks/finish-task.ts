import { currentAccount, type Fragment, type Sql } from '../../kernel/db/database.ts'
import {
  type ConversationPair,
  type LinkedinEntry,
  recordLinkedinDraft,
} from '../messages/record-linkedin-message.ts'
import { removeLinkedinDraft } from '../messages/write-linkedin-messages.ts'
import { finishSteps } from '../prospects/advance-prospects.ts'
import { completeCampaign } from '../prospects/complete-campaign.ts'
import { endTask, type TaskChannel, type TaskResult } from './write-tasks.ts'

type FinishedTask = { id: string } & (
  | { stepId: null }
  | { stepId: string; prospectId: string; campaignId: string }
)

/**
 * Ends the task, and advances its prospect if it belongs to a step. Returns false when the task had already ended. The
 * caller must hold the lock on the prospect.
 */
export async function finishTask(tx: Sql, task: FinishedTask, result: TaskResult): Promise<boolean> {
  if (!(await endTask(tx, task.id, result))) return false
  if (task.stepId && (await finishSteps(tx, [task.prospectId], result.endedAt)))
    await completeCampaign(tx, task.campaignId)
  return true
}

/**
 * Completes the task of a draft that was sent, and turns the draft into a message. The caller must hold the lock
 * on the pair.
 */
export async function finishDraft(
  tx: Sql,
  { id, linkedinMessageId: draftId }: { id: string; linkedinMessageId: string },
  sent: Omit<LinkedinEntry, 'type' | 'isUnread'>,
): Promise<void> {
  const linkedinMessageId = await recordLinkedinDraft(tx, draftId, sent)
  const { text, happenedAt: endedAt } = sent
  await endTask(tx, id, { status: 'completed', text, linkedinMessageId, endedAt })
  if (linkedinMessageId !== draftId) await removeLinkedinDraft(tx, draftId)
}

/** Completes the draft whose text the rep sent directly on LinkedIn. Returns the draft's ID. */
export async function finishMatchingDraft(tx: Sql, sent: LinkedinEntry): Promise<string | undefined> {
  const [task] = await tx<{ id: string; linkedinMessageId: string }[]>`
    select t.id, t.linkedin_message_id as "linkedinMessageId"
      from tasks t
     where t.account_id = ${currentAccount(tx)} and t.rep_id = ${sent.repId} and t.status = 'open'
       and t.linkedin_message_id is not null and t.person_id = ${sent.personId}
       and btrim(t.text) = ${sent.text.trim()}
       and t.due_at <= ${sent.happenedAt}::timestamptz + ${MAX_CLOCK_SKEW}::interval
     order by t.due_at, t.id
     limit 1`
  if (task) await finishDraft(tx, task, sent)
  return task?.linkedinMessageId
}

const MAX_CLOCK_SKEW = '2 minutes'

/**
 * Completes the task of a step that the rep did by sending this message directly on LinkedIn: the one with its text, or
 * else the one due first. Tasks created after the message was sent stay open. Returns whether there was a task.
 */
export async function finishMatchingTask(tx: Sql, sent: LinkedinEntry, endedAt: Date): Promise<boolean> {
  const { text, happenedAt } = sent
  const [task] = await tx<FinishedTask[]>`
    ${selectOpenSteps(tx, sent, 'linkedin_message')}
       and t.created_at <= ${happenedAt}::timestamptz + ${MAX_CLOCK_SKEW}::interval
     order by btrim(t.text) = ${text.trim()} desc nulls last, t.due_at, t.id
     limit 1
       for update of r`
  if (task) await finishTask(tx, task, { status: 'completed', text, endedAt })
  return task !== undefined
}

/** Completes the open invitations of a pair that is now connected. */
export async function finishInvitations(tx: Sql, pair: ConversationPair, endedAt: Date): Promise<void> {
  const tasks = await tx<FinishedTask[]>`
    ${selectOpenSteps(tx, pair, 'linkedin_connect')}
     order by r.id
       for update of r`
  for (const task of tasks) await finishTask(tx, task, { status: 'completed', endedAt })
}

const selectOpenSteps = (
  tx: Sql,
  { repId, personId }: ConversationPair,
  channel: TaskChannel,
): Fragment => tx`
    select t.id, t.prospect_id as "prospectId", t.campaign_id as "campaignId", t.step_id as "stepId"
      from prospects r
      join tasks t on t.account_id = r.account_id and t.prospect_id = r.id
     where r.account_id = ${currentAccount(tx)} and r.person_id = ${personId} and t.rep_id = ${repId}
       and t.channel = ${channel} and t.status = 'open' and t.step_id is not null`
