import { type App, inAccount } from '../context.ts'
import { findOptOut } from '../dnc/opted-out.ts'
import { failpoint } from '../failpoints.ts'
import { type ClaimedSend, commitDotPending } from '../inbox/sends.ts'
import { type Clock, clockColumns } from '../prospects/due-time.ts'
import { isStale, repliesReadAt } from '../prospects/inbox-freshness.ts'
import { LEASE_MS } from './lease.ts'
import { maySend } from './may-send.ts'

/** `stop`: never; `later`: not as things stand; `again`: nobody knows, so ask once more; `void`: not ours any more. */
export type Refusal = { kind: 'stop' | 'later' | 'again' | 'void'; reason: string }

/**
 * Asked when a message is complete at the mail server but for its last bytes. Commits `dot_pending` first and reads
 * what forbids the sending afterwards, from the primary: an opt-out stores its entry first and looks for
 * `dot_pending` afterwards, so at least one of the two sees the other. No lock is held over SMTP.
 */
export async function passGate(app: App, claim: ClaimedSend): Promise<Refusal | undefined> {
  await failpoint('gate.asked', claim.mailboxId)
  const isOurs = await inAccount(app.db.work, claim.accountId, async tx => {
    const isMarked = await commitDotPending(tx, claim, new Date(app.now().getTime() + LEASE_MS))
    await failpoint('gate.marked', claim.mailboxId)
    return isMarked
  })
  await failpoint('gate.committed', claim.mailboxId)
  if (!isOurs) return { kind: 'void', reason: 'claimed_again' }
  return inAccount(app.db.gate, claim.accountId, async tx => {
    const [facts] = await tx<GateFacts[]>`
      select e.recipient_emails as emails, e.epoch, e.state,
             -- What a person has sent again goes out though its step, or all, was over.
             case when e.is_repeat and r.status = 'completed' then 'active' else r.status end as "prospectStatus",
             case when e.is_repeat and c.status = 'completed' then 'active' else c.status end as "campaignStatus",
             p.email, p.linkedin_url as "linkedinUrl", e.is_repeat as "isRepeat", ${clockColumns(tx)},
             ${repliesReadAt(tx)} as "repliesReadAt"
        from email_sends e
        join accounts a on a.id = e.account_id
        left join prospects r on r.account_id = e.account_id and r.id = e.prospect_id
        left join campaigns c on c.account_id = r.account_id and c.id = r.campaign_id
        left join persons p on p.account_id = r.account_id and p.id = r.person_id
       where e.account_id = current_account_id() and e.message_id = ${claim.messageId}`
    await failpoint('gate.facts_read', claim.mailboxId)
    // Also when this worker stood still so long that its send was given up as lost.
    if (facts?.epoch !== claim.epoch || facts.state !== 'dot_pending')
      return { kind: 'void', reason: 'claimed_again' }
    const emails = [...new Set([...facts.emails, ...(facts.email ? [facts.email] : [])])]
    const optOut = await findOptOut({ sql: tx, accountId: claim.accountId }, { ...facts, emails })
    await failpoint('gate.list_read', claim.mailboxId)
    const decision = maySend(
      {
        ...facts,
        // A draft that a person sends belongs to no campaign that could be paused, or closed at this hour.
        campaignStatus: facts.campaignStatus ?? 'active',
        prospectStatus: facts.prospectStatus ?? 'active',
        schedule: facts.isRepeat ? null : facts.schedule,
        wait: undefined,
        awayUntil: facts.isRepeat ? null : facts.awayUntil,
        optOut: optOut?.value,
        email: emails[0] ?? null,
        mailboxId: claim.mailboxId,
        isInboxStale: isStale(app, facts.repliesReadAt),
        // Its place was taken when it was planned.
        newcomers: undefined,
        room: undefined,
      },
      app.now(),
    )
    return decision.kind === 'send' ? undefined : decision
  })
}

type GateFacts = Clock & {
  emails: string[]
  epoch: bigint
  state: string
  prospectStatus: string | null
  campaignStatus: string | null
  email: string | null
  linkedinUrl: string | null
  isRepeat: boolean
  repliesReadAt: Date | null
}
