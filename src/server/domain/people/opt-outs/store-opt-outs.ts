import { randomUUIDv7 } from 'node:crypto'
import type { Context } from '../../../kernel/context.ts'
import type { OptOutIdentifier } from '../../../protocols/identity/opt-out-identifier.ts'

/** The origin of an entry. */
export type OptOutSource = 'api' | 'cli' | 'import' | 'bounce' | OptOutRequestSource

/** The ways in which a person can ask to opt out. */
export type OptOutRequestSource = 'reply' | 'complaint' | 'unsubscribe_link' | 'unsubscribe_mail' | 'call'

export type NewOptOut = OptOutIdentifier & { name?: string | undefined }

/** Adds entries to the list, ignoring those that exist; returns the number added. */
export async function storeOptOuts(
  { sql, accountId }: Pick<Context, 'sql' | 'accountId'>,
  entries: readonly NewOptOut[],
  source: OptOutSource,
  /** Our message that caused the entry, if any. */
  emailMessageId?: string,
): Promise<number> {
  const rows = entries.map(({ kind, value, name }) => ({
    id: randomUUIDv7(),
    kind,
    value,
    name: name ?? null,
  }))
  // In a fixed order, so that concurrent requests with the same entries can't deadlock.
  const { count } = await sql`
    insert into opt_outs (account_id, id, kind, value, name, source, email_message_id)
    select ${accountId}, o.id, o.kind, o.value, o.name, ${source}, ${emailMessageId ?? null}
      from jsonb_to_recordset(${sql.json(rows)}) as o(id uuid, kind text, value text, name text)
     order by o.kind, o.value
    on conflict (account_id, kind, value) do nothing`
  return count
}

/** Deletes an entry; returns its id, undefined when there was none. */
export async function deleteOptOut(
  { sql, accountId }: Pick<Context, 'sql' | 'accountId'>,
  { kind, value }: Pick<OptOutIdentifier, 'kind' | 'value'>,
): Promise<string | undefined> {
  const [removed] = await sql<{ id: string }[]>`
    delete from opt_outs
     where account_id = ${accountId} and kind = ${kind} and value = ${value}
    returning id`
  return removed?.id
}
