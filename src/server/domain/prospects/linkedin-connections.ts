import { currentAccount, type Fragment, type Sql } from '../../kernel/db/database.ts'

/**
 * Selects the LinkedIn invitation of a prospect's person by the rep of its next step `st`, for a lateral join; empty
 * unless that step is a LinkedIn message. An invitation from another rep is selected as not accepted, because it
 * connects the person only with that rep.
 */
export const selectInvitation = (sql: Sql): Fragment => sql`
  select n.invited_at, n.accepted_at
    from (select 1 as rank, invited_at, accepted_at
            from linkedin_connections
           where st.channel = 'linkedin_message' and account_id = r.account_id
             and rep_id = coalesce(sender.rep_id, other.rep_id) and person_id = r.person_id
          union all
          select 2, t.ended_at, null
            from tasks t
           where st.channel = 'linkedin_message' and t.account_id = r.account_id and t.prospect_id = r.id
             and t.channel = 'linkedin_connect' and t.status = 'completed'
             and t.rep_id <> coalesce(sender.rep_id, other.rep_id)) n
   order by n.rank
   limit 1`

type Pair = { repId: string; personId: string }

export const recordInvitation = (tx: Sql, { repId, personId }: Pair, invitedAt: Date) => tx`
  insert into linkedin_connections as n (account_id, rep_id, person_id, invited_at)
  values (${currentAccount(tx)}, ${repId}, ${personId}, ${invitedAt})
  on conflict (account_id, rep_id, person_id) do update
     set invited_at = coalesce(n.invited_at, excluded.invited_at), updated_at = now()`

/** Records that a rep and a person are connected. Idempotent; returns whether the connection is new. */
export async function recordAcceptance(
  tx: Sql,
  { repId, personId }: Pair,
  acceptedAt: Date,
): Promise<boolean> {
  const { count } = await tx`
    insert into linkedin_connections as n (account_id, rep_id, person_id, accepted_at)
    values (${currentAccount(tx)}, ${repId}, ${personId}, ${acceptedAt})
    on conflict (account_id, rep_id, person_id) do update
       set accepted_at = excluded.accepted_at, updated_at = now()
     where n.accepted_at is null`
  return count > 0
}
