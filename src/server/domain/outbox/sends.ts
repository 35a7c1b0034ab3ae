import { currentAccount, type Fragment, type Sql, toJsonRows } from '../../kernel/db/database.ts'
import { markEmailMessagesSent } from '../messages/write-email-messages.ts'
import { clearStatusReason } from '../prospects/advance-prospects.ts'
import type { ClaimedSend } from './claim-sends.ts'

type Claim = Pick<ClaimedSend, 'messageId' | 'epoch'>

/**
 * The send of one message, to be joined laterally. Asked for several in an array, PostgreSQL may find reading all of a
 * small account cheaper, and keeps to that while the account grows.
 */
export const sendByKey = (sql: Sql, messageId: Fragment): Fragment => sql`
  select * from email_sends where account_id = ${currentAccount(sql)} and message_id = ${messageId} limit 1`

/**
 * Committed before the final dots may leave; tells of each whether its claim still holds. Unless renewed they count as
 * lost then.
 */
export const commitDotPending = (tx: Sql, claims: readonly Claim[], until: Date): Promise<boolean[]> =>
  areOurs(
    claims,
    tx<Claim[]>`
      update email_sends e
         set state = 'dot_pending', dot_pending_at = now(), due_at = ${until}, updated_at = now()
        from unnest(${claims.map(({ messageId }) => messageId)}::uuid[], ${claims.map(({ epoch }) => String(epoch))}::bigint[])
             c(message_id, epoch)
       where e.account_id = ${currentAccount(tx)} and e.message_id = c.message_id and e.epoch = c.epoch and e.state = 'claimed'
      returning e.message_id as "messageId", e.epoch`,
  )

export type Receipt = { response: string; queueId: string | undefined }

/** The mail servers have them; tells of each whether its claim still held. */
export const recordSent = (tx: Sql, sent: readonly (Claim & Receipt)[]): Promise<boolean[]> =>
  areOurs(
    sent,
    tx<Claim[]>`
      update email_sends e
         set state = 'sent', ended_at = now(), response = c.response, queue_id = c.queue_id, updated_at = now()
        from unnest(${sent.map(({ messageId }) => messageId)}::uuid[], ${sent.map(({ epoch }) => String(epoch))}::bigint[],
                    ${sent.map(({ response }) => response)}::text[], ${sent.map(({ queueId }) => queueId ?? null)}::text[])
             c(message_id, epoch, response, queue_id)
       where e.account_id = ${currentAccount(tx)} and e.message_id = c.message_id and e.epoch = c.epoch
         and e.state in ('claimed', 'dot_pending')
      returning e.message_id as "messageId", e.epoch`,
  )

/**
 * An unconfirmed send was delivered after all: so says a late answer, the Sent folder, a bounce, a reply or a person.
 * One that waits to be sent again is not. The message is sent from now on; false when nothing was open about it.
 */
export async function confirmSend(
  tx: Sql,
  { messageId, response, queueId }: { messageId: string; response: string; queueId?: string | undefined },
): Promise<boolean> {
  const [confirmed] = await tx<{ prospectId: string | null; sentAt: Date }[]>`
    update email_sends e
       set state = 'sent', epoch = e.epoch + 1, ended_at = now(), response = ${response},
           queue_id = coalesce(${queueId ?? null}, e.queue_id), updated_at = now()
      from email_messages m
     where e.account_id = ${currentAccount(tx)} and e.message_id = ${messageId}
       and (e.state = 'unconfirmed' or e.is_repeat and e.state in ('queued', 'claimed'))
       and m.account_id = e.account_id and m.id = e.message_id
    returning e.prospect_id as "prospectId", m.sent_at as "sentAt"`
  if (!confirmed) return false
  await markEmailMessagesSent(tx, [messageId], confirmed.sentAt)
  if (confirmed.prospectId) await clearStatusReason(tx, confirmed.prospectId, 'unconfirmed')
  return true
}

/** Into the queue once more, by a person's choice and under the same Message-ID; false when it is not unconfirmed. */
export const repeatSend = (tx: Sql, messageId: string, dueAt: Date): Promise<boolean> =>
  isOurs(tx`
    update email_sends
       set state = 'queued', is_repeat = true, epoch = epoch + 1, attempts = 0, due_at = ${dueAt}, dot_pending_at = null,
           ended_at = null, response = null, updated_at = now()
     where account_id = ${currentAccount(tx)} and message_id = ${messageId} and state = 'unconfirmed'`)

export type UnconfirmedSend = { messageId: string; header: string; endedAt: Date }

/** Sends of the mailbox that nobody knows the end of, with their Message-ID headers, the latest first. */
export const findUnconfirmedSends = (
  tx: Sql,
  mailboxId: string,
  since: Date,
): Promise<UnconfirmedSend[]> => tx<UnconfirmedSend[]>`
  select e.message_id as "messageId", m.message_id as header, e.ended_at as "endedAt"
    from email_sends e
    join email_messages m on m.account_id = e.account_id and m.id = e.message_id
   where e.account_id = ${currentAccount(tx)} and e.mailbox_id = ${mailboxId} and e.state = 'unconfirmed'
     and e.ended_at >= ${since}
   order by e.ended_at desc
   limit 1000`

/** Ended without a delivery, or with one that nobody can know of; false when the claim is void. */
export const endSend = (
  tx: Sql,
  { messageId, epoch }: Claim,
  state: 'refused' | 'failed' | 'unconfirmed',
  response: string,
): Promise<boolean> =>
  isOurs(tx`
    update email_sends
       set state = ${state}, ended_at = now(), response = ${response}, updated_at = now()
     where account_id = ${currentAccount(tx)} and message_id = ${messageId} and epoch = ${epoch}
       and state in ('claimed', 'dot_pending')`)

/** Requeues a send that was certainly not delivered. A long wait may count as several attempts (`counting`). */
export const retrySend = (
  tx: Sql,
  { messageId, epoch }: Claim,
  dueAt: Date,
  response: string,
  counting = 1,
): Promise<boolean> =>
  isOurs(tx`
    update email_sends
       set state = 'queued', due_at = ${dueAt}, attempts = attempts + ${counting - 1}, response = ${response},
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
  isOurs(tx`
    update email_sends
       set state = 'queued', due_at = ${dueAt}, attempts = attempts - 1, response = ${reason}, updated_at = now()
     where account_id = ${currentAccount(tx)} and message_id = ${messageId} and epoch = ${epoch} and state = 'claimed'`)

/** Makes sends due now that wait in these mailboxes for the given reasons. */
export const expediteSends = (tx: Sql, waiting: readonly { id: string; reason: string }[], now: Date) => tx`
  update email_sends e
     set due_at = ${now}
    from unnest(${waiting.map(({ id }) => id)}::uuid[], ${waiting.map(({ reason }) => reason)}::text[]) w(id, reason)
   where e.account_id = ${currentAccount(tx)} and e.mailbox_id = w.id and e.state = 'queued' and e.response = w.reason
     and e.due_at > ${now}`

/** Deletes a send whose step is planned anew later. */
export const forgetSend = (tx: Sql, { messageId, epoch }: Claim): Promise<boolean> =>
  isOurs(tx`
    delete from email_sends
     where account_id = ${currentAccount(tx)} and message_id = ${messageId} and epoch = ${epoch}
       and state in ('claimed', 'dot_pending')`)

/**
 * Takes back the steps of a campaign that wait in the queue, but for those that a worker is just claiming, and those
 * that a person had sent again: they are no plan any more.
 */
export const forgetQueuedSends = (
  tx: Sql,
  campaignId: string,
): Promise<{ messageId: string; prospectId: string }[]> => tx<{ messageId: string; prospectId: string }[]>`
  delete from email_sends
   where account_id = ${currentAccount(tx)}
     and message_id = any(array(
           select message_id
             from email_sends
            where account_id = ${currentAccount(tx)} and campaign_id = ${campaignId} and state = 'queued' and not is_repeat
              for update skip locked))
  returning message_id as "messageId", prospect_id as "prospectId"`

/** The same for these prospects; what a person wants sent once more is no step. */
export const forgetQueuedSteps = (
  tx: Sql,
  prospectIds: readonly string[],
): Promise<{ messageId: string; prospectId: string }[]> => tx<{ messageId: string; prospectId: string }[]>`
  delete from email_sends
   where account_id = ${currentAccount(tx)}
     and message_id = any(array(
           select message_id
             from email_sends
            where account_id = ${currentAccount(tx)} and prospect_id = any(${[...prospectIds]}::uuid[])
              and state = 'queued' and not is_repeat
              for update skip locked))
  returning message_id as "messageId", prospect_id as "prospectId"`

type NewSend = {
  messageId: string
  mailboxId: string
  recipientEmails: string[]
  dueAt: Date
  prospectId?: string | null
  campaignId?: string | null
  stepId?: string | null
  /** Whoever queues it has claimed it already, until then. */
  leaseUntil?: Date | undefined
}

/**
 * A message on its way: to these addresses, from this mailbox. One that was refused or failed may be queued again;
 * false when it is on its way already, was sent, or may have been. A step's second send violates a unique key.
 */
export const queueSend = (tx: Sql, send: NewSend): Promise<boolean> => isOurs(queueSends(tx, [send]))

export const queueSends = (tx: Sql, sends: readonly NewSend[]) => tx`
  insert into email_sends as e (account_id, message_id, mailbox_id, prospect_id, campaign_id, step_id, state, epoch,
                                attempts, recipient_emails, due_at)
  select current_account_id(), "messageId", "mailboxId", "prospectId", "campaignId", "stepId",
         case when "leaseUntil" is null then 'queued' else 'claimed' end, claims, claims, "recipientEmails",
         coalesce("leaseUntil", "dueAt")
    from jsonb_to_recordset(${toJsonRows(sends)}::text::jsonb)
         s("messageId" uuid, "mailboxId" uuid, "prospectId" uuid, "campaignId" uuid, "stepId" uuid,
           "recipientEmails" text[], "dueAt" timestamptz, "leaseUntil" timestamptz)
   cross join lateral (select ("leaseUntil" is not null)::int as claims) c
  on conflict (account_id, message_id) do update
     set state = 'queued', mailbox_id = excluded.mailbox_id, recipient_emails = excluded.recipient_emails,
         due_at = excluded.due_at, attempts = 0, dot_pending_at = null, ended_at = null, response = null, updated_at = now()
   where e.state in ('refused', 'failed')`

/** The messages that these prospects have for these steps. */
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
 * A person thinks better of a mail of theirs that waits in the queue. False when it waits for nothing, when a worker is
 * just claiming it, and when it may have been sent before.
 */
export const takeBackSend = (tx: Sql, messageId: string): Promise<boolean> =>
  isOurs(tx`
    update email_sends
       set state = 'refused', ended_at = now(), response = 'A person took it back', updated_at = now()
     where account_id = ${currentAccount(tx)}
       and message_id = any(array(
             select message_id
               from email_sends
              where account_id = ${currentAccount(tx)} and message_id = ${messageId} and state = 'queued' and not is_repeat
                for update skip locked))`)

/** What is left of a send that came to nothing, so that its message can be deleted. */
export const forgetEndedSend = (tx: Sql, messageId: string) => tx`
  delete from email_sends
   where account_id = ${currentAccount(tx)} and message_id = ${messageId} and state in ('refused', 'failed')`

/** A claim that went to another and the other's may meet in one batch, so both halves of its name count. */
async function areOurs(claims: readonly Claim[], change: PromiseLike<Claim[]>): Promise<boolean[]> {
  const nameOf = ({ messageId, epoch }: Claim) => `${messageId} ${epoch}`
  const ours = new Set((await change).map(nameOf))
  return claims.map(claim => ours.has(nameOf(claim)))
}

const isOurs = async (change: PromiseLike<{ count: number }>): Promise<boolean> => (await change).count === 1
