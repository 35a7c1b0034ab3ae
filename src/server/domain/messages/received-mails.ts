import { createHash } from 'node:crypto'
import type { Sql } from '../../kernel/db/database.ts'
import type { BounceClass } from '../../protocols/mail-reading/classify.ts'

export type ReceivedMail = {
  /** That of the message under which the inbox shows it, where it does. */
  id: string
  fingerprint: Buffer
  mailboxId: string
  kind: 'reply' | 'auto_reply' | 'unsubscribe' | 'bounce' | 'complaint' | 'own'
  bounceClass?: BounceClass | undefined
  /** The mail of ours that it answers or is about; undefined when that is gone. */
  aboutId: string | undefined
  receivedAt: Date
}

/** What is the same however often and from wherever a mail is handed in. */
export const fingerprintOf = (messageId: string | undefined, raw: Uint8Array): Buffer =>
  createHash('sha256')
    .update(messageId ?? raw)
    .digest()

/**
 * Takes a mail as this transaction's to act on; false when it was known already. Of several that bring the same mail
 * at once all others wait here for the first, and go on without effect when it commits.
 */
export async function takeReceivedMail(tx: Sql, mail: ReceivedMail): Promise<boolean> {
  const { count } = await tx`
    insert into received_mails (account_id, id, fingerprint, mailbox_id, kind, bounce_class, about_id, received_at)
    values (current_account_id(), ${mail.id}, ${mail.fingerprint}, ${mail.mailboxId}, ${mail.kind},
            ${mail.bounceClass ?? null}, ${mail.aboutId ?? null}, ${mail.receivedAt})
    on conflict (account_id, fingerprint) do nothing`
  return count === 1
}

/** The message under which the inbox shows a mail that was taken before. */
export async function findTakenMessage(tx: Sql, fingerprint: Buffer): Promise<string | undefined> {
  const [message] = await tx<{ id: string }[]>`
    select m.id
      from received_mails r
      join email_messages m on m.account_id = r.account_id and m.id = r.id
     where r.account_id = current_account_id() and r.fingerprint = ${fingerprint}`
  return message?.id
}

/** The class of each bounce that was reported of a mail. */
export async function findBounceClasses(tx: Sql, aboutId: string): Promise<BounceClass[]> {
  const rows = await tx<{ class: BounceClass }[]>`
    select bounce_class as class
      from received_mails
     where account_id = current_account_id() and about_id = ${aboutId} and kind = 'bounce'`
  return rows.map(row => row.class)
}

/** The domains whose servers refused mail by their policies, as bounces to this mailbox tell. */
export async function findRefusingDomains(tx: Sql, mailboxId: string, since: Date): Promise<string[]> {
  const rows = await tx<{ domain: string }[]>`
    select distinct split_part(address, '@', 2) as domain
      from received_mails r
      join email_sends e on e.account_id = r.account_id and e.message_id = r.about_id
     cross join unnest(e.recipient_emails) address
     where r.account_id = current_account_id() and r.mailbox_id = ${mailboxId} and r.bounce_class = 'policy'
       and r.received_at > ${since}
     order by domain`
  return rows.map(({ domain }) => domain)
}
