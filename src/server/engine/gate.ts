import { type App, inAccount } from '../context.ts'
import { findOptOut } from '../dnc/opted-out.ts'
import { failpoint } from '../failpoints.ts'
import { type ClaimedSend, commitDotPending } from '../inbox/sends.ts'
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
  const isOurs = await inAccount(app.db.app, claim.accountId, async tx => {
    const isMarked = await commitDotPending(tx, claim, new Date(app.now().getTime() + LEASE_MS))
    await failpoint('gate.marked', claim.mailboxId)
    return isMarked
  })
  await failpoint('gate.committed', claim.mailboxId)
  if (!isOurs) return { kind: 'void', reason: 'claimed_again' }
  return inAccount(app.db.app, claim.accountId, async tx => {
    const [facts] = await tx<GateFacts[]>`
      select e.recipient_emails as emails, e.epoch, e.state, r.status as "prospectStatus", c.status as "campaignStatus",
             p.email, p.linkedin_url as "linkedinUrl", p.phone
        from email_sends e
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
    const decision = maySend({
      // A draft that a person sends belongs to no campaign that could be paused.
      campaignStatus: facts.campaignStatus ?? 'active',
      prospectStatus: facts.prospectStatus ?? 'active',
      optOut: optOut?.value,
      email: emails[0] ?? null,
      mailboxId: claim.mailboxId,
    })
    return decision.kind === 'send' ? undefined : decision
  })
}

type GateFacts = {
  emails: string[]
  epoch: bigint
  state: string
  prospectStatus: string | null
  campaignStatus: string | null
  email: string | null
  linkedinUrl: string | null
  phone: string | null
}
