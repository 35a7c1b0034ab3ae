import type { StoredMailbox } from '../../domain/mailboxes/transport.ts'
import { findIngestedMessage } from '../../domain/messages/received-mails.ts'
import type { App } from '../../kernel/context.ts'
import type { Sql } from '../../kernel/db/database.ts'
import type { DmarcReport } from '../../protocols/dmarc/parse-report.ts'
import type { MailFolder } from '../../protocols/imap/imap-connection.ts'
import type { Classified, EmailKind } from '../../protocols/mail-reading/classify.ts'
import type { ParsedEmail } from '../../protocols/mime/parse.ts'
import type { ReadFile } from '../../protocols/mime/read-email.ts'

/** A raw email and where it arrived: in a mailbox's folder, or pushed over HTTP. */
export type ReceivedMail = {
  accountId: string
  mailboxId: string
  raw: Buffer
  receivedAt: Date
  folder: MailFolder['role'] | 'pushed'
  /**
   * True when the email also has the label of the inbox: Gmail lists an email that a mailbox sends to itself only once.
   */
  isInInbox?: boolean
}

/** The outcome for a received email; `reason` explains it to people. */
export type ReceiveResult = {
  outcome: 'stored' | 'duplicate' | 'ignored'
  kind: EmailKind | 'own'
  messageId?: string
  reason: string
}

/** A received email, parsed and classified but not yet matched to our mail. */
export type IncomingMail = {
  app: App
  mail: ReceivedMail
  mailbox: StoredMailbox
  parsed: ParsedEmail
  /** The content of each attachment; null when it is too large or incomplete. */
  files: (ReadFile | null)[]
  classified: Classified
  fingerprint: Buffer
  now: Date
  dmarcReport: DmarcReport | undefined
}

export const ignoredResult = (kind: ReceiveResult['kind'], reason: string): ReceiveResult => ({
  outcome: 'ignored',
  kind,
  reason,
})

/** Returns the result for an email that was received before. */
export async function duplicateResult(
  tx: Sql,
  { classified, fingerprint }: IncomingMail,
): Promise<ReceiveResult> {
  const messageId = await findIngestedMessage(tx, fingerprint)
  const reason = 'it was already received'
  return { outcome: 'duplicate', kind: classified.kind, ...(messageId && { messageId }), reason }
}
