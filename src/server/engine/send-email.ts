import type { App } from '../context.ts'
import { inAccount } from '../context.ts'
import type { Sql } from '../db.ts'
import { unsubscribeLink } from '../dnc/unsubscribe-token.ts'
import { bodyParts } from '../email/body.ts'
import { type ComposedEmail, composeEmail } from '../email/compose.ts'
import type { SmtpSettings } from '../email/smtp-connection.ts'
import { unsubscribeHeaders } from '../email/unsubscribe.ts'
import { AppError } from '../errors.ts'
import { failpoint } from '../failpoints.ts'
import type { ClaimedSend } from '../inbox/sends.ts'
import { findMailbox, mailboxTransport, type StoredMailbox } from '../mailboxes/transport.ts'
import { passGate, type Refusal } from './gate.ts'
import {
  type Attempt,
  type Contact,
  fail,
  failMailbox,
  type Outgoing,
  recordEnding,
  recordUnconfirmed,
  settle,
} from './record-ending.ts'
import type { SmtpPools } from './smtp-pools.ts'

/**
 * Takes a claimed send to its mail server and records how it ended. The gate stands between the message and its
 * final dot; what is not known to be undelivered is never tried again.
 */
export async function sendEmail(app: App, pools: SmtpPools, claim: ClaimedSend): Promise<void> {
  await failpoint('send.claimed', claim.mailboxId)
  const read = await inAccount(app.db.app, claim.accountId, async tx => ({
    outgoing: await readOutgoing(tx, claim.messageId),
    mailbox: await findMailbox(tx, claim.mailboxId),
  }))
  await failpoint('send.read', claim.mailboxId)
  if (!read.outgoing) throw new Error(`send ${claim.messageId} has no message`)
  const attempt: Attempt = { app, claim, outgoing: read.outgoing }
  const { mailbox } = read
  if (mailbox?.status !== 'active') return settle(attempt, { kind: 'later', reason: 'no_working_mailbox' })
  const composed = await tryCompose(attempt)
  if (!composed) return
  await failpoint('send.composed', claim.mailboxId)
  let refusal: Refusal | undefined
  const transport = tryTransport(app, mailbox)
  if (typeof transport === 'string') return failMailbox(attempt, transport)
  const ending = await pools.poolOf(mailbox.id, transport).send({
    ...composed,
    gate: async () => {
      refusal = await askGate(app, claim)
      return refusal === undefined
    },
  })
  await failpoint('record.began', claim.mailboxId)
  await recordEnding(attempt, ending, refusal)
  await failpoint('send.ended', claim.mailboxId)
  app.log.info({
    accountId: claim.accountId,
    messageId: claim.messageId,
    attempts: claim.attempts,
    outcome: ending.outcome,
    refusal: refusal?.reason,
  })
}

/** A gate that cannot be asked stays shut: nothing was delivered, and that is known. */
async function askGate(app: App, claim: ClaimedSend): Promise<Refusal | undefined> {
  try {
    return await passGate(app, claim)
  } catch (err) {
    app.log.error({ accountId: claim.accountId, messageId: claim.messageId, err }, 'engine: the gate failed')
    return { kind: 'again', reason: 'gate_failed' }
  }
}

/** How to reach the server, or why its password cannot be read. */
function tryTransport(app: App, mailbox: StoredMailbox): SmtpSettings | string {
  try {
    return mailboxTransport(app, mailbox)
  } catch (fault) {
    if (fault instanceof AppError) return fault.message
    throw fault
  }
}

/** Prospect and campaign are those whose step it is: what a person wrote is none, though its thread has both. */
const readOutgoing = async (tx: Sql, id: string): Promise<Outgoing | undefined> => {
  const [message] = await tx<Outgoing[]>`
    select m.id, e.prospect_id as "prospectId", e.campaign_id as "campaignId", m.subject, m.body,
           m.body_format as "bodyFormat", m.sender, m.recipients, m.message_id as "messageId",
           m.in_reply_to as "inReplyTo", m.reference_ids as "referenceIds"
      from email_sends e
      join email_messages m on m.account_id = e.account_id and m.id = e.message_id
     where e.account_id = current_account_id() and e.message_id = ${id}`
  return message
}

/** For steps alone: what a person wrote to one other is no mailing. */
function optOutHeaders({ app, claim, outgoing }: Attempt): Record<string, string> {
  if (!outgoing.campaignId) return {}
  const email = outgoing.recipients.to[0]!.email
  const link = unsubscribeLink(app, { accountId: claim.accountId, emailMessageId: outgoing.id, email })
  return unsubscribeHeaders(outgoing.sender.email, link)
}

/** What cannot be put into a mail will not fit the next time either. */
async function tryCompose(attempt: Attempt): Promise<ComposedEmail | undefined> {
  const { outgoing, app } = attempt
  const address = ({ name, email }: Contact) => ({ name, address: email })
  try {
    return await composeEmail({
      messageId: outgoing.messageId,
      from: address(outgoing.sender),
      to: outgoing.recipients.to.map(address),
      cc: outgoing.recipients.cc?.map(address),
      bcc: outgoing.recipients.bcc?.map(address),
      subject: outgoing.subject,
      ...bodyParts(outgoing.body, outgoing.bodyFormat),
      inReplyTo: outgoing.inReplyTo ?? undefined,
      references: outgoing.referenceIds,
      headers: optOutHeaders(attempt),
      date: app.now(),
    })
  } catch (fault) {
    if (!(fault instanceof AppError)) throw fault
    if (fault.code === 'InternalServerError')
      app.log.error({ messageId: outgoing.id, err: fault }, 'engine: a mail was put together wrongly')
    await fail(attempt, 'failed', fault.message)
    return undefined
  }
}

/** A send whose worker died behind the gate ends like one whose answer was lost. */
export async function giveUpLostSend(app: App, claim: ClaimedSend): Promise<void> {
  await failpoint('lost.found', claim.mailboxId)
  const outgoing = await inAccount(app.db.app, claim.accountId, tx => readOutgoing(tx, claim.messageId))
  if (outgoing)
    await recordUnconfirmed({ app, claim, outgoing }, 'The server was stopped at the moment of sending')
}
