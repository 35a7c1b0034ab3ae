import { auditEngine } from '../../domain/accounts/audit-log.ts'
import { queueDraft } from '../../domain/inbox/queue-draft.ts'
import type { ReplyDraft } from '../../domain/inbox/reply-draft.ts'
import { lockMessageThread } from '../../domain/messages/write-email-messages.ts'
import { isInboxStale, mailboxSyncedAt } from '../../domain/prospects/inbox-freshness.ts'
import type { ClaimedReply } from '../../domain/reply-agent/claim-replies.ts'
import {
  countSentByAutopilot,
  endReply,
  recordAutopilotSent,
  releaseReply,
} from '../../domain/reply-agent/replies.ts'
import { findStoredAgent, hasThreadContinued } from '../../domain/reply-agent/reply-facts.ts'
import { type App, inAccount } from '../../kernel/context.ts'
import { retryOnDeadlock, type Sql } from '../../kernel/db/database.ts'
import { failpoint } from '../../kernel/failpoints.ts'

const DAY_MS = 86_400_000
/** Delay before a draft that waits for a sync of the inbox is tried again. */
const SYNC_WAIT_MS = 60_000
/** Attempts before the draft is left for a person. */
const MAX_ATTEMPTS = 5

/**
 * Queues a scheduled draft, which is then sent like any other email, through the same gate. When a person has
 * edited the draft or written in the thread in the meantime, it is left for them. While the inbox can't be synced, the
 * draft waits, because the prospect may have written again.
 */
export const sendByAutopilot = (app: App, claim: ClaimedReply): Promise<void> =>
  retryOnDeadlock(() =>
    inAccount(app.db.work, claim.accountId, async tx => {
      await lockMessageThread(tx, claim.messageId)
      const now = app.now()
      const agent = await findStoredAgent(tx, { onlyEnabled: true, forUpdate: true })
      const scheduled = await findScheduled(tx, claim)
      if (!scheduled) return
      const { draftId, intent, isUntouched, inboxSyncedAt, draft } = scheduled
      const leaveForReview = (reason: string) => endReply(tx, claim, { state: 'done', reason })
      if (claim.attempts > MAX_ATTEMPTS) return void (await leaveForReview('error'))
      if (!agent?.autopilotIntents.some(each => each === intent))
        return void (await leaveForReview('turned_off'))
      if (!isUntouched) return void (await leaveForReview('edited'))
      if (await hasThreadContinued(tx, claim, { draftId, drafts: 'counted' }))
        return void (await leaveForReview('newer_message'))
      if (isInboxStale(app, inboxSyncedAt))
        return void (await releaseReply(tx, claim, new Date(now.getTime() + SYNC_WAIT_MS)))
      const sent = await countSentByAutopilot(tx, new Date(now.getTime() - DAY_MS))
      if (sent >= agent.autopilotDailyCap) return void (await leaveForReview('daily_cap'))
      const refusal = await queueDraft({ app, sql: tx, accountId: claim.accountId }, draftId, draft)
      if (refusal)
        return void (await leaveForReview(refusal.reason === 'being_sent' ? 'edited' : refusal.reason))
      await recordAutopilotSent(tx, claim, now)
      await failpoint('reply.sending', claim.messageId)
      await auditEngine(tx, 'send', 'email_message', draftId)
    }),
  )

type Scheduled = {
  draftId: string
  intent: string
  /** False when the draft was edited, queued or deleted. */
  isUntouched: boolean
  inboxSyncedAt: Date | null
  draft: ReplyDraft
}

/** Finds the scheduled draft; undefined when the claim is lost. */
async function findScheduled(tx: Sql, { messageId, epoch }: ClaimedReply): Promise<Scheduled | undefined> {
  const [row] = await tx<(Omit<Scheduled, 'draft'> & ReplyDraft)[]>`
    select r.draft_id as "draftId", r.intent,
           coalesce(d.status = 'draft' and d.delivery_status is null and d.updated_at = r.drafted_at, false) as "isUntouched",
           d.thread_id as "threadId", t.person_id as "personId", d.prospect_id as "prospectId", d.rep_id as "repId", t.mailbox_id as "mailboxId",
           d.recipients, ${mailboxSyncedAt(tx, tx`t`)} as "inboxSyncedAt"
      from agent_replies r
      left join email_messages d on d.account_id = r.account_id and d.id = r.draft_id
      left join email_threads t on t.account_id = d.account_id and t.id = d.thread_id
     where r.account_id = current_account_id() and r.email_message_id = ${messageId} and r.epoch = ${epoch}
       and r.state = 'scheduled'`
  if (!row) return undefined
  const { draftId, intent, isUntouched, inboxSyncedAt, ...draft } = row
  return { draftId, intent, isUntouched, inboxSyncedAt, draft }
}
