import type { Input, Output } from '../../../contract/index.ts'
import { type App, type Context, inAccount } from '../../kernel/context.ts'
import type { Sql } from '../../kernel/db/database.ts'
import { conflict } from '../../kernel/errors.ts'
import type { Json } from '../../kernel/json.ts'
import { ImapError } from '../../protocols/imap/imap-connection.ts'
import { shortTimeouts } from '../../protocols/smtp/connection.ts'
import { verifySmtp } from '../../protocols/smtp/pool.ts'
import { redactSecrets } from '../../protocols/smtp/redact-secrets.ts'
import { isTokenRejected } from '../../protocols/smtp/result.ts'
import { audit } from '../accounts/audit-log.ts'
import type { AccessOptions } from './access-token.ts'
import { getNextProbeAt, type SendingError } from './circuit-breaker.ts'
import {
  findImapSettings,
  recordImapCheck,
  type StoredImapSettings,
  toImapTransport,
} from './imap-settings.ts'
import { getMailbox, lockEditableMailbox } from './mailboxes.ts'
import { openImap } from './open-imap.ts'
import { openTransport, type StoredMailbox } from './transport.ts'

/** Makes emails due that people sent from the mailbox and that wait for another attempt; passed in by handlers.ts. */
export type ExpediteRetries = (tx: Sql, mailboxId: string, now: Date) => PromiseLike<unknown>

/** Signs in to the mail servers between two transactions, so that no transaction waits for the network. */
export async function verifyMailbox(
  ctx: Context,
  { mailboxId }: Input<'verifyMailbox'>,
  expediteRetries: ExpediteRetries,
): Promise<Json<Output<'verifyMailbox'>>> {
  const inTransaction = <T>(work: (tx: Context) => Promise<T>): Promise<T> =>
    inAccount(ctx.app.db.app, ctx.accountId, sql => work({ ...ctx, sql }))
  const { mailbox, imap } = await inTransaction(async tx => ({
    mailbox: await lockEditableMailbox(tx, mailboxId),
    imap: await findImapSettings(tx.sql, mailboxId),
  }))
  const [error, imapError] = await Promise.all([
    findSendingError(ctx.app, mailbox, { ignoresBackoff: true }),
    imap && findImapError(ctx, imap),
  ])
  await inTransaction(async tx => {
    const isStored =
      (await storeResult(tx, mailbox, error)) && (!imap || (await recordImapCheck(tx.sql, imap, imapError)))
    if (!isStored) throw conflict('The mailbox was changed while it was being verified. Verify it again.')
    if (!error) await expediteRetries(tx.sql, mailboxId, tx.app.now())
    await audit(tx, 'verify', 'mailbox', mailboxId)
  })
  return getMailbox(ctx, { mailboxId })
}

/** Returns why the mailbox can’t sign in to send; undefined when it can. */
export async function findSendingError(
  app: App,
  mailbox: StoredMailbox,
  options: AccessOptions = {},
): Promise<SendingError | undefined> {
  if (mailbox.kind === 'sandbox' && !app.sandbox) return undefined
  const opened = await openTransport(app, mailbox, options)
  if ('reason' in opened) return { reason: opened.reason, isServerDown: opened.retryAt !== undefined }
  const { transport } = opened
  const result = await verifySmtp({ ...transport, timeouts: shortTimeouts })
  if (result.ok) return undefined
  const { accessToken: rejected } = transport
  if (rejected && !options.rejected && isTokenRejected(result.result))
    return findSendingError(app, mailbox, { ...options, rejected })
  return { reason: redactSecrets(result.reason, transport), isServerDown: result.isServerDown }
}

async function findImapError(ctx: Context, imap: StoredImapSettings): Promise<string | undefined> {
  const { connectMs, greetingMs, silenceMs: answerMs } = shortTimeouts
  try {
    await using connection = await openImap(ctx.app, imap, {
      timeouts: { connectMs, greetingMs, answerMs },
      ignoresBackoff: true,
    })
    await connection.openFolder('INBOX')
    return undefined
  } catch (error) {
    if (!(error instanceof ImapError)) throw error
    return redactSecrets(error.message, toImapTransport(ctx.app, imap))
  }
}

async function storeResult(
  tx: Context,
  mailbox: StoredMailbox,
  error: SendingError | undefined,
): Promise<boolean> {
  const { host, port, tls, user, password } = mailbox
  const stored = await tx.sql`
    update mailboxes
       set status        = ${error ? 'failing' : 'active'},
           status_reason = ${error?.reason ?? null},
           verified_at   = case when ${error === undefined} then now() else verified_at end,
           failure_count   = case when ${error === undefined} then 0 else greatest(1, failure_count) end,
           retry_at      = ${error ? getNextProbeAt(tx.app.now(), 0, error) : null},
           updated_at    = now()
     where account_id = ${tx.accountId} and id = ${mailbox.id} and removed_at is null
       and (smtp_host, smtp_port, smtp_tls, smtp_user, smtp_password)
           is not distinct from (${host}, ${port}::integer, ${tls}, ${user}, ${password}::bytea)`
  return stored.count === 1
}
