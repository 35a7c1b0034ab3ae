import { randomUUIDv7 } from 'node:crypto'
import type { Context } from '../../../kernel/context.ts'
import type { OptOutIdentifier } from '../../../protocols/identity/opt-out-identifier.ts'

/** Who or what puts an entry on the list. */
export type OptOutSource = 'api' | 'cli' | 'import' | 'bounce' | OwnAct

/** By what a person themselves said that they want no more. */
export type OwnAct = 'reply' | 'complaint' | 'unsubscribe_link' | 'unsubscribe_mail' | 'call'

export type NewOptOut = OptOutIdentifier & { name?: string | undefined }

/** Puts entries on the list, each once however often it comes; tells how many were not there before. */
export async function storeOptOuts(
  { sql, accountId }: Pick<Context, 'sql' | 'accountId'>,
  entries: readonly NewOptOut[],
  source: OptOutSource,
  /** The message of ours that they answer to, where there is one. */
  emailMessageId?: string,
): Promise<number> {
  const rows = entries.map(({ kind, value, name }) => ({
    id: randomUUIDv7(),
    kind,
    value,
    name: name ?? null,
  }))
  // Always in the same order, so that two requests with the same entries cannot wait for each other.
  const { count } = await sql`
    insert into opt_outs (account_id, id, kind, value, name, source, email_message_id)
    select ${accountId}, o.id, o.kind, o.value, o.name, ${source}, ${emailMessageId ?? null}
      from jsonb_to_recordset(${sql.json(rows)}) as o(id uuid, kind text, value text, name text)
     order by o.kind, o.value
    on conflict (account_id, kind, value) do nothing`
  return count
}

/** Takes an entry off the list; returns its id, undefined when there was none. */
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
