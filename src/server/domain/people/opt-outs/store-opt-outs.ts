import { randomUUIDv7 } from 'node:crypto'
import type { optOutSources } from '../../../../contract/dnc.ts'
import type { Fragment } from '../../../kernel/db/database.ts'
import type { OptOutIdentifier } from '../../../protocols/identity/opt-out-identifier.ts'
import { hashIdentifier, type OptOutList } from './erased-identifiers.ts'

/** The origin of an entry. */
export type OptOutSource = (typeof optOutSources)[number]

/** The ways in which a person can ask to opt out. */
export type OptOutRequestSource = 'reply' | 'complaint' | 'unsubscribe_link' | 'unsubscribe_mail' | 'call'

export type NewOptOut = OptOutIdentifier & { name?: string | undefined }

/**
 * Adds entries to the list; returns the number added. Existing entries don't change, except that any other source
 * replaces a bounce: a bounce blocks only the address; every other source blocks the person.
 */
export async function storeOptOuts(
  list: OptOutList,
  entries: readonly NewOptOut[],
  {
    source,
    emailMessageId,
    addedById,
  }: {
    source: OptOutSource
    /** Our message that caused the entry, if any. */
    emailMessageId?: string | undefined
    /** The user who adds the entries, if any. */
    addedById?: string
  },
): Promise<number> {
  const { sql, accountId } = list
  await sql`select pg_advisory_xact_lock_shared(${lockKey(list)})`
  // Inserts in a fixed order, so that concurrent requests with the same entries can't deadlock. The identifiers of an
  // erased person must not be stored again.
  const { count } = await sql`
    insert into opt_outs (account_id, id, kind, value, name, source, email_message_id, added_by_id)
    select ${accountId}, o.id, o.kind, o.value, o.name, ${source}, ${emailMessageId ?? null}, ${addedById ?? null}
      from (${selectEntries(list, entries)}) o
     where not exists (select from opt_outs e
                        where e.account_id = ${accountId} and e.kind = o.kind and e.value = o.hash)
     order by o.kind, o.value
    on conflict (account_id, kind, value) do nothing`
  // Runs after the insert, which waits for transactions that add the same entries as bounces.
  if (source !== 'bounce')
    await sql`
      update opt_outs
         set source = ${source}, email_message_id = ${emailMessageId ?? null}, added_by_id = ${addedById ?? null},
             updated_at = now()
       where account_id = ${accountId} and source = 'bounce'
         and id = any(array(
               select e.id
                 from (${selectEntries(list, entries)}) o
                cross join lateral (
                       select id from opt_outs
                        where account_id = ${accountId} and kind = o.kind and value in (o.value, o.hash)
                       offset 0) e))`
  return count
}

/**
 * Returns the key of the lock that erasures hold exclusively and additions share, until their transactions end: while
 * an erasure isn't committed, additions can't see its hashes.
 */
const lockKey = ({ sql, accountId }: OptOutList): Fragment =>
  sql`hashtextextended(${`opt-outs ${accountId}`}, 0)`

/** Makes additions wait, and waits for those in progress, until the transaction ends. */
export const lockOptOuts = (list: OptOutList) => list.sql`select pg_advisory_xact_lock(${lockKey(list)})`

/** Deletes an entry; returns its ID, or undefined if there was none. */
export async function deleteOptOut(
  { sql, accountId, app }: OptOutList,
  { kind, value }: Pick<OptOutIdentifier, 'kind' | 'value'>,
): Promise<string | undefined> {
  const hash = hashIdentifier(sql, app, {
    accountId: sql`${accountId}::uuid`,
    kind: sql`${kind}`,
    value: sql`${value}`,
  })
  const [removed] = await sql<{ id: string }[]>`
    delete from opt_outs
     where account_id = ${accountId} and kind = ${kind} and value in (${value}, (select ${hash}))
    returning id`
  return removed?.id
}

/**
 * Replaces a person's entries with hashes, and adds missing ones: the hashes can't be reversed, but still block the
 * same identifiers. An entry keeps its ID and, unless it was a bounce, the message that caused it and its source.
 */
export async function hashOptOuts(list: OptOutList, entries: readonly OptOutIdentifier[]): Promise<void> {
  const { sql, accountId } = list
  const given = sql`(${selectEntries(list, entries)}) o`
  await sql`
    update opt_outs e
       set value = o.hash, name = null, updated_at = now(),
           source = case source when 'bounce' then 'erasure' else source end,
           email_message_id = case when source <> 'bounce' then email_message_id end
      from ${given}
     where e.account_id = ${accountId} and e.kind = o.kind and e.value = o.value and o.hash is not null
       and not exists (select from opt_outs h
                        where h.account_id = ${accountId} and h.kind = o.kind and h.value = o.hash)`
  await sql`
    insert into opt_outs (account_id, id, kind, value, source)
    select ${accountId}, o.id, o.kind, o.hash, 'erasure'
      from ${given}
     where o.hash is not null
     order by o.kind, o.hash
    on conflict (account_id, kind, value) do nothing`
  // The hash of a number also covers its entries for text messages.
  await sql`
    delete from opt_outs e
     using ${given}
     where e.account_id = ${accountId} and e.value = o.value
       and (e.kind = o.kind or o.kind = 'phone' and e.kind in ('sms', 'whatsapp'))`
}

/** Selects new rows for these entries, each with the hash that replaces it after an erasure. */
function selectEntries({ sql, accountId, app }: OptOutList, entries: readonly NewOptOut[]): Fragment {
  const rows = entries.map(({ kind, value, name }) => ({
    id: randomUUIDv7(),
    kind,
    value,
    name: name ?? null,
  }))
  const hash = hashIdentifier(sql, app, {
    accountId: sql`${accountId}::uuid`,
    kind: sql`kind`,
    value: sql`value`,
  })
  return sql`
    select id, kind, value, name, ${hash} as hash
      from jsonb_to_recordset(${sql.json(rows)}) as given(id uuid, kind text, value text, name text)
    offset 0`
}
