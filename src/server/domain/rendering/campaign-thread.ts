import { currentAccount, type Sql } from '../../kernel/db/database.ts'
import { toReplyReferences, toReplySubject } from '../../protocols/mime/reply.ts'

/**
 * The email thread of a prospect. `messageIds` lists our Message-IDs, oldest first; an ID assigned by a mail
 * server follows our own.
 */
export type CampaignThread = { id: string; subject: string; messageIds: [string, ...string[]] }

/** A stored thread, with the rep and mailbox of its last step. */
export type StoredThread = CampaignThread & { repId: string | null; mailboxId: string | null }

/** Finds the thread of the last campaign email to a prospect; undefined if there is none. */
export const findThread = async (tx: Sql, prospectId: string): Promise<StoredThread | undefined> =>
  (await findThreads(tx, [prospectId])).get(prospectId)

/** Finds the threads of several prospects, as `findThread` does, by prospect ID. */
export async function findThreads(
  tx: Sql,
  prospectIds: readonly string[],
): Promise<Map<string, StoredThread>> {
  if (prospectIds.length === 0) return new Map()
  const wasSent = tx`(m.status = 'sent' or m.delivery_status = 'unconfirmed')`
  const threads = await tx<(StoredThread & { prospectId: string })[]>`
    select p.id as "prospectId", t.id, t.subject, t.rep_id as "repId", t.mailbox_id as "mailboxId",
           array(select known.message_id
                   from email_messages m
                  cross join lateral (
                    select m.message_id, 1 as rank
                    union all
                    select a.message_id, 2
                      from email_message_aliases a
                     where a.account_id = m.account_id and a.email_message_id = m.id) known
                  where m.account_id = t.account_id and m.thread_id = t.id and m.type <> 'received' and ${wasSent}
                  order by m.sent_at, m.id, known.rank) as "messageIds"
      from unnest(${[...prospectIds]}::uuid[]) p(id)
     cross join lateral (
             select m.account_id, m.thread_id
               from email_messages m
              where m.account_id = ${currentAccount(tx)} and m.prospect_id = p.id and m.type = 'campaign' and ${wasSent}
              order by m.sent_at desc, m.id desc
              limit 1) last
      join email_threads t on t.account_id = last.account_id and t.id = last.thread_id`
  return new Map(threads.map(({ prospectId, ...thread }) => [prospectId, thread]))
}

/**
 * Returns the subject and headers of the next email in a thread. References lists all our own IDs, so that mail
 * clients and the inbox sync recognize the thread even if a mail server replaced some of them.
 */
export function toReplyHeaders({ subject, messageIds }: CampaignThread): {
  subject: string
  inReplyTo: string
  referenceIds: string[]
} {
  const inReplyTo = messageIds.at(-1)!
  const referenceIds = toReplyReferences({
    messageId: inReplyTo,
    references: messageIds.slice(0, -1).join(' '),
  })
  return { subject: toReplySubject(subject), inReplyTo, referenceIds }
}
