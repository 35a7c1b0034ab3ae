import { randomUUIDv7 } from 'node:crypto'
import type { Input, Output } from '../../../contract/index.ts'
import { currentAccount, type Sql, toJsonRows } from '../../kernel/db/database.ts'

// All writes to tasks are in this file, except the trigger that cancels the tasks of stopped prospects.

export type TaskChannel = Output<'getTask'>['channel']

export type NewTask = {
  id: string
  repId: string
  campaignId: string
  prospectId: string
  personId: string
  stepId: string
  variantId: string | null
  channel: TaskChannel
  text: string | null
  status: 'open' | 'skipped'
  statusReason: string | null
}

/** Creates tasks, or reopens cancelled ones under their old ID. Returns the IDs of the tasks created or reopened. */
export async function insertTasks(tx: Sql, tasks: readonly NewTask[], now: Date): Promise<string[]> {
  const rows = await tx<{ id: string }[]>`
    insert into tasks as t (account_id, id, rep_id, campaign_id, prospect_id, person_id, step_id, variant_id, channel, text,
                            status, status_reason, due_at, ended_at)
    select ${currentAccount(tx)}, id, "repId", "campaignId", "prospectId", "personId", "stepId", "variantId", channel, text,
           status, "statusReason", ${now}, case when status <> 'open' then ${now}::timestamptz end
      from jsonb_to_recordset(${toJsonRows(tasks)}::text::jsonb)
           n(id uuid, "repId" uuid, "campaignId" uuid, "prospectId" uuid, "personId" uuid, "stepId" uuid, "variantId" uuid,
             channel text, text text, status text, "statusReason" text)
    on conflict (account_id, prospect_id, step_id) do update
       set rep_id = excluded.rep_id, variant_id = excluded.variant_id, channel = excluded.channel, text = excluded.text,
           status = excluded.status, status_reason = excluded.status_reason, due_at = excluded.due_at,
           ended_at = excluded.ended_at, updated_at = now()
     where t.status = 'cancelled'
    returning t.id`
  return rows.map(({ id }) => id)
}

type NewDraftTask = {
  linkedinMessageId: string
  repId: string
  campaignId: string
  prospectId: string
  personId: string
  text: string
}

/** Creates the task to send a draft and returns its ID; undefined when the draft already has an open task. */
export async function insertDraftTask(tx: Sql, draft: NewDraftTask, now: Date): Promise<string | undefined> {
  const [task] = await tx<{ id: string }[]>`
    insert into tasks (account_id, id, rep_id, campaign_id, prospect_id, person_id, linkedin_message_id, channel, text,
                       due_at)
    values (${currentAccount(tx)}, ${randomUUIDv7()}, ${draft.repId}, ${draft.campaignId}, ${draft.prospectId},
            ${draft.personId}, ${draft.linkedinMessageId}, 'linkedin_message', ${draft.text}, ${now})
    on conflict (account_id, linkedin_message_id) where linkedin_message_id is not null and status = 'open' do nothing
    returning id`
  return task?.id
}

type NewUserTask = {
  repId: string
  campaignId: string | null
  prospectId: string | null
  personId: string
} & Pick<Input<'createTask'>, 'channel' | 'title' | 'text' | 'dueAt'>

export async function insertUserTask(tx: Sql, task: NewUserTask): Promise<string> {
  const id = randomUUIDv7()
  await tx`
    insert into tasks (account_id, id, rep_id, campaign_id, prospect_id, person_id, channel, title, text, due_at)
    values (${currentAccount(tx)}, ${id}, ${task.repId}, ${task.campaignId}, ${task.prospectId}, ${task.personId},
            ${task.channel}, ${task.title}, ${task.text ?? null}, ${task.dueAt})`
  return id
}

export type TaskChanges = Omit<Input<'updateTask'>, 'taskId' | 'status'>

export const reopenTask = (tx: Sql, id: string) => tx`
  update tasks set status = 'open', status_reason = null, ended_at = null, updated_at = now()
   where account_id = ${currentAccount(tx)} and id = ${id}`

/** Changes an open task; null clears its text. */
export const changeTask = (tx: Sql, id: string, { title, text, dueAt, repId }: TaskChanges) => tx`
  update tasks
     set title = coalesce(${title ?? null}, title), text = ${text === undefined ? tx`text` : text},
         due_at = coalesce(${dueAt ?? null}, due_at), rep_id = coalesce(${repId ?? null}, rep_id), updated_at = now()
   where account_id = ${currentAccount(tx)} and id = ${id} and status = 'open'`

export type TaskResult = {
  status: 'completed' | 'skipped' | 'cancelled'
  reason?: string | undefined
  text?: string | undefined
  /** Set when the sent message was already recorded under another ID; replaces the draft in the task. */
  linkedinMessageId?: string
  endedAt: Date
}

/** Ends an open task; returns false if it had already ended. */
export async function endTask(
  tx: Sql,
  id: string,
  { status, reason, text, linkedinMessageId, endedAt }: TaskResult,
): Promise<boolean> {
  const { count } = await tx`
    update tasks
       set status = ${status}, status_reason = ${reason ?? null}, text = coalesce(${text ?? null}, text),
           linkedin_message_id = coalesce(${linkedinMessageId ?? null}, linkedin_message_id), ended_at = ${endedAt},
           updated_at = now()
     where account_id = ${currentAccount(tx)} and id = ${id} and status = 'open'`
  return count > 0
}

/**
 * Deletes a campaign's open tasks, except those of `keptRepIds` and those that may have been sent, and records
 * `task.cancelled` events. Returns their prospects' IDs.
 */
export async function deleteOpenTasks(
  tx: Sql,
  campaignId: string,
  keptRepIds: readonly string[] = [],
): Promise<string[]> {
  const rows = await tx<{ id: string; prospectId: string }[]>`
    delete from tasks
     where account_id = ${currentAccount(tx)} and campaign_id = ${campaignId} and status = 'open' and step_id is not null
       and rep_id <> all(${[...keptRepIds]}::uuid[])
       and not exists (select from linkedin_sends e
                        where e.account_id = tasks.account_id and e.task_id = tasks.id
                          and e.state in ('claimed', 'unconfirmed'))
    returning id, prospect_id as "prospectId"`
  if (rows.length > 0)
    await tx`select announce(${currentAccount(tx)}, 'task.cancelled', ${rows.map(({ id }) => id)}::uuid[])`
  return rows.map(({ prospectId }) => prospectId).sort()
}

/** Sets the reason of open tasks, which shows the rep why an automatic attempt did not complete them. */
export async function setTaskReason(tx: Sql, ids: readonly string[], reason: string): Promise<void> {
  await tx`
    update tasks set status_reason = ${reason}, updated_at = now()
     where account_id = ${currentAccount(tx)} and id = any(${[...ids]}::uuid[]) and status = 'open'`
}
