import type { StoredMailbox } from '../../domain/mailboxes/transport.ts'
import { findTakenMessage } from '../../domain/messages/received-mails.ts'
import type { Sql } from '../../kernel/db/database.ts'
import type { MailFolder } from '../../protocols/imap/connection.ts'
import type { Classified, EmailKind } from '../../protocols/mail-reading/classify.ts'
import type { ParsedEmail } from '../../protocols/mime/parse.ts'

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
