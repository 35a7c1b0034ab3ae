import type { Context } from '../../kernel/context.ts'
import { conflict } from '../../kernel/errors.ts'

const LOCK_NOT_AVAILABLE = '55P03'

/**
 * Locks the rows that a merge changes, and all conversations of the persons, because a reply during the merge must stop
 * the sequences of all of them. Doesn't wait for locks, because workers take them in a different order. A claimed send
 * can't pass the gate until the merge is committed; the gate then reads the merged prospect. Throws a conflict if a
 * worker holds a lock on one of the rows, or if a message or call is in progress.
 */
export async function lockRecords(
  { sql, accountId }: Context,
  personId: string,
  duplicateIds: readonly string[],
): Promise<void> {
  const all = sql`account_id = ${accountId} and person_id = any(${[personId, ...duplicateIds]}::uuid[])`
  const byDuplicates = sql`account_id = ${accountId} and person_id = any(${[...duplicateIds]}::uuid[])`
  try {
    const prospects = await sql<{ id: string }[]>`select id from prospects where ${all} for update nowait`
    const ids = prospects.map(({ id }) => id)
    await sql`
      select from email_threads
       where account_id = ${accountId} and prospect_id = any(${ids}::uuid[]) for update nowait`
    await sql`select from email_threads where prospect_id is null and ${all} for update nowait`
    await sql`select from linkedin_conversations where ${all} for update nowait`
    for (const table of ['call_requests', 'conversations', 'notes', 'meetings'])
      await sql`select from ${sql.identifier(table)} where ${byDuplicates} for update nowait`
    const sends = await sql<{ state: string }[]>`
      select state from email_sends
       where account_id = ${accountId} and prospect_id = any(${ids}::uuid[])
         and state in ('queued', 'claimed', 'dot_pending')
         for update nowait`
    const calls = await sql<{ status: string }[]>`select status from calls where ${all} for update nowait`
    const tasks = await sql<{ id: string }[]>`select id from tasks where ${all} for update nowait`
    const linkedinSends = await sql<{ isRequested: boolean }[]>`
      select requested_at is not null as "isRequested" from linkedin_sends
       where account_id = ${accountId} and task_id = any(${tasks.map(({ id }) => id)}::uuid[])
         and state in ('queued', 'claimed')
         for update nowait`
    const isInProgress =
      sends.some(({ state }) => state === 'dot_pending') ||
      calls.some(({ status }) => status === 'dialing' || status === 'in_progress') ||
      linkedinSends.some(({ isRequested }) => isRequested)
    if (isInProgress) throw busy()
  } catch (error) {
    if ((error as { code?: string }).code === LOCK_NOT_AVAILABLE) throw busy()
    throw error
  }
}

const busy = () =>
  conflict('A message or call to one of these persons is in progress. Try again in a few seconds.')
