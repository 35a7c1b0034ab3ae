import { randomUUIDv7 } from 'node:crypto'
import type { Input, Output } from '../../../contract/index.ts'
import { type Context, inAccount } from '../../kernel/context.ts'
import { conflict, invalid, notFound } from '../../kernel/errors.ts'
import type { Json } from '../../kernel/json.ts'
import { getEmailDomain, requireEmail } from '../../protocols/identity/email.ts'
import { composeMessage, createMessageId } from '../../protocols/mime/compose.ts'
import { redactSecrets } from '../../protocols/smtp/redact-secrets.ts'
import { audit } from '../accounts/audit-log.ts'
import { decryptSigningKey, findSigningKeys } from '../domains/dkim-keys.ts'
import { addDomain } from '../domains/domains.ts'
import { lockEditableMailbox, readMailbox } from './mailboxes.ts'
import { aliasTestHeader, failAlias } from './stored-aliases.ts'
import { deliverTest, findTestProblem } from './test-email.ts'
import { openTransport, type StoredMailbox } from './transport.ts'

const MAX_ALIASES = 20
type Test = { mailbox: StoredMailbox; email: string; testId: string }

/** Sends the test email between two transactions, so that no transaction waits for the network. */
export async function addMailboxAlias(
  ctx: Context,
  input: Input<'addMailboxAlias'>,
): Promise<Json<Output<'addMailboxAlias'>>> {
  const inTransaction = <T>(work: (tx: Context) => Promise<T>): Promise<T> =>
    inAccount(ctx.app.db.app, ctx.accountId, sql => work({ ...ctx, sql }))
  const test = await inTransaction(tx => beginTest(tx, input))
  const refusal = await sendTest(ctx, test, () =>
    inTransaction(tx => findTestProblem(tx, input.mailboxId, test.email)),
  )
  if (refusal) await inTransaction(tx => failAlias(tx.sql, test, refusal))
  return readMailbox(ctx, input.mailboxId)
}

async function beginTest(ctx: Context, { mailboxId, email: given }: Input<'addMailboxAlias'>): Promise<Test> {
  const { sql, accountId, app } = ctx
  const email = requireEmail(given)
  const mailbox = await lockEditableMailbox(ctx, mailboxId)
  if (mailbox.kind !== 'smtp') throw invalid('mailboxId', 'must not be a sandbox mailbox')
  if (mailbox.email === email) throw invalid('email', 'must differ from the mailbox’s own address')
  const problem = await findTestProblem(ctx, mailboxId, email)
  if (problem) throw conflict(problem)
  const testId = randomUUIDv7()
  await sql`
    insert into mailbox_aliases (account_id, mailbox_id, email, test_id, tested_at)
    values (${accountId}, ${mailboxId}, ${email}, ${testId}, ${app.now()})
    on conflict (account_id, mailbox_id, email) do update
       set test_id = excluded.test_id, tested_at = excluded.tested_at, updated_at = now(), status_reason = null,
           status = case when mailbox_aliases.status = 'verified' then 'verified' else 'unverified' end`
  const aliases = await sql`
    select from mailbox_aliases where account_id = ${accountId} and mailbox_id = ${mailboxId}`
  if (aliases.count > MAX_ALIASES) throw conflict(`A mailbox has at most ${MAX_ALIASES} aliases.`)
  await addDomain(ctx, getEmailDomain(email))
  await audit(ctx, 'add_alias', 'mailbox', mailboxId)
  return { mailbox, email, testId }
}

/** Returns why the server refuses the sender. Throws when the email can't be sent for another reason. */
async function sendTest(
  { app, accountId }: Context,
  { mailbox, email, testId }: Test,
  findLastProblem: () => Promise<string | undefined>,
): Promise<string | undefined> {
  const domain = getEmailDomain(email)
  const [key] = await inAccount(app.db.app, accountId, tx => findSigningKeys(tx, [domain]))
  const signingKey = key && decryptSigningKey(app, key)
  if (typeof signingKey === 'string') throw conflict(signingKey)
  const opened = await openTransport(app, mailbox)
  if ('reason' in opened) throw conflict(`The test email was not sent: ${opened.reason}`)
  const message = await composeMessage({
    messageId: createMessageId([accountId, testId], domain),
    from: { address: email },
    to: [{ address: email }],
    subject: 'Overture tests this address',
    text: `Overture sent this email to check whether ${mailbox.email} can send as ${email}.\n\nYou can delete it.\n`,
    headers: { 'Auto-Submitted': 'auto-generated', [aliasTestHeader]: testId },
    date: app.now(),
    signingKey,
  })
  const { result, problem } = await deliverTest(opened.transport, message, findLastProblem)
  if (problem) throw conflict(problem)
  if (result.outcome === 'sent' || result.outcome === 'withheld') return undefined
  const reason = redactSecrets(result.reason, opened.transport)
  // After the sign-in, the server can only have rejected the alias, which is both sender and recipient.
  const { phase, reply } = { reply: undefined, phase: undefined, ...result }
  if (phase && /^(envelope|gate|end)$/.test(phase) && reply && reply.code >= 500) return reason
  throw conflict(`The test email was not sent: ${reason}`)
}

export async function removeMailboxAlias(
  ctx: Context,
  { mailboxId, email }: Input<'removeMailboxAlias'>,
): Promise<Json<Output<'removeMailboxAlias'>>> {
  await lockEditableMailbox(ctx, mailboxId)
  const removed = await ctx.sql`
    delete from mailbox_aliases
     where account_id = ${ctx.accountId} and mailbox_id = ${mailboxId} and email = ${requireEmail(email)}`
  if (removed.count === 0) throw notFound('alias')
  await audit(ctx, 'remove_alias', 'mailbox', mailboxId)
  return readMailbox(ctx, mailboxId)
}
