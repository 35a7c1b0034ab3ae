import { currentAccount, type Sql } from '../../kernel/db/database.ts'
import { type LinkedinEntry, type Pair, recordLinkedinDraft } from '../messages/record-linkedin-message.ts'
import { removeLinkedinDraft } from '../messages/write-linkedin-messages.ts'
import { finishSteps } from '../prospects/advance-prospects.ts'
import { completeCampaign } from '../prospects/complete-campaign.ts'
import { type Ending, endTask, type TaskChannel } from './write-tasks.ts'

type FinishedTask = { id: string; prospectId: string; campaignId: string; stepId: string | null }

/** It is over, and its prospect goes on when a step asked for it; false when it was over before. The prospect is locked. */
export async function finishTask(
  tx: Sql,
  { id, prospectId, campaignId, stepId }: FinishedTask,
  ending: Ending,
): Promise<boolean> {
  if (!(await endTask(tx, id, ending))) return false
  if (stepId && (await finishSteps(tx, [prospectId], ending.endedAt))) await completeCampaign(tx, campaignId)
  return true
}

/** The draft of a task was sent: it is a message from now on. The pair is locked. */
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

/** What the rep wrote on LinkedIn itself is the draft that waits to be sent, word by word. Gives its id. */
export async function finishDraftSent(tx: Sql, sent: LinkedinEntry): Promise<string | undefined> {
  const [task] = await tx<{ id: string; linkedinMessageId: string }[]>`
    select t.id, t.linkedin_message_id as "linkedinMessageId"
      from tasks t
     where t.account_id = ${currentAccount(tx)} and t.rep_id = ${sent.repId} and t.status = 'open'
       and t.linkedin_message_id is not null and t.person_id = ${sent.personId}
       and btrim(t.text) = ${sent.text.trim()}
       and t.due_at <= ${sent.happenedAt}::timestamptz + ${CLOCKS_APART}::interval
     order by t.due_at, t.id
     limit 1`
  if (task) await finishDraft(tx, task, sent)
  return task?.linkedinMessageId
}

const CLOCKS_APART = '2 minutes'

/** The rep did on LinkedIn itself what a task asks for: it is completed by that. Tells whether there was one. */
export async function finishTasksDone(
  tx: Sql,
  { repId, personId }: Pair,
  channel: TaskChannel,
  done: { text?: string | undefined; endedAt: Date },
): Promise<boolean> {
  const tasks = await tx<(FinishedTask & { stepId: string })[]>`
    select t.id, t.prospect_id as "prospectId", t.campaign_id as "campaignId", t.step_id as "stepId"
      from prospects r
      join tasks t on t.account_id = r.account_id and t.prospect_id = r.id
     where r.account_id = ${currentAccount(tx)} and r.person_id = ${personId} and t.rep_id = ${repId}
       and t.channel = ${channel} and t.status = 'open' and t.step_id is not null
     order by r.id
       for update of r`
  for (const task of tasks) await finishTask(tx, task, { ...done, status: 'completed' })
  return tasks.length > 0
}
