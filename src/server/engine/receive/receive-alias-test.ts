import { aliasTestHeader, recordAliasTest } from '../../domain/mailboxes/stored-aliases.ts'
import type { Sql } from '../../kernel/db/database.ts'
import { canonicalEmail } from '../../protocols/identity/email.ts'
import { type IncomingMail, ignoredResult, type ReceiveResult } from './incoming-mail.ts'

/** Receives the test email of an alias. Returns undefined for any other email. */
export async function receiveAliasTest(
  tx: Sql,
  { mail, mailbox, parsed, now }: IncomingMail,
): Promise<ReceiveResult | undefined> {
  const [testId] = parsed.headers.get(aliasTestHeader.toLowerCase()) ?? []
  if (!testId) return undefined
  const sender = canonicalEmail(parsed.from?.address ?? '') ?? ''
  const isDelivered = mail.folder !== 'sent' || mail.isInInbox === true
  const alias = await recordAliasTest(tx, { mailbox, testId, sender, isDelivered, now })
  return alias ? ignoredResult('own', `it tests the alias ${alias}`) : undefined
}
