import { join } from 'node:path'
import type { FastifyInstance } from 'fastify'
import type { Installation } from '../server/installation.ts'
import { inAccount } from '../server/kernel/context.ts'
import type { Sql } from '../server/kernel/db/database.ts'
import type { Running } from '../server/main.ts'
import { accounts } from './data/accounts.ts'
import { trialCampaignKey } from './data/campaigns.ts'
import { type DemoInfo, formatInstructions } from './instructions.ts'
import { connectRecordings, mountDemoRecordings } from './recordings.ts'
import { seedAccount } from './seed/seed-account.ts'
import { createSeedContext, getAccountId } from './seed/seed-context.ts'
import { seedUsers } from './seed/seed-users.ts'
import { ensureTokens } from './seed/tokens.ts'
import { simulateRecipients } from './simulation/recipients.ts'
import { openWebhookReceiver } from './webhook/receiver.ts'

export type Demo = {
  info: DemoInfo
  formatInstructions: (url: string) => string
  /** Registers the demo's own routes. */
  mount: (server: FastifyInstance) => Promise<void>
  /** Connects the webhook and simulates recipients until the result is disposed of. */
  start: (running: Running) => Promise<AsyncDisposable | undefined>
}

const FIRST_EMAIL_DELAY_MS = 3_000
const EMAIL_INTERVAL_MS = 7_000
/** The longest delay of the engine after repeated failures. */
const SIGN_IN_DELAY_MS = 6 * 3_600_000

/**
 * Seeds a separate installation with two accounts and their history; completes what an earlier start left unfinished.
 * Call it before the server starts.
 */
export async function openDemo({ app, dataDir }: Installation): Promise<Demo> {
  await seedUsers(app.db.auth)
  const [tokens, receiver] = await Promise.all([
    ensureTokens(app.db.auth, dataDir),
    openWebhookReceiver(dataDir),
    seedAccount(app, 'acme'),
    seedAccount(app, 'globex'),
  ])
  const acmeId = getAccountId('acme')
  const trialCampaignId = createSeedContext('acme', app.now()).id('campaign', trialCampaignKey)
  const scheduled = await inAccount(app.db.app, acmeId, async tx => {
    await postponeSignIns(tx, app.now())
    return scheduleEmails(tx, trialCampaignId, app.now())
  })
  const info: DemoInfo = {
    tokens,
    accountId: acmeId,
    campaignId: trialCampaignId,
    peopleDue: scheduled.count,
  }
  return {
    info,
    formatInstructions: url => formatInstructions(info, url, dataDir),
    mount: async server => {
      await receiver.mount(server)
      await mountDemoRecordings(server)
    },
    start: async ({ app, url }) => {
      if (!url) return undefined
      await receiver.connect(app)
      await connectRecordings(app)
      return simulateRecipients(app, { url, sandboxDir: join(dataDir, 'sandbox') })
    },
  }
}

/** Postpones sign-ins to failing mailboxes, whose servers do not exist. */
const postponeSignIns = (tx: Sql, now: Date) => tx`
  update mailboxes
     set retry_at = ${new Date(now.getTime() + SIGN_IN_DELAY_MS)}
   where account_id = current_account_id() and status = 'failing'
     and email = any(${accounts.acme.reps.flatMap(({ email, mailboxError }) => (mailboxError ? [email] : []))})`

/** Schedules the remaining emails at a fixed interval from now, ordered by ID rather than by name. */
const scheduleEmails = (tx: Sql, campaignId: string, now: Date) => tx`
  update prospects p
     set next_step_at = ${new Date(now.getTime() + FIRST_EMAIL_DELAY_MS)}::timestamptz
                        + due.position * ${EMAIL_INTERVAL_MS} * interval '1 millisecond'
    from (select id, row_number() over (order by id) - 1 as position
            from prospects
           where account_id = current_account_id() and campaign_id = ${campaignId} and next_step_at is not null
             and status in ('pending', 'active')) due
   where p.account_id = current_account_id() and p.id = due.id`
