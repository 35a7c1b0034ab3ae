import { createHash } from 'node:crypto'
import type { Sql } from '../../kernel/db/database.ts'
import type { BounceClass } from '../../protocols/mail-reading/classify.ts'

export type IngestedMail = {
  /** Also the ID of the inbox message, if there is one. */
  id: string
  fingerprint: Buffer
  mailboxId: string
  kind: 'reply' | 'auto_reply' | 'unsubscribe' | 'bounce' | 'complaint' | 'own'
  bounceClass?: BounceClass | undefined
  /** Our message that this email replies to or reports on; undefined if our message was deleted. */
  repliesToId: string | undefined
  receivedAt: Date
}

/** Computes a fingerprint that is the same in every mailbox and every time the email is received. */
export const computeFingerprint = (messageId: string | undefined, raw: Uint8Array): Buffer =>
  createHash('sha256')
    .update(messageId ?? raw)
    .digest()

/**
 * Ingests an email once; returns false if it is a duplicate. Concurrent transactions with the same email wait here for
 * the first, and get false once it commits.
 */
export async function ingestMail(tx: Sql, mail: IngestedMail): Promise<boolean> {
  const { count } = await tx`
    insert into received_mails (account_id, id, fingerprint, mailbox_id, kind, bounce_class, about_id, received_at)
    values (current_account_id(), ${mail.id}, ${mail.fingerprint}, ${mail.mailboxId}, ${mail.kind},
            ${mail.bounceClass ?? null}, ${mail.repliesToId ?? null}, ${mail.receivedAt})
    on conflict (account_id, fingerprint) do nothing`
  return count === 1
}

/** Finds the inbox message of an email that was ingested before. */
export async function findIngestedMessage(tx: Sql, fingerprint: Buffer): Promise<string | undefined> {
  const [message] = await tx<{ id: string }[]>`
    select m.id
      from received_mails r
      join email_messages m on m.account_id = r.account_id and m.id = r.id
     where r.account_id = current_account_id() and r.fingerprint = ${fingerprint}`
  return message?.id
}

/** Lists the classes of the bounces of a message. */
export async function findBounceClasses(tx: Sql, emailMessageId: string): Promise<BounceClass[]> {
  const rows = await tx<{ class: BounceClass }[]>`
    select bounce_class as class
      from received_mails
     where account_id = current_account_id() and about_id = ${emailMessageId} and kind = 'bounce'`
  return rows.map(row => row.class)
}

/**
 * Lists the domains that rejected email from this mailbox for policy reasons after `since`. Ignores email that was sent
 * before the mailbox was last verified.
 */
export async function findRefusingDomains(tx: Sql, mailboxId: string, since: Date): Promise<string[]> {
  const rows = await tx<{ domain: string }[]>`
    select distinct split_part(address, '@', 2) as domain
      from received_mails r
      join email_sends e on e.account_id = r.account_id and e.message_id = r.about_id
      join mailboxes b on b.account_id = r.account_id and b.id = r.mailbox_id
     cross join unnest(e.recipient_emails) address
     where r.account_id = current_account_id() and r.mailbox_id = ${mailboxId} and r.bounce_class = 'policy'
       and r.received_at > ${since} and (b.verified_at is null or e.ended_at > b.verified_at)
     order by domain`
  return rows.map(({ domain }) => domain)
}
