import type { Fragment, Sql } from '../../kernel/db/database.ts'

/**
 * The person of a send `e` with the prospect `r` whose step it is, to be joined laterally. What is no step may go to any
 * address, and its person may have opted out by another: its message tells whose it is, and is looked up then alone.
 * The limits make the planner take the keys; to an id out of either place it reads all persons.
 */
export const personOfSend = (sql: Sql): Fragment => sql`
  (select * from persons where account_id = r.account_id and id = r.person_id limit 1)
   union all
  (select p.*
     from email_messages m
     join prospects t on t.account_id = m.account_id and t.id = m.prospect_id
     join persons p on p.account_id = t.account_id and p.id = t.person_id
    where e.prospect_id is null and m.account_id = e.account_id and m.id = e.message_id
    limit 1)`
