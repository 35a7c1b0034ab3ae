import { findSigningKeys, trySigningKey } from '../../domain/domains/dkim-keys.ts'
import { findMailboxes, type StoredMailbox, tryTransport } from '../../domain/mailboxes/transport.ts'
import type { ClaimedSend } from '../../domain/outbox/claim-sends.ts'
import { composeOutgoing, type Outgoing } from '../../domain/outbox/compose-outgoing.ts'
import { sendByKey } from '../../domain/outbox/sends.ts'
import { type UnsubscribeLink, unsubscribeLink } from '../../domain/people/opt-outs/unsubscribe-token.ts'
import type { App } from '../../kernel/context.ts'
import { inAccount } from '../../kernel/context.ts'
import { Batcher } from '../../kernel/db/batch.ts'
import type { Sql } from '../../kernel/db/database.ts'
import { AppError } from '../../kernel/errors.ts'
import { failpoint } from '../../kernel/failpoints.ts'
import { measureStage } from '../../kernel/metrics.ts'
import type { ComposedEmail } from '../../protocols/mime/compose.ts'
import type { SigningKey } from '../../protocols/mime/dkim.ts'
import { toPlusAddress } from '../../protocols/mime/plus-address.ts'
import type { Attempt, PlannedMail } from '../attempt/attempt.ts'
import { mayTry } from './circuit-breaker.ts'
import { passGate, type Refusal } from './gate.ts'
import { fail, failMailbox, recordEnding, recordUnconfirmed, settle } from './record-result.ts'
import type { SmtpPools } from './smtp-pools.ts'
import { keepGap } from './throttle.ts'

/**
 * Takes a claimed send to its mail server and records how it ended. The gate stands between the message and its
 * final dot; what is not known to be undelivered is never tried again.
 */
export async function sendEmail(
  app: App,
  pools: SmtpPools,
  claim: ClaimedSend,
  planned?: PlannedMail,
): Promise<void> {
  await failpoint('send.claimed', claim.mailboxId)
  const { metrics } = app
  const read = await measureStage(metrics, 'read', () =>
    reading.run({ app, claim, outgoing: planned?.outgoing }),
  )
  await failpoint('send.read', claim.mailboxId)
  if (!read.outgoing) throw new Error(`send ${claim.messageId} has no message`)
  const { mailbox } = read
  const attempt: Attempt = { app, claim, outgoing: read.outgoing, mailbox }
  if (mailbox?.status !== 'active') return settle(attempt, { kind: 'later', reason: 'no_working_mailbox' })
  if (!(await keepGap(attempt, mailbox))) return
  if (!(await mayTry(attempt, mailbox))) return
  const { signingKey } = read
  if (typeof signingKey === 'string') return failMailbox(attempt, signingKey)
  const unsubscribe = planned?.unsubscribe ?? unsubscribeLinkOf(attempt)
  const composed = await measureStage(metrics, 'compose', () =>
    tryCompose(attempt, { unsubscribe, signingKey }),
  )
  if (!composed) return
  await failpoint('send.composed', claim.mailboxId)
  let refusal: Refusal | undefined
  const transport = tryTransport(app, mailbox)
  if (typeof transport === 'string') return failMailbox(attempt, transport)
  const ending = await measureStage(metrics, 'smtp', () =>
    pools.poolOf(mailbox.id, transport).send({
      ...composed,
      gate: async () => {
        refusal = await measureStage(metrics, 'gate', () => askGate(app, claim))
        return refusal === undefined
      },
    }),
  )
  await failpoint('record.began', claim.mailboxId)
  await measureStage(metrics, 'record', () => recordEnding(attempt, ending, refusal))
  metrics.sends.inc({ outcome: ending.outcome })
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

type Read = {
  outgoing: Outgoing | undefined
  mailbox: StoredMailbox | undefined
  /** With what its domain signs, or why that cannot be read. */
  signingKey: SigningKey | string | undefined
}

type Asked = Pick<Attempt, 'app' | 'claim'> & { outgoing?: Outgoing | undefined }

const reading = new Batcher<Asked, Read>(asked => {
  const [{ app, claim }] = asked
  return inAccount(app.db.work, claim.accountId, async tx => {
    const unread = asked.filter(({ outgoing }) => !outgoing).map(each => each.claim)
    const outgoings = unread.length > 0 ? await readOutgoings(tx, unread) : []
    const mailboxIds = new Set(asked.map(each => each.claim.mailboxId))
    const senders = await findSenders(app, tx, [...mailboxIds])
    return asked.map(({ claim: { messageId, mailboxId }, outgoing }) => ({
      outgoing: outgoing ?? outgoings.find(({ id }) => id === messageId),
      mailbox: undefined,
      signingKey: undefined,
      ...senders.get(mailboxId),
    }))
  })
})

async function findSenders(
  app: App,
  tx: Sql,
  mailboxIds: string[],
): Promise<Map<string, Omit<Read, 'outgoing'>>> {
  const mailboxes = await findMailboxes(tx, mailboxIds)
  const domainOf = ({ email }: StoredMailbox) => email.slice(email.lastIndexOf('@') + 1)
  const keys = await findSigningKeys(tx, [...new Set(mailboxes.map(domainOf))])
  const signingKeys = new Map(keys.map(key => [key.domain, trySigningKey(app, key)]))
  return new Map(
    mailboxes.map(mailbox => [mailbox.id, { mailbox, signingKey: signingKeys.get(domainOf(mailbox)) }]),
  )
}

/** Prospect and campaign are those whose step it is: what a person wrote is none, though its thread has both. */
const readOutgoings = (tx: Sql, claims: readonly ClaimedSend[]): Promise<Outgoing[]> => tx<Outgoing[]>`
  select m.id, e.is_repeat as "isRepeat", e.prospect_id as "prospectId", e.campaign_id as "campaignId", m.subject, m.body,
         m.body_format as "bodyFormat", m.sender, m.recipients, m.message_id as "messageId",
         m.in_reply_to as "inReplyTo", m.reference_ids as "referenceIds"
    from unnest(${claims.map(({ messageId }) => messageId)}::uuid[]) claimed(id)
   cross join lateral (${sendByKey(tx, tx`claimed.id`)}) e
   cross join lateral (select * from email_messages where account_id = e.account_id and id = e.message_id limit 1) m`

function unsubscribeLinkOf({ app, claim, outgoing }: Attempt): UnsubscribeLink | undefined {
  if (!outgoing.campaignId) return undefined
  const email = outgoing.recipients.to[0]!.email
  return unsubscribeLink(app, { accountId: claim.accountId, emailMessageId: outgoing.id, email })
}

/** What cannot be put into a mail will not fit the next time either. */
async function tryCompose(
  attempt: Attempt,
  options: { unsubscribe: UnsubscribeLink | undefined; signingKey: SigningKey | undefined },
): Promise<ComposedEmail | undefined> {
  const { outgoing, app, mailbox, claim } = attempt
  try {
    const composed = await composeOutgoing(claim.accountId, outgoing, app.now(), options)
    if (!mailbox?.plusAddressing) return composed
    const from = toPlusAddress(composed.envelope.from, outgoing.messageId)
    return { ...composed, envelope: { ...composed.envelope, from } }
  } catch (fault) {
    if (!(fault instanceof AppError)) throw fault
    if (fault.code === 'InternalServerError')
      app.log.error({ messageId: outgoing.id, err: fault }, 'engine: a mail was put together wrongly')
    await fail(attempt, fault.message)
    return undefined
  }
}

/** A send whose worker died behind the gate ends like one whose answer was lost. */
export async function giveUpLostSend(app: App, claim: ClaimedSend): Promise<void> {
  await failpoint('lost.found', claim.mailboxId)
  const [outgoing] = await inAccount(app.db.work, claim.accountId, tx => readOutgoings(tx, [claim]))
  if (outgoing)
    await recordUnconfirmed(
      { app, claim, outgoing, isHandedOver: true },
      'The server was stopped at the moment of sending',
    )
}
