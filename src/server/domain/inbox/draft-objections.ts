import type { Fragment, Sql } from '../../kernel/db/database.ts'
import type { JsonFields } from '../../kernel/db/json-object.ts'
import { conflict, type ErrorDetail } from '../../kernel/errors.ts'
import { selectEmailPersonId } from '../people/persons/person-emails.ts'
import type { Writer } from './reply-draft.ts'

/** Objections that the caller overrules in advance, by input field. */
export type AcceptedObjections = { force?: boolean | undefined; allowNewRecipients?: boolean | undefined }

/** A reason not to send a draft, which the caller may overrule with the input field `path`. */
export type Objection = ErrorDetail & { path: keyof AcceptedObjections }

export const findUnaccepted = (objections: readonly Objection[], accepted: AcceptedObjections): Objection[] =>
  objections.filter(({ path }) => !accepted[path])

export function formatObjections(objections: readonly Objection[]): string {
  const flags = objections.map(({ path }) => `\`${path}\``).join(' and ')
  return `${objections.map(({ message }) => message).join(' ')} Set ${flags} to true to send the draft anyway.`
}

export const toObjectionConflict = (objections: Objection[]) =>
  conflict(formatObjections(objections), objections)

const toNewerMessageObjection = ({ name, at }: { name: string; at: Date }): Objection => ({
  path: 'force',
  message: `${name} replied at ${at.toISOString()}, after this draft was started.`,
})

/** Selects the IDs of the other drafts in the thread of draft `m`, newest first; null when there are none. */
const selectOtherDraftIds = (sql: Sql): Fragment => sql`
  (select json_agg(o.id order by o.sent_at desc, o.id desc)
     from (select id, sent_at
             from email_messages
            where account_id = m.account_id and thread_id = m.thread_id and status = 'draft' and id <> m.id
            order by sent_at desc, id desc
            limit 100) o)`

/**
 * Selects the recipients of draft `m` that are not part of its thread: not a sender, recipient or Reply-To address of
 * any of its emails, and not the person's address. Null when there are none, or when the draft is the first email of
 * its thread: its sender chose all recipients.
 */
const selectNewRecipients = (sql: Sql): Fragment => sql`
  (select json_agg(own.email order by own.email)
     from (select distinct email #>> '{}' as email
             from jsonb_path_query(m.recipients, '$.*[*].email') email) own
    where exists (select from email_messages
                   where account_id = m.account_id and thread_id = m.thread_id and status = 'sent')
      and lower(own.email) not in (
            select lower(known.email)
              from (select account_id, sender, recipients, reply_to
                      from email_messages
                     where account_id = m.account_id and thread_id = m.thread_id and status = 'sent') o
             cross join lateral (
                     select o.sender ->> 'email' as email
                     union all
                     select jsonb_path_query(o.recipients, '$.*[*].email') #>> '{}'
                     union all
                     select jsonb_path_query(o.reply_to, '$[*].email') #>> '{}') known
             where known.email is not null)
      and lower(own.email) is distinct from (
            select lower(p.email)
              from persons p
             where p.account_id = m.account_id and p.id = ${selectEmailPersonId(sql)}))`

/** Selects the sender and time of our last message in the thread of draft `m` since the draft was started. */
const selectNewerMessage = (sql: Sql): Fragment => sql`
  select o.sender ->> 'name' as name, coalesce(o.thread_seen_at, o.sent_at) as at
    from email_messages o
   where o.account_id = m.account_id and o.thread_id = m.thread_id and o.id <> m.id and o.type <> 'received'
     and (o.status = 'sent' or o.delivery_status = 'unconfirmed'
          or o.status = 'draft' and o.delivery_status in ('queued', 'sending'))
     and coalesce(o.thread_seen_at, o.sent_at) > coalesce(m.thread_seen_at, m.sent_at)
   order by at desc
   limit 1`

/**
 * Builds the JSON field that marks draft `m` as outdated when its thread has a newer message from us; null for other
 * messages.
 */
export const isOutdatedField = (sql: Sql): JsonFields => ({
  isOutdated: sql`case when m.status = 'draft' then nullif(exists (${selectNewerMessage(sql)}), false) end`,
})

/** Builds the JSON fields of draft `m` that matter when it is sent; null for other messages. Reads the whole thread. */
export const emailDraftFields = (sql: Sql): JsonFields => ({
  ...isOutdatedField(sql),
  otherDraftIds: sql`case when m.status = 'draft' then ${selectOtherDraftIds(sql)} end`,
  newRecipients: sql`case when m.status = 'draft' then ${selectNewRecipients(sql)} end`,
})

export const linkedinDraftFields = (sql: Sql): JsonFields => ({
  otherDraftIds: sql`case when m.status = 'draft' then (
    select json_agg(o.id order by o.happened_at desc, o.id desc)
      from (select id, happened_at
              from linkedin_messages
             where account_id = m.account_id and conversation_record_id = m.conversation_record_id
               and status = 'draft' and id <> m.id
             order by happened_at desc, id desc
             limit 100) o) end`,
})

/**
 * Finds the objections to sending an email draft. Requires a lock on the thread, so that the second of two drafts that
 * are sent concurrently sees the first.
 */
export async function findEmailObjections(
  { sql, accountId }: Pick<Writer, 'sql' | 'accountId'>,
  draftId: string,
): Promise<Objection[]> {
  const [found] = await sql<{ name: string | null; at: Date | null; newRecipients: string[] | null }[]>`
    select newer.name, newer.at, ${selectNewRecipients(sql)} as "newRecipients"
      from email_messages m
      left join lateral (${selectNewerMessage(sql)}) newer on true
     where m.account_id = ${accountId} and m.id = ${draftId}`
  const recipients = found?.newRecipients ?? []
  return [
    ...(found?.at ? [toNewerMessageObjection({ name: found.name ?? 'Somebody', at: found.at })] : []),
    ...(recipients.length > 0 ? [toNewRecipientsObjection(recipients)] : []),
  ]
}

const toNewRecipientsObjection = (emails: string[]): Objection => ({
  path: 'allowNewRecipients',
  message: `${emails.join(', ')} ${emails.length === 1 ? 'is' : 'are'} not part of this thread.`,
})

/** Finds the objections to sending a LinkedIn draft. Requires `lockPair`. */
export async function findLinkedinObjections(
  { sql, accountId }: Pick<Writer, 'sql' | 'accountId'>,
  draftId: string,
): Promise<Objection[]> {
  const [newer] = await sql<{ name: string; at: Date }[]>`
    select coalesce(e.name, 'Somebody') as name, coalesce(o.conversation_seen_at, o.happened_at) as at
      from linkedin_messages m
      join linkedin_messages o on o.account_id = m.account_id and o.conversation_record_id = m.conversation_record_id
      left join reps e on e.account_id = o.account_id and e.id = o.rep_id
     where m.account_id = ${accountId} and m.id = ${draftId} and o.id <> m.id and o.type <> 'received'
       and (o.status = 'sent'
            or exists (select from tasks t
                        where t.account_id = o.account_id and t.linkedin_message_id = o.id and t.status = 'open'))
       and coalesce(o.conversation_seen_at, o.happened_at) > coalesce(m.conversation_seen_at, m.happened_at)
     order by at desc
     limit 1`
  return newer ? [toNewerMessageObjection(newer)] : []
}
