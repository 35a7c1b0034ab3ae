import type { ClaimedSend } from '../../domain/outbox/claim-sends.ts'
import { personOfSend } from '../../domain/outbox/person-of-send.ts'
import { commitDotPending, sendByKey } from '../../domain/outbox/sends.ts'
import { findOptOutOfEach } from '../../domain/people/opt-outs/opted-out.ts'
import { type Clock, clockColumns } from '../../domain/prospects/due-time.ts'
import { isStale, repliesReadAt } from '../../domain/prospects/inbox-freshness.ts'
import { type App, inAccount } from '../../kernel/context.ts'
import { Batcher } from '../../kernel/db/batch.ts'
import type { Sql } from '../../kernel/db/database.ts'
import { failpoint, failpointForEach } from '../../kernel/failpoints.ts'
import { LEASE_MS } from '../attempt/lease.ts'
import { maySend } from '../attempt/may-send.ts'

/** `stop`: never; `later`: not as things stand; `again`: nobody knows, so ask once more; `void`: not ours any more. */
export type Refusal = { kind: 'stop' | 'later' | 'again' | 'void'; reason: string }

const isVoid: Refusal = { kind: 'void', reason: 'claimed_again' }

/** Its worker stood still: others may have given it up as lost meanwhile, and then no opt-out waits for it any more. */
const isTooLate: Refusal = { kind: 'again', reason: 'gate_took_too_long' }

type Asked = { app: App; claim: ClaimedSend }

/**
 * Asked when a message is complete at the mail server but for its last bytes. Commits `dot_pending` first and reads
 * what forbids the sending afterwards, from the primary: an opt-out stores its entry first and looks for
 * `dot_pending` afterwards, so at least one of the two sees the other. No lock is held over SMTP. Mails of an account
 * that stand here together share the transactions; each has its own answer.
 */
export async function passGate(app: App, claim: ClaimedSend): Promise<Refusal | undefined> {
  await failpoint('gate.asked', claim.mailboxId)
  const { verdict, until } = await passing.run({ app, claim })
  return (await verdict) ?? (app.now() < until ? undefined : isTooLate)
}

type Passed = { verdict: Promise<Refusal | undefined>; until: Date }

/** Who comes meanwhile waits for the end of both transactions, and so shares both with more others. */
const passing = new Batcher<Asked, Passed>(async asked => {
  const { areOurs, until } = await mark(asked)
  const verdicts = asked.map(async (each, index) => {
    await failpoint('gate.committed', each.claim.mailboxId)
    return areOurs[index] ? judging.run(each) : isVoid
  })
  await Promise.allSettled(verdicts)
  return verdicts.map(verdict => ({ verdict, until }))
})

const mark = (asked: readonly [Asked, ...Asked[]]): Promise<{ areOurs: boolean[]; until: Date }> => {
  const [{ app, claim }] = asked
  return inAccount(app.db.work, claim.accountId, async tx => {
    const until = new Date(app.now().getTime() + LEASE_MS)
    const areOurs = await commitDotPending(
      tx,
      asked.map(each => each.claim),
      until,
    )
    await failpointForEach('gate.marked', asked)
    return { areOurs, until }
  })
}

const judging = new Batcher<Asked, Refusal | undefined>(asked => {
  const [{ app, claim }] = asked
  // It changes nothing, so what it read is told without waiting for its commit.
  const { promise, resolve, reject } = Promise.withResolvers<(Refusal | undefined)[]>()
  inAccount(app.db.gate, claim.accountId, async tx => {
    const rows = await readGateFacts(
      tx,
      asked.map(each => each.claim.messageId),
    )
    await failpointForEach('gate.facts_read', asked)
    const facts = asked.map(each => rows.find(row => row.messageId === each.claim.messageId))
    const optOuts = await findOptOutOfEach(
      { sql: tx, accountId: claim.accountId },
      facts.map(each => (each ? { ...each, emails: addressesOf(each) } : {})),
    )
    await failpointForEach('gate.list_read', asked)
    resolve(asked.map((each, index) => judge(each, facts[index], optOuts[index]?.value)))
  }).catch(reject)
  return promise
})

const readGateFacts = (tx: Sql, messageIds: string[]): Promise<GateFacts[]> => tx<GateFacts[]>`
  select e.message_id as "messageId", e.recipient_emails as "recipientEmails", e.epoch, e.state,
         -- What a person has sent again goes out though its step, or all, was over.
         case when e.is_repeat and r.status = 'completed' then 'active' else r.status end as "prospectStatus",
         case when e.is_repeat and c.status = 'completed' then 'active' else c.status end as "campaignStatus",
         p.email, p.linkedin_url as "linkedinUrl", e.is_repeat as "isRepeat", ${clockColumns(tx)},
         ${repliesReadAt(tx)} as "repliesReadAt"
    from unnest(${messageIds}::uuid[]) asked(id)
   cross join lateral (${sendByKey(tx, tx`asked.id`)}) e
    join accounts a on a.id = e.account_id
    left join prospects r on r.account_id = e.account_id and r.id = e.prospect_id
    left join campaigns c on c.account_id = r.account_id and c.id = r.campaign_id
    left join lateral (${personOfSend(tx)}) p on true`

function judge(
  { app, claim }: Asked,
  facts: GateFacts | undefined,
  optOut: string | undefined,
): Refusal | undefined {
  // Also when this worker stood still so long that its send was given up as lost.
  if (facts?.epoch !== claim.epoch || facts.state !== 'dot_pending') return isVoid
  const decision = maySend(
    {
      ...facts,
      // A draft that a person sends belongs to no campaign that could be paused, or closed at this hour.
      campaignStatus: facts.campaignStatus ?? 'active',
      prospectStatus: facts.prospectStatus ?? 'active',
      schedule: facts.isRepeat ? null : facts.schedule,
      wait: undefined,
      awayUntil: facts.isRepeat ? null : facts.awayUntil,
      optOut,
      email: facts.recipientEmails[0] ?? facts.email,
      mailboxId: claim.mailboxId,
      isInboxStale: isStale(app, facts.repliesReadAt),
      // Its place was taken when it was planned.
      newcomers: undefined,
      room: undefined,
    },
    app.now(),
  )
  if (decision.kind !== 'send') return decision
  return isMisaddressed(facts) ? { kind: 'later', reason: 'address_changed' } : undefined
}

/** A step goes to its person, whose address was corrected after it was written; it is written afresh then. */
const isMisaddressed = ({ prospectStatus, isRepeat, recipientEmails, email }: GateFacts): boolean =>
  prospectStatus !== null && !isRepeat && recipientEmails[0] !== email

/** Where it goes, and where else the person may have said that they want nothing more. */
const addressesOf = ({ recipientEmails, email }: GateFacts): string[] => [
  ...new Set([...recipientEmails, ...(email ? [email] : [])]),
]

type GateFacts = Clock & {
  messageId: string
  recipientEmails: string[]
  epoch: bigint
  state: string
  prospectStatus: string | null
  campaignStatus: string | null
  email: string | null
  linkedinUrl: string | null
  isRepeat: boolean
  repliesReadAt: Date | null
}
