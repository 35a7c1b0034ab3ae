import type { Fragment, Sql } from '../../kernel/db/database.ts'

/**
 * Selects the person of a send `e` whose step belongs to prospect `r`, for a lateral join. An email that isn't a step
 * may be sent to any address, and its person may have opted out with a different address. The person is therefore found
 * through the message's prospect or, outside campaigns, the message's thread. The limits make the planner use the keys;
 * otherwise it reads all persons.
 */
export const selectSendPerson = (sql: Sql): Fragment => sql`
  (select * from persons where account_id = r.account_id and id = r.person_id limit 1)
   union all
  (select p.*
     from email_messages m
     join prospects t on t.account_id = m.account_id and t.id = m.prospect_id
     join persons p on p.account_id = t.account_id and p.id = t.person_id
    where e.prospect_id is null and m.account_id = e.account_id and m.id = e.message_id
    limit 1)
   union all
  (select p.*
     from email_messages m
     join email_threads t on t.account_id = m.account_id and t.id = m.thread_id
     join persons p on p.account_id = t.account_id and p.id = t.person_id
    where e.prospect_id is null and m.account_id = e.account_id and m.id = e.message_id and m.prospect_id is null
    limit 1)`
