import type { Input, Output } from '../../contract/index.ts'
import { audit } from '../accounts/audit-log.ts'
import { type Context, inAccount } from '../context.ts'
import { verifySmtp } from '../email/smtp.ts'
import type { SmtpSettings } from '../email/smtp-connection.ts'
import { conflict } from '../errors.ts'
import type { Json } from '../json.ts'
import { editableMailbox, getMailbox } from './mailboxes.ts'
import { mailboxTransport, type StoredMailbox } from './transport.ts'

/** Shorter than when sending: somebody waits for the answer. */
const timeouts = { connectMs: 10_000, greetingMs: 10_000, silenceMs: 15_000 }

/** Signs in to the mail server between two transactions, so that none waits for a stranger's server. */
export async function verifyMailbox(
  ctx: Context,
  { mailboxId }: Input<'verifyMailbox'>,
): Promise<Json<Output<'verifyMailbox'>>> {
  const within = <T>(work: (tx: Context) => Promise<T>): Promise<T> =>
    inAccount(ctx.app.db.app, ctx.accountId, sql => work({ ...ctx, sql }))
  const mailbox = await within(tx => editableMailbox(tx, mailboxId))
  const fault = await findFault(ctx, mailbox)
  await within(async tx => {
    await storeResult(tx, mailbox, fault)
    await audit(tx, 'verify', 'mailbox', mailboxId)
  })
  return getMailbox(ctx, { mailboxId })
}

async function findFault(ctx: Context, mailbox: StoredMailbox): Promise<string | undefined> {
  if (mailbox.kind === 'sandbox' && !ctx.app.sandbox) return undefined
  const transport = mailboxTransport(ctx.app, mailbox)
  const result = await verifySmtp({ ...transport, timeouts })
  return result.ok ? undefined : withoutSecrets(result.reason, transport)
}

/** A server's answer is hostile text: it may repeat what it was told. */
function withoutSecrets(reason: string, { user = '', password }: SmtpSettings): string {
  if (!password) return reason
  const told = [
    password,
    ...[password, `\0${user}\0${password}`].map(text => Buffer.from(text).toString('base64')),
  ]
  return told.reduce((text, secret) => text.replaceAll(secret, '…'), reason)
}

async function storeResult(tx: Context, mailbox: StoredMailbox, fault: string | undefined): Promise<void> {
  const { host, port, tls, user, password } = mailbox
  const stored = await tx.sql`
    update mailboxes
       set status        = ${fault ? 'failing' : 'active'},
           status_reason = ${fault ?? null},
           verified_at   = case when ${fault === undefined} then now() else verified_at end,
           updated_at    = now()
     where account_id = ${tx.accountId} and id = ${mailbox.id} and removed_at is null
       and (smtp_host, smtp_port, smtp_tls, smtp_user, smtp_password)
           is not distinct from (${host}, ${port}::integer, ${tls}, ${user}, ${password}::bytea)`
  if (stored.count === 0)
    throw conflict('The mailbox was changed while it was being verified. Verify it again.')
}
