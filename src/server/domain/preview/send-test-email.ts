import { randomUUIDv7 } from 'node:crypto'
import type { Input, Output } from '../../../contract/index.ts'
import { type Context, inAccount } from '../../kernel/context.ts'
import { conflict, invalid } from '../../kernel/errors.ts'
import { getEmailDomain } from '../../protocols/identity/email.ts'
import { createMessageId } from '../../protocols/mime/compose.ts'
import { redactSecrets } from '../../protocols/smtp/redact-secrets.ts'
import type { SendResult } from '../../protocols/smtp/result.ts'
import { audit } from '../accounts/audit-log.ts'
import { decryptSigningKey, findSigningKeys } from '../domains/dkim-keys.ts'
import { deliverTest, findTestProblem } from '../mailboxes/test-email.ts'
import { findMailbox, openTransport, type StoredMailbox } from '../mailboxes/transport.ts'
import { composeOutgoing } from '../outbox/compose-outgoing.ts'
import { selectSenders } from '../prospects/sender.ts'
import type { StepFacts } from '../rendering/step-facts.ts'
import type { StepEmail } from '../rendering/write-step.ts'
import { readPreviewFacts } from './preview-facts.ts'
import type { Warn } from './preview-task.ts'
import { findStep, findVariant, renderEmail } from './render-preview.ts'

type TestEmail = {
  mail: StepEmail
  mailbox: StoredMailbox
  signingKey: ReturnType<typeof decryptSigningKey> | undefined
  warnings: Output<'sendTestEmail'>['warnings']
}

/**
 * Sends a step to the caller's own address. It is not a message of the campaign: nothing is stored, so statistics
 * don't include it, and `Auto-Submitted` keeps its copies and replies out of the inbox.
 */
export async function sendTestEmail(
  ctx: Context,
  input: Input<'sendTestEmail'>,
): Promise<Output<'sendTestEmail'>> {
  const inTransaction = <T>(work: (tx: Context) => Promise<T>): Promise<T> =>
    inAccount(ctx.app.db.app, ctx.accountId, sql => work({ ...ctx, sql }))
  const { mail, mailbox, signingKey, warnings } = await inTransaction(tx => prepare(tx, input))
  const failure = await deliver(ctx, { mail, mailbox, signingKey }, () =>
    inTransaction(tx => findTestProblem(tx, mailbox.id, mail.recipients.to[0]!.email)),
  )
  if (failure) throw conflict(failure)
  await inTransaction(tx => audit(tx, 'send_test_email', 'campaign', input.campaignId))
  const [to] = mail.recipients.to
  return { mailboxId: mailbox.id, from: mail.sender, to: to!, subject: mail.subject, warnings }
}

/** Sends the email unless `findLastProblem` returns a problem. Returns the reason if the email was not sent. */
async function deliver(
  { app, accountId }: Context,
  { mail, mailbox, signingKey }: Omit<TestEmail, 'warnings'>,
  findLastProblem: () => Promise<string | undefined>,
): Promise<string | undefined> {
  // Processes that send nothing have no sandbox, and a sandbox delivers to nobody.
  if (mailbox.kind === 'sandbox' && !app.sandbox) return undefined
  const opened = await openTransport(app, mailbox)
  if ('reason' in opened) return `The test email was not sent: ${opened.reason}`
  const { transport } = opened
  if (typeof signingKey === 'string') return `The test email was not sent: ${signingKey}`
  const composed = await composeOutgoing(
    accountId,
    { ...mail, inReplyTo: null, referenceIds: [] },
    app.now(),
    { signingKey, headers: { 'Auto-Submitted': 'auto-generated' } },
  )
  const { result, problem } = await deliverTest(transport, composed, findLastProblem)
  const failure = describeFailure(result, problem)
  return failure && redactSecrets(failure, transport)
}

/** Renders the step for the given person, from the mailbox of the given rep, to the caller. */
async function prepare(
  tx: Context,
  { campaignId, stepId, variantId, prospectId, person, repId }: Input<'sendTestEmail'>,
): Promise<TestEmail> {
  const warnings: TestEmail['warnings'] = []
  const warn: Warn = (code, message) => void warnings.push({ code, message })
  const read = await readPreviewFacts(tx, campaignId, prospectId, person)
  const facts = repId ? await withSender(tx, read.facts, repId) : read.facts
  const { step, steps } = await findStep(tx, campaignId, stepId)
  const variant = findVariant(step, variantId, facts.prospectId)
  if (step.channel !== 'email' || !variant) throw invalid('stepId', 'must be the ID of an email step')
  if (!facts.rep) throw conflict('No rep of this campaign has a working mailbox. Connect one, or verify it.')
  const mail = await renderEmail(tx, facts, steps, variant, warn)
  if (!mail) throw invalid('stepId', warnings.at(-1)!.message)
  const mailbox = (await findMailbox(tx.sql, facts.rep.mailboxId))!
  const domain = getEmailDomain(mail.sender.email)
  const to = await findUser(tx)
  const test = {
    ...mail,
    subject: `[Test] ${mail.subject}`,
    recipients: { to: [to] },
    messageId: createMessageId([tx.accountId, randomUUIDv7()], domain),
  }
  const problem = await findTestProblem(tx, mailbox.id, to.email)
  if (problem) throw conflict(problem)
  const [key] = await findSigningKeys(tx.sql, [domain])
  return { mail: test, mailbox, signingKey: key && decryptSigningKey(tx.app, key), warnings }
}

/** Replaces the sender with a rep of the campaign. */
async function withSender({ sql, accountId }: Context, facts: StepFacts, repId: string): Promise<StepFacts> {
  type Sender = {
    name: string
    mailboxId: string
    email: string
    senderName: string | null
    signature: string | null
  }
  const isRep = sql`cr.account_id = ${accountId} and cr.campaign_id = ${facts.campaignId} and cr.rep_id = ${repId}`
  const [sender] = await sql<Sender[]>`
    select name, mailbox_id as "mailboxId", email, sender_name as "senderName", signature
      from (${selectSenders(sql, isRep)}) s
     order by retry_at is not null, mailbox_id
     limit 1`
  if (!sender) throw invalid('repId', 'must be the ID of a rep of this campaign with a working mailbox')
  const { name, mailboxId, email, signature } = sender
  const senderName = sender.senderName ?? name
  return {
    ...facts,
    rep: { id: repId, name, mailboxId, isPaced: false, email, senderName },
    variables: { ...facts.variables, repName: name, senderName, senderEmail: email, signature },
  }
}

async function findUser({ sql, userId }: Context): Promise<{ name: string; email: string }> {
  const [user] = await sql<
    { name: string; email: string }[]
  >`select name, email from users where id = ${userId}`
  return user!
}

function describeFailure(result: SendResult, problem: string | undefined): string | undefined {
  switch (result.outcome) {
    case 'sent':
      return undefined
    case 'withheld':
      return problem ?? 'The test email was not sent.'
    case 'unknown':
      return `The test email may have been sent: ${result.reason}`
    default:
      return `The test email was not sent: ${result.reason}`
  }
}
