import type { Sql } from '../db.ts'
import type { Classified, EmailKind } from '../email/classify.ts'
import type { MailFolder } from '../email/imap-connection.ts'
import type { ParsedEmail } from '../email/parse.ts'
import { findTakenMessage } from '../inbox/received-mails.ts'
import type { StoredMailbox } from '../mailboxes/transport.ts'

export type Received = {
  accountId: string
  mailboxId: string
  raw: Buffer
  receivedAt: Date
  folder: MailFolder['role'] | 'pushed'
}

/** `why` is for a person to read. */
export type Receipt = {
  outcome: 'stored' | 'known' | 'ignored'
  kind: EmailKind | 'own'
  messageId?: string
  why: string
}

/** A mail that came in, read but not yet believed. */
export type Incoming = {
  mail: Received
  mailbox: StoredMailbox
  parsed: ParsedEmail
  classified: Classified
  fingerprint: Buffer
  now: Date
}

export const ignored = (kind: Receipt['kind'], why: string): Receipt => ({ outcome: 'ignored', kind, why })

export async function known(tx: Sql, { classified, fingerprint }: Incoming): Promise<Receipt> {
  const messageId = await findTakenMessage(tx, fingerprint)
  const why = 'it is known already'
  return { outcome: 'known', kind: classified.kind, ...(messageId && { messageId }), why }
}
