import { currentAccount, type Fragment, type Sql, toJsonRows } from '../../kernel/db/database.ts'
import { markEmailMessagesSent } from '../messages/write-email-messages.ts'
import { clearStatusReason } from '../prospects/advance-prospects.ts'
import type { ClaimedSend } from './claim-sends.ts'

type Claim = Pick<ClaimedSend, 'messageId' | 'epoch'>

/**
 * Selects the send of a message, for a lateral join. For an array of IDs, PostgreSQL might scan all sends of a small
 * account and keep using that plan as the account grows.
 */
export const selectSend = (sql: Sql, messageId: Fragment): Fragment => sql`
  select * from email_sends where account_id = ${currentAccount(sql)} and message_id = ${messageId} limit 1`

/**
 * Marks claims as `dot_pending`. Commit before sending the final dot. Returns whether each claim is still valid.
 * Sends not renewed by `until` are claimed as lost.
 */
export const commitDotPending = (tx: Sql, claims: readonly Claim[], until: Date): Promise<boolean[]> =>
  getClaimResults(
    claims,
    tx<Claim[]>`
      update email_sends e
         set state = 'dot_pending', dot_pending_at = now(), due_at = ${until}, updated_at = now()
        from unnest(${claims.map(({ messageId }) => messageId)}::uuid[], ${claims.map(({ epoch }) => String(epoch))}::bigint[])
             c(message_id, epoch)
       where e.account_id = ${currentAccount(tx)} and e.message_id = c.message_id and e.epoch = c.epoch and e.state = 'claimed'
      returning e.message_id as "messageId", e.epoch`,
  )

/**
 * Returns the response, or null if the person was erased, because servers repeat addresses in their replies. Erasure
 * removes the recipients of a send.
 */
const omitIfErased = (sql: Sql, response: Fragment): Fragment =>
  sql`case when e.recipient_emails <> '{}' then ${response}::text end`

export type Receipt = { response: string; queueId: string | undefined }

/** Records that the mail servers accepted the emails. Returns whether each claim was still valid. */
export const recordSent = (tx: Sql, sent: readonly (Claim & Receipt)[]): Promise<boolean[]> =>
  getClaimResults(
    sent,
    tx<Claim[]>`
      update email_sends e
         set state = 'sent', ended_at = now(), response = ${omitIfErased(tx, tx`c.response`)}, queue_id = c.queue_id, updated_at = now()
        from unnest(${sent.map(({ messageId }) => messageId)}::uuid[], ${sent.map(({ epoch }) => String(epoch))}::bigint[],
                    ${sent.map(({ response }) => response)}::text[], ${sent.map(({ queueId }) => queueId ?? null)}::text[])
             c(message_id, epoch, response, queue_id)
       where e.account_id = ${currentAccount(tx)} and e.message_id = c.message_id and e.epoch = c.epoch
         and e.state in ('claimed', 'dot_pending')
      returning e.message_id as "messageId", e.epoch`,
  )

/**
 * Records that an unconfirmed send was delivered after all, according to a late response, the Sent folder, a bounce, a
 * reply or a user. Cancels a repeat that is still queued. The message gets the time of its final dot, because a draft
 * may have been written days earlier. Returns false if the send wasn't unconfirmed.
 */
export async function confirmSend(
  tx: Sql,
  { messageId, response, queueId }: { messageId: string; response: string; queueId?: string | undefined },
): Promise<boolean> {
  const [confirmed] = await tx<{ prospectId: string | null; sentAt: Date }[]>`
    update email_sends e
       set state = 'sent', epoch = e.epoch + 1, ended_at = now(), response = ${omitIfErased(tx, tx`${response}`)},
           queue_id = coalesce(${queueId ?? null}, e.queue_id), updated_at = now()
      from email_messages m
     where e.account_id = ${currentAccount(tx)} and e.message_id = ${messageId}
       and (e.state = 'unconfirmed' or e.is_repeat and e.state in ('queued', 'claimed'))
       and m.account_id = e.account_id and m.id = e.message_id
    returning e.prospect_id as "prospectId", greatest(m.sent_at, e.dot_pending_at) as "sentAt"`
  if (!confirmed) return false
  await markEmailMessagesSent(tx, [messageId], confirmed.sentAt)
  if (confirmed.prospectId) await clearStatusReason(tx, confirmed.prospectId, 'unconfirmed')
  return true
}

/**
 * Queues an unconfirmed send again with the same Message-ID at a user's request; returns false if it isn't unconfirmed.
 */
export const repeatSend = (tx: Sql, messageId: string, dueAt: Date): Promise<boolean> =>
  hasChangedOne(tx`
    update email_sends
       set state = 'queued', is_repeat = true, epoch = epoch + 1, attempts = 0, due_at = ${dueAt}, dot_pending_at = null,
           ended_at = null, response = null, updated_at = now()
     where account_id = ${currentAccount(tx)} and message_id = ${messageId} and state = 'unconfirmed'`)

export type UnconfirmedSend = { messageId: string; messageIdHeaders: string[]; endedAt: Date }

/** Lists the unconfirmed sends of a mailbox with our Message-ID and those that replaced it, latest first. */
export const findUnconfirmedSends = (
  tx: Sql,
  mailboxId: string,
  since: Date,
): Promise<UnconfirmedSend[]> => tx<UnconfirmedSend[]>`
  select e.message_id as "messageId", e.ended_at as "endedAt",
         m.message_id || array(select a.message_id
                                 from email_message_aliases a
                                where a.account_id = m.account_id and a.email_message_id = m.id) as "messageIdHeaders"
    from email_sends e
    join email_messages m on m.account_id = e.account_id and m.id = e.message_id
   where e.account_id = ${currentAccount(tx)} and e.mailbox_id = ${mailboxId} and e.state = 'unconfirmed'
     and e.ended_at >= ${since}
   order by e.ended_at desc
   limit 1000`

/** Ends a send that was not delivered, or whose delivery is unknown; returns false if the claim is no longer valid. */
export const endSend = (
  tx: Sql,
  { messageId, epoch }: Claim,
  state: 'refused' | 'failed' | 'unconfirmed',
  response: string,
): Promise<boolean> =>
  hasChangedOne(tx`
    update email_sends e
       set state = ${state}, ended_at = now(), response = ${omitIfErased(tx, tx`${response}`)}, updated_at = now()
     where account_id = ${currentAccount(tx)} and message_id = ${messageId} and epoch = ${epoch}
       and state in ('claimed', 'dot_pending')`)

/** Requeues a send that was certainly not delivered. A long wait may count as several attempts (`attemptCount`). */
export const retrySend = (
  tx: Sql,
  { messageId, epoch }: Claim,
  dueAt: Date,
  response: string,
  attemptCount = 1,
): Promise<boolean> =>
  hasChangedOne(tx`
    update email_sends
       set state = 'queued', due_at = ${dueAt}, attempts = attempts + ${attemptCount - 1}, response = ${response},
           dot_pending_at = null, updated_at = now()
     where account_id = ${currentAccount(tx)} and message_id = ${messageId} and epoch = ${epoch}
       and state in ('claimed', 'dot_pending')`)

/** Requeues a send that was not tried, without counting an attempt. */
export const postponeSend = (
  tx: Sql,
  { messageId, epoch }: Claim,
  dueAt: Date,
  reason: string,
): Promise<boolean> =>
  hasChangedOne(tx`
    update email_sends
       set state = 'queued', due_at = ${dueAt}, attempts = attempts - 1, response = ${reason}, updated_at = now()
     where account_id = ${currentAccount(tx)} and message_id = ${messageId} and epoch = ${epoch} and state = 'claimed'`)

/** Makes sends due now if they were postponed in these mailboxes for these reasons. */
export const expediteSends = (tx: Sql, waiting: readonly { id: string; reason: string }[], now: Date) => tx`
  update email_sends e
     set due_at = ${now}
    from unnest(${waiting.map(({ id }) => id)}::uuid[], ${waiting.map(({ reason }) => reason)}::text[]) w(id, reason)
   where e.account_id = ${currentAccount(tx)} and e.mailbox_id = w.id and e.state = 'queued' and e.response = w.reason
     and e.due_at > ${now}`

/**
 * Makes the emails that people sent from a mailbox due now if an attempt has failed. Emails that are scheduled for later
 * have no response yet.
 */
export const expediteRetries = (tx: Sql, mailboxId: string, now: Date) => tx`
  update email_sends
     set due_at = ${now}
   where account_id = ${currentAccount(tx)} and mailbox_id = ${mailboxId} and state = 'queued'
     and (campaign_id is null or is_repeat) and response is not null and due_at > ${now}`

/** Deletes a send whose step is planned again later. */
export const deleteSend = (tx: Sql, { messageId, epoch }: Claim): Promise<boolean> =>
  hasChangedOne(tx`
    delete from email_sends
     where account_id = ${currentAccount(tx)} and message_id = ${messageId} and epoch = ${epoch}
       and state in ('claimed', 'dot_pending')`)

/** Deletes queued sends of steps, except those that a worker is claiming or that a user requeued. */
const deleteQueuedSends = (tx: Sql, condition: Fragment): Promise<DeletedSend[]> => tx<DeletedSend[]>`
  delete from email_sends
   where account_id = ${currentAccount(tx)}
     and message_id = any(array(
           select message_id
             from email_sends
            where account_id = ${currentAccount(tx)} and ${condition} and campaign_id is not null and state = 'queued'
              and not is_repeat
              for update skip locked))
  returning message_id as "messageId", prospect_id as "prospectId"`

export type DeletedSend = { messageId: string; prospectId: string }

/** Deletes the queued sends of a campaign's steps, except those from the mailboxes of `keptRepIds`. */
export const deleteQueuedSendsByCampaign = (
  tx: Sql,
  campaignId: string,
  keptRepIds: readonly string[] = [],
): Promise<DeletedSend[]> =>
  deleteQueuedSends(
    tx,
    tx`campaign_id = ${campaignId}
       and mailbox_id not in (select id from mailboxes
                               where account_id = ${currentAccount(tx)} and rep_id = any(${[...keptRepIds]}::uuid[]))`,
  )

export const deleteQueuedSendsByProspect = (
  tx: Sql,
  prospectIds: readonly string[],
): Promise<DeletedSend[]> => deleteQueuedSends(tx, tx`prospect_id = any(${[...prospectIds]}::uuid[])`)

export const deleteQueuedSendsByMailbox = (tx: Sql, mailboxId: string): Promise<DeletedSend[]> =>
  deleteQueuedSends(tx, tx`mailbox_id = ${mailboxId}`)

type NewSend = {
  messageId: string
  mailboxId: string
  recipientEmails: string[]
  dueAt: Date
  prospectId?: string | null
  campaignId?: string | null
  stepId?: string | null
  /** If set, the caller has claimed the send until this time. */
  leaseUntil?: Date | undefined
}

/**
 * Queues the send of a message, or requeues it after it was refused or failed. Returns false if the message is already
 * queued or in flight, was sent, or may have been sent. A second send for the same prospect and step violates a unique
 * key.
 */
export const queueSend = (tx: Sql, send: NewSend): Promise<boolean> => hasChangedOne(queueSends(tx, [send]))

export const queueSends = (tx: Sql, sends: readonly NewSend[]) => tx`
  insert into email_sends as e (account_id, message_id, mailbox_id, prospect_id, campaign_id, step_id, state, epoch,
                                attempts, recipient_emails, due_at, created_at)
  select current_account_id(), "messageId", "mailboxId", "prospectId", "campaignId", "stepId",
         case when "leaseUntil" is null then 'queued' else 'claimed' end, claims, claims, "recipientEmails",
         coalesce("leaseUntil", "dueAt"),
         -- Not now(), the start of the transaction: planning may have waited for a change of the steps since then, and
         -- the gate compares this time with the time of the change.
         clock_timestamp()
    from jsonb_to_recordset(${toJsonRows(sends)}::text::jsonb)
         s("messageId" uuid, "mailboxId" uuid, "prospectId" uuid, "campaignId" uuid, "stepId" uuid,
           "recipientEmails" text[], "dueAt" timestamptz, "leaseUntil" timestamptz)
   cross join lateral (select ("leaseUntil" is not null)::int as claims) c
  on conflict (account_id, message_id) do update
     set state = 'queued', mailbox_id = excluded.mailbox_id, recipient_emails = excluded.recipient_emails,
         due_at = excluded.due_at, attempts = 0, dot_pending_at = null, ended_at = null, response = null,
         -- A recalled draft that is queued again counts as newer than the replies that have arrived since.
         created_at = now(), updated_at = now()
   where e.state in ('refused', 'failed')`

/** Lists the messages that were queued for these prospects and steps. */
export async function findStepSends(
  tx: Sql,
  steps: readonly { prospectId: string; stepId: string }[],
): Promise<string[]> {
  const sends = await tx<{ messageId: string }[]>`
    select e.message_id as "messageId"
      from unnest(${steps.map(({ prospectId }) => prospectId)}::uuid[], ${steps.map(({ stepId }) => stepId)}::uuid[])
           s(prospect_id, step_id)
      join email_sends e on e.account_id = ${currentAccount(tx)} and e.prospect_id = s.prospect_id and e.step_id = s.step_id`
  return sends.map(({ messageId }) => messageId)
}

/**
 * Recalls a queued email that a user wrote. Returns false if it isn't queued, if a worker is claiming it, or if
 * it may have been sent before.
 */
export const recallSend = (tx: Sql, messageId: string): Promise<boolean> =>
  hasChangedOne(tx`
    update email_sends
       set state = 'refused', ended_at = now(), response = 'A user recalled the email', updated_at = now()
     where account_id = ${currentAccount(tx)}
       and message_id = any(array(
             select message_id
               from email_sends
              where account_id = ${currentAccount(tx)} and message_id = ${messageId} and state = 'queued' and not is_repeat
                for update skip locked))`)

/** Deletes a refused or failed send, so that its message can be deleted. */
export const deleteEndedSend = (tx: Sql, messageId: string) => tx`
  delete from email_sends
   where account_id = ${currentAccount(tx)} and message_id = ${messageId} and state in ('refused', 'failed')`

/**
 * Returns which claims were changed. A batch may include two claims on one message, so they are compared by message and
 * epoch.
 */
async function getClaimResults(claims: readonly Claim[], change: PromiseLike<Claim[]>): Promise<boolean[]> {
  const toKey = ({ messageId, epoch }: Claim) => `${messageId} ${epoch}`
  const changed = new Set((await change).map(toKey))
  return claims.map(claim => changed.has(toKey(claim)))
}

const hasChangedOne = async (change: PromiseLike<{ count: number }>): Promise<boolean> =>
  (await change).count === 1
