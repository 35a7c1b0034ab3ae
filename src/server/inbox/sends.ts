import type { Sql } from '../db.ts'
import { dropStatusReason } from '../prospects/advance-prospects.ts'
import { markEmailMessageSent } from './write-email-messages.ts'

/** A claim on one message's way to its mail server; work done under an older epoch is void. */
export type ClaimedSend = {
  accountId: string
  messageId: string
  mailboxId: string
  epoch: bigint
  /** How often it was claimed, this time included. */
  attempts: number
}

type Claim = Pick<ClaimedSend, 'messageId' | 'epoch'>

/**
 * Sends that are due over all accounts, claimed for `leaseMs`: queued ones, and those whose worker died before the
 * gate. No more than `perMailbox` of one mailbox are under way at a time, in all processes together, so that a slow
 * server holds up nobody else's mail. Needs the engine's role.
 */
export const claimSends = (
  engine: Sql,
  { now, limit, perMailbox, leaseMs }: { now: Date; limit: number; perMailbox: number; leaseMs: number },
): Promise<ClaimedSend[]> => engine<ClaimedSend[]>`
  with due as (
    select account_id, message_id
      from (select account_id, message_id, mailbox_id, due_at,
                   row_number() over (partition by account_id, mailbox_id order by due_at) as place
              from (select account_id, message_id, mailbox_id, due_at
                      from email_sends
                     where state in ('queued', 'claimed') and due_at <= ${now}
                     order by due_at
                     limit ${limit * 10}) oldest) spread
     where place <= ${perMailbox} - (select count(*)
                                       from email_sends busy
                                      where busy.account_id = spread.account_id and busy.mailbox_id = spread.mailbox_id
                                        and busy.state in ('claimed', 'dot_pending') and busy.due_at > ${now})
     order by due_at
     limit ${limit}),
  free as (
    select e.account_id, e.message_id
      from email_sends e join due d on d.account_id = e.account_id and d.message_id = e.message_id
     where e.state in ('queued', 'claimed') and e.due_at <= ${now}
       for update of e skip locked)
  update email_sends e
     set state = 'claimed', epoch = e.epoch + 1, attempts = e.attempts + 1, updated_at = now(),
         due_at = ${new Date(now.getTime() + leaseMs)}
    from free f
   where e.account_id = f.account_id and e.message_id = f.message_id
  returning e.account_id as "accountId", e.message_id as "messageId", e.mailbox_id as "mailboxId", e.epoch, e.attempts`

/** Their worker lives and is at it: the lease of each claim that still holds lasts until then. Needs the engine's role. */
export const renewSends = (
  engine: Sql,
  claims: readonly Pick<ClaimedSend, 'accountId' | 'messageId' | 'epoch'>[],
  until: Date,
) => engine`
  update email_sends e
     set due_at = ${until}
    from unnest(${claims.map(claim => claim.accountId)}::uuid[], ${claims.map(claim => claim.messageId)}::uuid[],
                ${claims.map(claim => String(claim.epoch))}::bigint[]) held(account_id, message_id, epoch)
   where e.account_id = held.account_id and e.message_id = held.message_id and e.epoch = held.epoch
     and e.state in ('claimed', 'dot_pending')`

/** Sends whose worker was lost behind the gate: delivered or not, nobody here can know. Needs the engine's role. */
export const findLostSends = (
  engine: Sql,
  { now, limit }: { now: Date; limit: number },
): Promise<ClaimedSend[]> => engine<ClaimedSend[]>`
  select account_id as "accountId", message_id as "messageId", mailbox_id as "mailboxId", epoch, attempts
    from email_sends
   where state = 'dot_pending' and due_at <= ${now}
   order by due_at
   limit ${limit}`

/** Committed before the final dot may leave; false when the claim is void. Unless renewed it counts as lost then. */
export const commitDotPending = (tx: Sql, { messageId, epoch }: Claim, until: Date): Promise<boolean> =>
  isOurs(tx`
    update email_sends
       set state = 'dot_pending', dot_pending_at = now(), due_at = ${until}, updated_at = now()
     where account_id = current_account_id() and message_id = ${messageId} and epoch = ${epoch} and state = 'claimed'`)

type Receipt = { response: string; queueId: string | undefined }

/** The mail server has it; false when the claim is void. */
export const recordSent = (
  tx: Sql,
  { messageId, epoch }: Claim,
  { response, queueId }: Receipt,
): Promise<boolean> =>
  isOurs(tx`
    update email_sends
       set state = 'sent', ended_at = now(), response = ${response}, queue_id = ${queueId ?? null}, updated_at = now()
     where account_id = current_account_id() and message_id = ${messageId} and epoch = ${epoch}
       and state in ('claimed', 'dot_pending')`)

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
     where e.account_id = current_account_id() and e.message_id = ${messageId}
       and (e.state = 'unconfirmed' or e.is_repeat and e.state in ('queued', 'claimed'))
       and m.account_id = e.account_id and m.id = e.message_id
    returning e.prospect_id as "prospectId", m.sent_at as "sentAt"`
  if (!confirmed) return false
  await markEmailMessageSent(tx, messageId, confirmed.sentAt)
  if (confirmed.prospectId) await dropStatusReason(tx, confirmed.prospectId, 'unconfirmed')
  return true
}

/** Into the queue once more, by a person's choice and under the same Message-ID; false when it is not unconfirmed. */
export const repeatSend = (tx: Sql, messageId: string, dueAt: Date): Promise<boolean> =>
  isOurs(tx`
    update email_sends
       set state = 'queued', is_repeat = true, epoch = epoch + 1, attempts = 0, due_at = ${dueAt}, dot_pending_at = null,
           ended_at = null, response = null, updated_at = now()
     where account_id = current_account_id() and message_id = ${messageId} and state = 'unconfirmed'`)

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
   where e.account_id = current_account_id() and e.mailbox_id = ${mailboxId} and e.state = 'unconfirmed'
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
     where account_id = current_account_id() and message_id = ${messageId} and epoch = ${epoch}
       and state in ('claimed', 'dot_pending')`)

/** Back into the queue; only for what surely was not delivered. */
export const retrySend = (
  tx: Sql,
  { messageId, epoch }: Claim,
  dueAt: Date,
  response: string,
): Promise<boolean> =>
  isOurs(tx`
    update email_sends
       set state = 'queued', due_at = ${dueAt}, response = ${response}, dot_pending_at = null, updated_at = now()
     where account_id = current_account_id() and message_id = ${messageId} and epoch = ${epoch}
       and state in ('claimed', 'dot_pending')`)

/** The same for what was not even tried, which is no attempt. */
export const postponeSend = (
  tx: Sql,
  { messageId, epoch }: Claim,
  dueAt: Date,
  reason: string,
): Promise<boolean> =>
  isOurs(tx`
    update email_sends
       set state = 'queued', due_at = ${dueAt}, attempts = attempts - 1, response = ${reason}, updated_at = now()
     where account_id = current_account_id() and message_id = ${messageId} and epoch = ${epoch} and state = 'claimed'`)

/** What waits in these mailboxes for the reason given beside each is due at once. */
export const hastenSends = (tx: Sql, waiting: readonly { id: string; reason: string }[], now: Date) => tx`
  update email_sends e
     set due_at = ${now}
    from unnest(${waiting.map(({ id }) => id)}::uuid[], ${waiting.map(({ reason }) => reason)}::text[]) w(id, reason)
   where e.account_id = current_account_id() and e.mailbox_id = w.id and e.state = 'queued' and e.response = w.reason
     and e.due_at > ${now}`

/** A step's mail that will not go out now, taken back whole: the step is planned afresh later. */
export const forgetSend = (tx: Sql, { messageId, epoch }: Claim): Promise<boolean> =>
  isOurs(tx`
    delete from email_sends
     where account_id = current_account_id() and message_id = ${messageId} and epoch = ${epoch}
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
   where account_id = current_account_id()
     and message_id = any(array(
           select message_id
             from email_sends
            where account_id = current_account_id() and campaign_id = ${campaignId} and state = 'queued' and not is_repeat
              for update skip locked))
  returning message_id as "messageId", prospect_id as "prospectId"`

/** The same for these prospects; what a person wants sent once more is no step. */
export const forgetQueuedSteps = (
  tx: Sql,
  prospectIds: readonly string[],
): Promise<{ messageId: string; prospectId: string }[]> => tx<{ messageId: string; prospectId: string }[]>`
  delete from email_sends
   where account_id = current_account_id()
     and message_id = any(array(
           select message_id
             from email_sends
            where account_id = current_account_id() and prospect_id = any(${[...prospectIds]}::uuid[])
              and state = 'queued' and not is_repeat
              for update skip locked))
  returning message_id as "messageId", prospect_id as "prospectId"`

/**
 * A message on its way: to these addresses, from this mailbox. One that was refused or failed may be queued again;
 * false when it is on its way already, was sent, or may have been. A step's second send violates a unique key.
 */
export const queueSend = (
  tx: Sql,
  send: {
    messageId: string
    mailboxId: string
    recipientEmails: string[]
    dueAt: Date
    prospectId?: string | null
    campaignId?: string | null
    stepId?: string | null
  },
): Promise<boolean> =>
  isOurs(tx`
    insert into email_sends as e (account_id, message_id, mailbox_id, prospect_id, campaign_id, step_id, state,
                                  recipient_emails, due_at)
    values (current_account_id(), ${send.messageId}, ${send.mailboxId}, ${send.prospectId ?? null},
            ${send.campaignId ?? null}, ${send.stepId ?? null}, 'queued', ${send.recipientEmails}, ${send.dueAt})
    on conflict (account_id, message_id) do update
       set state = 'queued', mailbox_id = excluded.mailbox_id, recipient_emails = excluded.recipient_emails,
           due_at = excluded.due_at, attempts = 0, dot_pending_at = null, ended_at = null, response = null, updated_at = now()
     where e.state in ('refused', 'failed')`)

/** What is left of a send that came to nothing, so that its message can be deleted. */
export const forgetEndedSend = (tx: Sql, messageId: string) => tx`
  delete from email_sends
   where account_id = current_account_id() and message_id = ${messageId} and state in ('refused', 'failed')`

const isOurs = async (change: PromiseLike<{ count: number }>): Promise<boolean> => (await change).count === 1
