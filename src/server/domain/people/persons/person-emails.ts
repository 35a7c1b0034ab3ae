import type { Fragment, Sql } from '../../../kernel/db/database.ts'

/** Selects the ID of the person of email `m`: the prospect's person or, outside campaigns, the thread's. */
export const selectEmailPersonId = (sql: Sql): Fragment => sql`
  coalesce((select person_id from prospects where account_id = m.account_id and id = m.prospect_id),
           (select person_id from email_threads where account_id = m.account_id and id = m.thread_id))`

/** Selects all emails exchanged with person `p`, as text for a lateral join. */
export const personEmails = `
  select m.*
    from prospects r
    join email_messages m on m.account_id = r.account_id and m.prospect_id = r.id
   where r.account_id = p.account_id and r.person_id = p.id
   union all
  select m.*
    from email_threads h
    join email_messages m on m.account_id = h.account_id and m.thread_id = h.id
   where h.account_id = p.account_id and h.person_id = p.id and h.prospect_id is null`
