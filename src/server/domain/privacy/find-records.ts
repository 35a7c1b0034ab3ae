import type { Context } from '../../kernel/context.ts'
import type { PersonRecords } from './personal-data.ts'

/** Finds everything about a person. Returns undefined if the account has no such person or they were erased. */
export async function findRecords(
  { sql, accountId }: Pick<Context, 'sql' | 'accountId'>,
  personId: string,
): Promise<PersonRecords | undefined> {
  const [records] = await sql<PersonRecords[]>`
    with person as materialized (
      select id, email, phone, linkedin_url, concat_ws(' ', first_name, last_name) as name
        from persons
       where account_id = ${accountId} and id = ${personId} and erased_at is null),
    alias as materialized (
      select kind, value from person_aliases where account_id = ${accountId} and person_id = (select id from person)),
    prospect as materialized (
      select id from prospects where account_id = ${accountId} and person_id = (select id from person)),
    thread as materialized (
      select id from email_threads
       where account_id = ${accountId}
         and (prospect_id = any(array(select id from prospect))
              or prospect_id is null and person_id = (select id from person))),
    message as materialized (
      select id from email_messages where account_id = ${accountId} and thread_id = any(array(select id from thread))),
    conversation as materialized (
      select id from linkedin_conversations where account_id = ${accountId} and person_id = (select id from person)),
    address as materialized (
      select email from person where email is not null
      union
      select value from alias where kind = 'email'
      union
      -- Finds earlier addresses: all sends of a prospect are steps, which are sent only to the person.
      select unnest(recipient_emails)
        from email_sends
       where account_id = ${accountId} and prospect_id = any(array(select id from prospect))),
    phone as materialized (
      select phone as number from person where phone is not null
      union
      select value from alias where kind = 'phone'),
    profile as materialized (
      select linkedin_url as url from person where linkedin_url is not null
      union
      select value from alias where kind = 'linkedin'),
    call as materialized (
      select id from calls
       where account_id = ${accountId}
         and (person_id = (select id from person) or prospect_id = any(array(select id from prospect))
              or person_id is null and prospect_id is null
                 and (array[from_number, to_number] && array(select number from phone)
                      or person_email = any(array(select email from address)))))
    select array(select id from person) as person,
           array(select email from address) as emails,
           array(select number from phone) as phones,
           array(select url from profile) as "linkedinUrls",
           array(select id from prospect) as prospects,
           array(select id from thread) as threads,
           array(select id from message) as messages,
           array(select id from conversation) as conversations,
           array(select id from linkedin_messages
                  where account_id = ${accountId} and conversation_record_id = any(array(select id from conversation)))
             as "linkedinMessages",
           array(select id from call) as calls,
           array(select id from tasks where account_id = ${accountId} and person_id = (select id from person)) as tasks,
           array(select o.id
                   from (select 'email' as kind, email as value from address
                         union all
                         select 'linkedin', url from profile
                         union all
                         select kind, number from phone cross join unnest(array['phone', 'sms', 'whatsapp']) kind
                         offset 0) own
                  cross join lateral (
                         select id from opt_outs
                          where account_id = ${accountId} and kind = own.kind and value = own.value limit 1) o) as "optOuts",
           array(select name from person where name <> '') as names
      from person`
  return records
}
