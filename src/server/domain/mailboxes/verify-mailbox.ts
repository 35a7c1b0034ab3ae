import type { Input, Output } from '../../../contract/index.ts'
import { type App, type Context, inAccount } from '../../kernel/context.ts'
import { conflict } from '../../kernel/errors.ts'
import type { Json } from '../../kernel/json.ts'
import { verifyImap } from '../../protocols/imap/imap-connection.ts'
import { verifySmtp } from '../../protocols/smtp/pool.ts'
import { redactSecrets } from '../../protocols/smtp/redact-secrets.ts'
import { audit } from '../accounts/audit-log.ts'
import { getNextProbeAt, type SendingFault } from './circuit-breaker.ts'
import {
  findImapSettings,
  recordImapCheck,
  type StoredImapSettings,
  toImapTransport,
} from './imap-settings.ts'
import { getMailbox, lockEditableMailbox } from './mailboxes.ts'
import { type StoredMailbox, tryTransport } from './transport.ts'

/** Shorter than when sending, because the caller is waiting. */
const timeouts = { connectMs: 10_000, greetingMs: 10_000, silenceMs: 15_000 }

/** Signs in to the mail servers between two transactions, so that no transaction waits for the network. */
export async function verifyMailbox(
  ctx: Context,
  { mailboxId }: Input<'verifyMailbox'>,
): Promise<Json<Output<'verifyMailbox'>>> {
  const inTransaction = <T>(work: (tx: Context) => Promise<T>): Promise<T> =>
    inAccount(ctx.app.db.app, ctx.accountId, sql => work({ ...ctx, sql }))
  const { mailbox, imap } = await inTransaction(async tx => ({
    mailbox: await lockEditableMailbox(tx, mailboxId),
    imap: await findImapSettings(tx.sql, mailboxId),
  }))
  const [fault, imapFault] = await Promise.all([
    findSendingFault(ctx.app, mailbox),
    imap && findImapFault(ctx, imap),
  ])
  await inTransaction(async tx => {
    const isStored =
      (await storeResult(tx, mailbox, fault)) && (!imap || (await recordImapCheck(tx.sql, imap, imapFault)))
    if (!isStored) throw conflict('The mailbox was changed while it was being verified. Verify it again.')
    await audit(tx, 'verify', 'mailbox', mailboxId)
  })
  return getMailbox(ctx, { mailboxId })
}

/** Returns why the mailbox can’t sign in to send; undefined when it can. */
export async function findSendingFault(app: App, mailbox: StoredMailbox): Promise<SendingFault | undefined> {
  if (mailbox.kind === 'sandbox' && !app.sandbox) return undefined
  const transport = tryTransport(app, mailbox)
  if (typeof transport === 'string') return { reason: transport, isServerDown: false }
  const result = await verifySmtp({ ...transport, timeouts })
  if (result.ok) return undefined
  return { reason: redactSecrets(result.reason, transport), isServerDown: result.isServerDown }
}

async function findImapFault(ctx: Context, imap: StoredImapSettings): Promise<string | undefined> {
  const { connectMs, greetingMs, silenceMs: answerMs } = timeouts
  const transport = toImapTransport(ctx.app, imap)
  const result = await verifyImap({ ...transport, timeouts: { connectMs, greetingMs, answerMs } })
  return result.ok ? undefined : redactSecrets(result.reason, transport)
}

async function storeResult(
  tx: Context,
  mailbox: StoredMailbox,
  fault: SendingFault | undefined,
): Promise<boolean> {
  const { host, port, tls, user, password } = mailbox
  const stored = await tx.sql`
    update mailboxes
       set status        = ${fault ? 'failing' : 'active'},
           status_reason = ${fault?.reason ?? null},
           verified_at   = case when ${fault === undefined} then now() else verified_at end,
           fault_count   = case when ${fault === undefined} then 0 else greatest(1, fault_count) end,
           retry_at      = ${fault ? getNextProbeAt(tx.app.now(), 0, fault) : null},
           updated_at    = now()
     where account_id = ${tx.accountId} and id = ${mailbox.id} and removed_at is null
       and (smtp_host, smtp_port, smtp_tls, smtp_user, smtp_password)
           is not distinct from (${host}, ${port}::integer, ${tls}, ${user}, ${password}::bytea)`
  return stored.count === 1
}
