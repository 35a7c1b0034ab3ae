import { audit } from '../../server/domain/accounts/audit-log.ts'
import { launchCampaign } from '../../server/domain/campaigns/launch-campaign.ts'
import {
  insertEmailMessage,
  type NewEmailMessage,
  openThread,
} from '../../server/domain/messages/write-email-messages.ts'
import {
  insertLinkedinMessage,
  openConversation,
} from '../../server/domain/messages/write-linkedin-messages.ts'
import { countOpenProspects } from '../../server/domain/prospects/incomplete.ts'
import { rescheduleProspects } from '../../server/domain/prospects/reschedule.ts'
import { failIncompleteProspects } from '../../server/domain/rendering/fail-incomplete-prospects.ts'
import { storeReply } from '../../server/domain/reply-agent/replies.ts'
import { assignTags } from '../../server/domain/tags/tags.ts'
import { type App, type Context, inAccount } from '../../server/kernel/context.ts'
import { pipeline, type Sql } from '../../server/kernel/db/database.ts'
import { detectReplyIntent } from '../../server/protocols/mail-reading/reply-intent.ts'
import type { AccountKey } from '../data/accounts.ts'
import { getAccountId, type Rows } from './seed-context.ts'
import { buildSeedData, type SeedData } from './seed-data.ts'

/** Seeds an account in one transaction; does nothing when it is already seeded. */
export const seedAccount = (app: App, account: AccountKey): Promise<void> =>
  inAccount(app.db.app, getAccountId(account), async tx => {
    const accountId = getAccountId(account)
    // Locked, so that a second process that starts at the same time waits and then finds the data.
    await tx`select from accounts where id = ${accountId} for update`
    const [found] = await tx`select from campaigns where account_id = ${accountId} limit 1`
    if (found) return
    const data = buildSeedData(account, app.now())
    const ctx = createOwnerContext(app, tx, accountId, data.ownerId)
    await insertRows(tx, data.rows)
    await insertInbox(ctx, data)
    if (data.launchedCampaignId)
      await launchCampaign(
        ctx,
        { campaignId: data.launchedCampaignId },
        {
          ...{ rescheduleProspects, failIncompleteProspects, countOpenProspects },
          // Only the response of the launch has the forecast, and it is discarded here.
          forecastFirstSend: async () => undefined,
        },
      )
    await audit(ctx, 'fill_with_demo', 'account', accountId)
  })

/** Inserts rows directly, because operations cannot act in the past. */
const insertRows = (tx: Sql, rows: Record<string, Rows>): Promise<unknown> =>
  pipeline(
    ...Object.entries(rows)
      .filter(([, rows]) => rows.length > 0)
      .map(([table, rows]) => tx`insert into ${tx.identifier(table)} ${tx.rows(rows)}`),
  )

async function insertInbox(
  ctx: Context,
  { threads, conversations, sends, received, tasks }: SeedData,
): Promise<void> {
  const { sql: tx } = ctx
  // Pipelined: the connection keeps their order without waiting for each result.
  await Promise.all(threads.map(thread => openThread(tx, thread)))
  await Promise.all(conversations.map(conversation => openConversation(tx, conversation)))
  await Promise.all(threads.flatMap(({ messages }) => messages.map(each => insertEmailMessage(tx, each))))
  await Promise.all(
    conversations.flatMap(({ messages }) => messages.map(each => insertLinkedinMessage(tx, each))),
  )
  await insertRows(tx, { email_sends: sends, received_mails: received, tasks })
  for (const { id, tags } of threads) {
    if (tags.length > 0) await assignTags(ctx, { entityType: 'email_thread', entityId: id, tags })
  }
  for (const { id, tags } of conversations) {
    if (tags.length > 0) await assignTags(ctx, { entityType: 'linkedin_conversation', entityId: id, tags })
  }
  await backdateInbox(ctx)
  await Promise.all(
    threads.flatMap(({ messages }) =>
      messages.filter(({ type }) => type === 'received').map(each => classifyByRules(ctx, each)),
    ),
  )
}

/** Classifies a reply as of its arrival; the engine drafts pending answers once it runs. */
const classifyByRules = (
  { sql, app }: Context,
  { id, body, received, sentAt }: NewEmailMessage & { id: string },
) =>
  storeReply(sql, {
    messageId: id,
    isHuman: received?.kind !== 'auto_reply',
    classification:
      received?.kind === 'auto_reply' ? { intent: 'auto' } : (detectReplyIntent(body, sentAt) ?? {}),
    receivedAt: sentAt,
    now: app.now(),
  })

/** Sets the timestamps of the inbox to those of its messages. */
const backdateInbox = ({ sql, accountId }: Context): Promise<unknown> =>
  pipeline(
    sql`
      update email_messages set created_at = sent_at, updated_at = sent_at where account_id = ${accountId}`,
    sql`
      update email_threads t set created_at = m.first, updated_at = m.last
        from (select thread_id, min(sent_at) as first, max(sent_at) as last
                from email_messages where account_id = ${accountId} group by 1) m
       where t.account_id = ${accountId} and t.id = m.thread_id`,
    sql`
      update linkedin_messages set created_at = happened_at, updated_at = happened_at
       where account_id = ${accountId}`,
    sql`
      update linkedin_conversations c set created_at = m.first, updated_at = m.last
        from (select conversation_record_id as id, min(happened_at) as first, max(happened_at) as last
                from linkedin_messages where account_id = ${accountId} group by 1) m
       where c.account_id = ${accountId} and c.id = m.id`,
  )

export const createOwnerContext = (app: App, sql: Sql, accountId: string, userId: string): Context => ({
  app,
  sql,
  accountId,
  userId,
  role: 'owner',
  actor: 'cli',
  isReadOnly: false,
  requestId: 'demo',
  afterCommit: () => {},
})
