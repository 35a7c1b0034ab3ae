import { isMailboxPaused } from '../../domain/mailboxes/pause-mailbox.ts'
import type { ClaimedSend } from '../../domain/outbox/claim-sends.ts'
import { selectSendPerson } from '../../domain/outbox/select-send-person.ts'
import { commitDotPending, selectSend } from '../../domain/outbox/sends.ts'
import { type Contact, findOptOutForEach } from '../../domain/people/opt-outs/find-opt-outs.ts'
import {
  type RecipientContact,
  selectRecipientContacts,
} from '../../domain/people/persons/recipient-contacts.ts'
import { type Clock, clockColumns } from '../../domain/prospects/due-time.ts'
import { inboxSyncedAt, isInboxStale } from '../../domain/prospects/inbox-freshness.ts'
import { isRepRemoved } from '../../domain/prospects/sender.ts'
import { type App, inAccount } from '../../kernel/context.ts'
import { Batcher } from '../../kernel/db/batch.ts'
import type { Sql } from '../../kernel/db/database.ts'
import { failpoint, failpointForEach } from '../../kernel/failpoints.ts'
import { LEASE_MS } from '../attempt/lease.ts'
import { maySend } from '../attempt/may-send.ts'

/**
 * The reason the gate withholds a send. `stop`: never send it; `later`: it may become allowed; `again`: undecided,
 * retry soon; `void`: the claim has passed to another worker.
 */
export type Refusal = { kind: 'stop' | 'later' | 'again' | 'void'; reason: string }

const lostClaim: Refusal = { kind: 'void', reason: 'claimed_again' }

/**
 * The refusal for a worker that was frozen: its send may have been given up as lost, and opt-outs no longer wait for
 * it.
 */
const tooLate: Refusal = { kind: 'again', reason: 'gate_took_too_long' }

type GateRequest = { app: App; claim: ClaimedSend }

/**
 * Makes the last check before an email is sent, when the mail server has all of it but the final bytes. Returns why the
 * send is withheld, or undefined to release it.
 *
 * Commits `dot_pending` first and then checks, on the primary, whether the send is forbidden. An opt-out stores its
 * entry first and then looks for `dot_pending`, so at least one of the two sees the other. No lock is held during SMTP.
 * Emails of an account that reach the gate together share the transactions.
 */
export async function passGate(app: App, claim: ClaimedSend): Promise<Refusal | undefined> {
  await failpoint('gate.entered', claim.mailboxId)
  const { refusal, until } = await markBatcher.run({ app, claim })
  return (await refusal) ?? (app.now() < until ? undefined : tooLate)
}

type Marked = { refusal: Promise<Refusal | undefined>; until: Date }

/**
 * Finishes both transactions before the next batch starts, so that emails that arrive in the meantime form one batch.
 */
const markBatcher = new Batcher<GateRequest, Marked>(async requests => {
  const { areHeld, until } = await markDotPending(requests)
  const refusals = requests.map(async (each, index) => {
    await failpoint('gate.committed', each.claim.mailboxId)
    return areHeld[index] ? checkBatcher.run(each) : lostClaim
  })
  await Promise.allSettled(refusals)
  return refusals.map(refusal => ({ refusal, until }))
})

const markDotPending = (
  requests: readonly [GateRequest, ...GateRequest[]],
): Promise<{ areHeld: boolean[]; until: Date }> => {
  const [{ app, claim }] = requests
  return inAccount(app.db.work, claim.accountId, async tx => {
    const until = new Date(app.now().getTime() + LEASE_MS)
    const areHeld = await commitDotPending(
      tx,
      requests.map(each => each.claim),
      until,
    )
    await failpointForEach('gate.marked', requests)
    return { areHeld, until }
  })
}

const checkBatcher = new Batcher<GateRequest, Refusal | undefined>(requests => {
  const [{ app, claim }] = requests
  // The transaction only reads, so its results are returned before it commits.
  const { promise, resolve, reject } = Promise.withResolvers<(Refusal | undefined)[]>()
  inAccount(app.db.gate, claim.accountId, async tx => {
    const rows = await readGateFacts(
      tx,
      requests.map(each => each.claim.messageId),
    )
    await failpointForEach('gate.facts_read', requests)
    const facts = requests.map(each => rows.find(row => row.messageId === each.claim.messageId))
    const contacts = facts.map(each => (each ? listContacts(each) : []))
    const entries = await findOptOutForEach({ sql: tx, accountId: claim.accountId, app }, contacts.flat())
    const optOuts = contacts.map(each => entries.splice(0, each.length).find(entry => entry))
    await failpointForEach('gate.list_read', requests)
    resolve(requests.map((each, index) => checkFacts(each, facts[index], optOuts[index]?.value)))
  }).catch(reject)
  return promise
})

const readGateFacts = (tx: Sql, messageIds: string[]): Promise<GateFacts[]> => tx<GateFacts[]>`
  select e.message_id as "messageId", e.recipient_emails as "recipientEmails", e.epoch, e.state,
         -- A message that a person sends again is sent even when its step or campaign has ended.
         case when e.is_repeat and r.status = 'completed' then 'active' else r.status end as "prospectStatus",
         case when e.is_repeat and c.status = 'completed' then 'active' else c.status end as "campaignStatus",
         p.id as "personId", p.email, p.linkedin_url as "linkedinUrl", e.is_repeat as "isRepeat", a.sending_paused_at is not null as "isSendingPaused",
         ${isMailboxPaused(tx, tx`e`)} as "isMailboxPaused",
         e.created_at <= c.steps_changed_at or ${isRepRemoved(tx)} as "isOutdated",
         -- A step is written to its person; other emails may go to anyone.
         case when e.prospect_id is null or e.is_repeat
           then ${selectRecipientContacts(tx, tx`e.recipient_emails`, tx`e.account_id`)} end as "recipientContacts",
         ${clockColumns(tx)},
         ${inboxSyncedAt(tx)} as "inboxSyncedAt"
    from unnest(${messageIds}::uuid[]) requested(id)
   cross join lateral (${selectSend(tx, tx`requested.id`)}) e
    join accounts a on a.id = e.account_id
    left join prospects r on r.account_id = e.account_id and r.id = e.prospect_id
    left join campaigns c on c.account_id = r.account_id and c.id = r.campaign_id
    left join lateral (${selectSendPerson(tx)}) p on true`

function checkFacts(
  { app, claim }: GateRequest,
  facts: GateFacts | undefined,
  optOut: string | undefined,
): Refusal | undefined {
  // Includes a send that was given up as lost while this worker was frozen.
  if (facts?.epoch !== claim.epoch || facts.state !== 'dot_pending') return lostClaim
  const decision = maySend(
    {
      ...facts,
      // Drafts that people send have no campaign, so neither a pause nor a schedule applies.
      campaignStatus: facts.campaignStatus ?? 'active',
      prospectStatus: facts.prospectStatus ?? 'active',
      schedule: facts.isRepeat ? null : facts.schedule,
      wait: undefined,
      awayUntil: facts.isRepeat ? null : facts.awayUntil,
      // An erased person has no addresses left.
      optOut: optOut ?? (facts.recipientEmails.length === 0 ? 'erased' : undefined),
      email: facts.recipientEmails[0] ?? facts.email,
      mailboxId: facts.isMailboxPaused ? undefined : claim.mailboxId,
      isInboxStale: isInboxStale(app, facts.inboxSyncedAt),
      // Limits were applied when the email was planned.
      newProspectLimit: undefined,
      quota: undefined,
    },
    app.now(),
  )
  if (decision.kind !== 'send') return decision
  const isStep = facts.prospectStatus !== null && !facts.isRepeat
  if (!isStep) return undefined
  // These emails are written again.
  if (facts.isOutdated) return { kind: 'later', reason: 'campaign_changed' }
  return facts.recipientEmails[0] === facts.email ? undefined : { kind: 'later', reason: 'address_changed' }
}

/**
 * Lists the contacts whose opt-out forbids the send: the email's person, with their own address and those of the
 * recipients, and the persons those addresses belong to.
 */
const listContacts = (facts: GateFacts): Contact[] => {
  const emails = [...new Set([...facts.recipientEmails, ...(facts.email ? [facts.email] : [])])]
  return [{ ...facts, emails }, ...(facts.recipientContacts ?? [])]
}

type GateFacts = Clock & {
  messageId: string
  recipientEmails: string[]
  epoch: bigint
  state: string
  prospectStatus: string | null
  campaignStatus: string | null
  personId: string | null
  email: string | null
  linkedinUrl: string | null
  recipientContacts: RecipientContact[] | null
  isRepeat: boolean
  isSendingPaused: boolean
  isMailboxPaused: boolean
  /** True if the campaign's steps changed or its rep was removed since the step's email was written. */
  isOutdated: boolean | null
  inboxSyncedAt: Date | null
}
