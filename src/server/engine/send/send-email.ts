import { decryptSigningKey, findSigningKeys } from '../../domain/domains/dkim-keys.ts'
import { toSentCopy } from '../../domain/mailboxes/sent-copies.ts'
import {
  findMailboxes,
  type OpenedTransport,
  openTransport,
  type StoredMailbox,
} from '../../domain/mailboxes/transport.ts'
import { readContent } from '../../domain/messages/attachment-content.ts'
import { getAddresses } from '../../domain/messages/recipients.ts'
import { setSenderEmail } from '../../domain/messages/write-email-messages.ts'
import type { ClaimedSend } from '../../domain/outbox/claim-sends.ts'
import { composeOutgoing, type Outgoing } from '../../domain/outbox/compose-outgoing.ts'
import { selectSend } from '../../domain/outbox/sends.ts'
import {
  createUnsubscribeLink,
  type UnsubscribeLink,
} from '../../domain/people/opt-outs/unsubscribe-token.ts'
import { createSemaphore } from '../../kernel/async/semaphore.ts'
import type { App } from '../../kernel/context.ts'
import { inAccount } from '../../kernel/context.ts'
import { Batcher } from '../../kernel/db/batch.ts'
import type { Sql } from '../../kernel/db/database.ts'
import { AppError, invalid } from '../../kernel/errors.ts'
import { failpoint } from '../../kernel/failpoints.ts'
import { measureStage } from '../../kernel/metrics.ts'
import { getEmailDomain } from '../../protocols/identity/email.ts'
import type { ComposedEmail, OutgoingFile } from '../../protocols/mime/compose.ts'
import type { SigningKey } from '../../protocols/mime/dkim.ts'
import { toPlusAddress } from '../../protocols/mime/plus-address.ts'
import type { SmtpSettings } from '../../protocols/smtp/connection.ts'
import type { GatedMessage } from '../../protocols/smtp/gate.ts'
import { isTokenRejected, type SendResult } from '../../protocols/smtp/result.ts'
import { type Attempt, inTransaction, type PlannedEmail } from '../attempt/attempt.ts'
import { deferSend, passCircuitBreaker } from './circuit-breaker.ts'
import { passGate, type Refusal } from './gate.ts'
import {
  fail,
  recordMailboxFailure,
  recordResult,
  recordUnconfirmed,
  resolveRefusal,
} from './record-result.ts'
import type { SmtpPools } from './smtp-pools.ts'
import { passThrottle } from './throttle.ts'

/**
 * Sends a claimed email over SMTP and records the result. The message passes the gate before its final dot. A send is
 * retried only when it is certain that nothing was delivered.
 */
export async function sendEmail(
  app: App,
  pools: SmtpPools,
  claim: ClaimedSend,
  planned?: PlannedEmail,
): Promise<void> {
  await failpoint('send.claimed', claim.mailboxId)
  const { metrics } = app
  const read = await measureStage(metrics, 'read', () =>
    readBatcher.run({ app, claim, outgoing: planned?.outgoing }),
  )
  await failpoint('send.read', claim.mailboxId)
  if (!read.outgoing) throw new Error(`send ${claim.messageId} has no message`)
  const { mailbox } = read
  const attempt: Attempt = { app, claim, outgoing: read.outgoing, mailbox }
  // An erased person has no addresses left.
  if (getAddresses(read.outgoing.recipients).length === 0)
    return resolveRefusal(attempt, { kind: 'stop', reason: 'erased' })
  const isPaused = mailbox?.isPaused && read.outgoing.campaignId !== null
  if (mailbox?.status !== 'active' || isPaused)
    return resolveRefusal(attempt, { kind: 'later', reason: 'no_working_mailbox' })
  return read.outgoing.files?.length
    ? withLargeEmail(() => deliver(pools, { ...attempt, mailbox }, read, planned))
    : deliver(pools, { ...attempt, mailbox }, read, planned)
}

/** Emails with files are sent few at a time, because each is in memory several times. */
const withLargeEmail = createSemaphore(3)

/** Sends an email of a working mailbox unless the throttle or the circuit breaker defers it. */
async function deliver(
  pools: SmtpPools,
  attempt: Attempt & { mailbox: StoredMailbox },
  { signingKey }: Read,
  planned: PlannedEmail | undefined,
): Promise<void> {
  const { app, claim, mailbox } = attempt
  const { metrics } = app
  if (!(await passThrottle(attempt, mailbox))) return
  if (!(await passCircuitBreaker(attempt, mailbox))) return
  if (typeof signingKey === 'string') return recordMailboxFailure(attempt, signingKey)
  // Opened first, because composing an email is wasted work if the mailbox can't sign in.
  const opened = await openTransport(app, mailbox)
  if ('reason' in opened) return waitForTransport(attempt, opened)
  const unsubscribe = planned?.unsubscribe ?? getUnsubscribeLink(attempt)
  const composed = await measureStage(metrics, 'compose', () =>
    tryCompose(attempt, { unsubscribe, signingKey }),
  )
  if (!composed) return
  await failpoint('send.composed', claim.mailboxId)
  let refusal: Refusal | undefined
  const message = {
    ...composed,
    gate: async () => {
      refusal = await measureStage(metrics, 'gate', () => checkGate(app, claim))
      return refusal === undefined
    },
  }
  const result = await measureStage(metrics, 'smtp', () =>
    sendFrom(pools, attempt, opened.transport, message),
  )
  if ('unavailable' in result) return waitForTransport(attempt, result.unavailable)
  await failpoint('record.began', claim.mailboxId)
  const sentCopy = mailbox.savesSentCopies
    ? toSentCopy(composed.bytes, attempt.outgoing.recipients.bcc)
    : undefined
  await measureStage(metrics, 'record', () => recordResult({ ...attempt, sentCopy }, result, refusal))
  metrics.sends.inc({ outcome: result.outcome })
  await failpoint('send.ended', claim.mailboxId)
  app.log.info({
    accountId: claim.accountId,
    messageId: claim.messageId,
    attempts: claim.attempts,
    outcome: result.outcome,
    refusal: refusal?.reason,
  })
}

type NoTransport = Extract<OpenedTransport, { reason: string }>

/** Defers the send if the mailbox did not cause the error; otherwise marks the mailbox as failing. */
const waitForTransport = (attempt: Attempt, { reason, retryAt }: NoTransport): Promise<void> =>
  retryAt
    ? inTransaction(attempt, tx => deferSend(attempt, tx, retryAt, reason))
    : recordMailboxFailure(attempt, reason)

/**
 * Sends the message with the mailbox's password or token. A token that the server rejects is replaced once: at that
 * point the message has not reached the gate, so nothing was delivered.
 */
async function sendFrom(
  pools: SmtpPools,
  { app, mailbox }: { app: App; mailbox: StoredMailbox },
  transport: SmtpSettings,
  message: GatedMessage,
): Promise<SendResult | { unavailable: NoTransport }> {
  const send = (from: SmtpSettings) => pools.getPool(mailbox.id, from).send(message)
  const result = await send(transport)
  const { accessToken: rejected } = transport
  if (!rejected || !isTokenRejected(result)) return result
  const opened = await openTransport(app, mailbox, { rejected })
  return 'reason' in opened ? { unavailable: opened } : send(opened.transport)
}

/** Passes the gate. If the check itself fails, the send is withheld, so nothing was delivered. */
async function checkGate(app: App, claim: ClaimedSend): Promise<Refusal | undefined> {
  try {
    return await passGate(app, claim)
  } catch (err) {
    app.log.error({ accountId: claim.accountId, messageId: claim.messageId, err }, 'engine: the gate failed')
    return { kind: 'again', reason: 'gate_failed' }
  }
}

type Read = {
  outgoing: Outgoing | undefined
  mailbox: StoredMailbox | undefined
  /** The DKIM key of the sender's domain, or the reason it cannot be read. */
  signingKey: SigningKey | string | undefined
}

type ReadRequest = Pick<Attempt, 'app' | 'claim'> & { outgoing?: Outgoing | undefined }

const readBatcher = new Batcher<ReadRequest, Read>(requests => {
  const [{ app, claim }] = requests
  return inAccount(app.db.work, claim.accountId, async tx => {
    const unread = requests.filter(({ outgoing }) => !outgoing).map(each => each.claim)
    const outgoings = unread.length > 0 ? await readOutgoings(tx, unread) : []
    const mailboxIds = new Set(requests.map(each => each.claim.mailboxId))
    const mailboxes = await findMailboxes(tx, [...mailboxIds])
    const addresses = mailboxes.flatMap(({ email, aliases }) => [email, ...aliases])
    const keys = await findSigningKeys(tx, [...new Set(addresses.map(getEmailDomain))])
    const signingKeys = new Map(keys.map(key => [key.domain, decryptSigningKey(app, key)]))
    const reads: Read[] = []
    for (const { claim: each, outgoing: planned } of requests) {
      const mailbox = mailboxes.find(({ id }) => id === each.mailboxId)
      const stored = planned ?? outgoings.find(({ id }) => id === each.messageId)
      const outgoing = stored && mailbox ? await withCurrentSender(tx, stored, mailbox) : stored
      const signingKey = outgoing && signingKeys.get(getEmailDomain(outgoing.sender.email))
      reads.push({ outgoing, mailbox, signingKey })
    }
    return reads
  })
})

/** Sends from the mailbox's own address if the sender was one of its aliases and no longer is. */
async function withCurrentSender(tx: Sql, outgoing: Outgoing, mailbox: StoredMailbox): Promise<Outgoing> {
  const { id, sender } = outgoing
  const { email } = mailbox
  if (sender.email === email || mailbox.aliases.includes(sender.email)) return outgoing
  await setSenderEmail(tx, id, email)
  return { ...outgoing, sender: { ...sender, email } }
}

/** Reads messages to send. Prospect and campaign are those of a step; messages that people wrote have none. */
const readOutgoings = (tx: Sql, claims: readonly ClaimedSend[]): Promise<Outgoing[]> => tx<Outgoing[]>`
  select m.id, e.is_repeat as "isRepeat", e.prospect_id as "prospectId", e.campaign_id as "campaignId", m.subject, m.body,
         m.body_format as "bodyFormat", m.sender, m.recipients, m.message_id as "messageId",
         m.in_reply_to as "inReplyTo", m.reference_ids as "referenceIds", m.attachments as files,
         case when e.campaign_id is null then (
           select r.signature
             from mailboxes b
             join reps r on r.account_id = b.account_id and r.id = b.rep_id
            where b.account_id = e.account_id and b.id = e.mailbox_id) end as signature
    from unnest(${claims.map(({ messageId }) => messageId)}::uuid[]) claimed(id)
   cross join lateral (${selectSend(tx, tx`claimed.id`)}) e
   cross join lateral (select * from email_messages where account_id = e.account_id and id = e.message_id limit 1) m`

function getUnsubscribeLink({ app, claim, outgoing }: Attempt): UnsubscribeLink | undefined {
  if (!outgoing.campaignId) return undefined
  const email = outgoing.recipients.to[0]!.email
  return createUnsubscribeLink(app, { accountId: claim.accountId, emailMessageId: outgoing.id, email })
}

/** Reads the email's files. Throws ValidationError when one is missing. */
const readFiles = ({ app, claim, outgoing }: Attempt): Promise<OutgoingFile[]> | undefined =>
  outgoing.files?.length
    ? inAccount(app.db.work, claim.accountId, async tx => {
        const files: OutgoingFile[] = []
        for (const { id, name, type, size } of outgoing.files ?? []) {
          const content = await readContent(tx, { id, size })
          if (!content) throw invalid('attachmentIds', `The file ${name} is missing.`)
          files.push({ name, type, content })
        }
        return files
      })
    : undefined

/** Composes the email. Fails the send if that is impossible, because a retry would fail too. */
async function tryCompose(
  attempt: Attempt,
  options: { unsubscribe: UnsubscribeLink | undefined; signingKey: SigningKey | undefined },
): Promise<ComposedEmail | undefined> {
  const { outgoing, app, mailbox, claim } = attempt
  try {
    const attachments = await readFiles(attempt)
    const composed = await composeOutgoing(claim.accountId, outgoing, app.now(), {
      ...options,
      attachments,
      isPersonal: outgoing.campaignId === null,
    })
    if (!mailbox?.plusAddressing) return composed
    // The mailbox's own address, because an alias may not receive email at plus addresses.
    const from = toPlusAddress(mailbox.email, outgoing.messageId)
    return { ...composed, envelope: { ...composed.envelope, from } }
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    if (error.code === 'InternalServerError')
      app.log.error({ messageId: outgoing.id, err: error }, 'engine: composing an email failed')
    await fail(attempt, error.message)
    return undefined
  }
}

/** Records a send whose worker died after the gate as unconfirmed, as if the server's reply had been lost. */
export async function giveUpLostSend(app: App, claim: ClaimedSend): Promise<void> {
  await failpoint('lost_send.claimed', claim.mailboxId)
  const [outgoing] = await inAccount(app.db.work, claim.accountId, tx => readOutgoings(tx, [claim]))
  if (outgoing)
    await recordUnconfirmed(
      { app, claim, outgoing, isHandedOver: true },
      'Overture stopped while the email was being sent',
    )
}
