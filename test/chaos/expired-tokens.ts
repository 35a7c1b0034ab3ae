import { setTimeout as sleep } from 'node:timers/promises'
import { openTestApp, type TestApp } from '../support/app.ts'
import type { TemplateDatabase } from '../support/db/database.ts'
import {
  type CampaignServer,
  makeMailCampaignToLaunch,
  parseEnvelopeAddress,
} from '../support/mail/mail-campaign.ts'
import { getOAuthSettings } from '../support/mail/oauth-mail.ts'
import { OAuthServer, type TokenReaction, type TokenRequest } from '../support/mail/oauth-server.ts'
import { EngineProcesses } from './engine-processes.ts'
import { Journal } from './journal.ts'
import { openJournaledSmtp } from './journaled-smtp.ts'
import { getPercentiles, type Percentiles } from './tally-deliveries.ts'
import {
  type Delays,
  type RefreshTally,
  readGrantChanges,
  recordGrantChanges,
  splitDelays,
  tallyRefreshes,
} from './tally-refreshes.ts'
import { waitUntilIdle } from './wait-until-idle.ts'

/** Follow-ups are due when the access tokens, valid for an hour, have expired. */
const DELAY = { amount: 60, unit: 'minutes' } as const
/** Exceeds the delay of every follow-up, because the first emails were not sent at the same moment. */
const EXPIRY_MS = 75 * 60_000
const MAILBOXES_PER_ACCOUNT = 10
const EMAILS_PER_MAILBOX = 3
/** Google's token endpoint is unavailable at first. */
const OUTAGE_MS = 2_000
/** After one grant for each disruption, this many grants have none assigned; then the cycle repeats. */
const WITHOUT_DISRUPTION = 2
const SAMPLE_MS = 100

/** Ways in which a refresh fails or is delayed. `lost` and `too_slow` issue tokens that never arrive. */
const disruptions = ['slow', 'lost', 'too_slow', 'unavailable', 'throttled', 'cut'] as const
type Disruption = (typeof disruptions)[number]

export type ExpiryFigures = {
  mailboxes: number
  /** How long after the expiry each mailbox sent its first email, and what that time consists of. */
  sendingAgainMs: Percentiles
  delays: Delays
  disruptions: Record<Disruption | 'outage', number>
  /** Mailboxes and grants that were marked as failing, although no grant was revoked. */
  markedFailing: number
  /** Database transactions per mailbox from the expiry until all mailboxes sent. */
  transactions: number
  lost: number
  duplicated: number
} & RefreshTally

/**
 * Expires the access tokens of all mailboxes at the same moment, when follow-ups from each are due. Each provider has
 * half of the mailboxes. Refreshes are slow, refused or lost; no grant is ever revoked.
 */
export async function expireAllTokens({
  engines,
  mailboxes,
  random,
  database,
}: {
  engines: number
  mailboxes: number
  random: () => number
  database?: TemplateDatabase
}): Promise<ExpiryFigures> {
  await using opened = new AsyncDisposableStack()
  const google = opened.use(await OAuthServer.open('google'))
  const microsoft = opened.use(await OAuthServer.open('microsoft'))
  const settings = { ...getOAuthSettings(google), MICROSOFT_LOGIN_URL: microsoft.url }
  const app = opened.use(await openTestApp({ ALLOW_PRIVATE_HOSTS: '127.0.0.1', ...settings }, database))
  using journal = new Journal()
  const firstDots = new Map<string, number>()
  const servers: CampaignServer[] = []
  for (const oauth of [google, microsoft]) {
    const smtp = await openJournaledSmtp(
      journal,
      (step, _line, transfer) => {
        const sender = parseEnvelopeAddress(transfer?.envelope[0] ?? '')
        if (step === 'DOT' && !firstDots.has(sender)) firstDots.set(sender, Date.now())
        return undefined
      },
      oauth,
    )
    servers.push({ port: opened.use(smtp).port, oauth })
  }
  const accountIds = await makeSenders(app, servers, mailboxes)
  const processes = opened.use(await EngineProcesses.open(app, engines, {}, settings))
  const emails = mailboxes * EMAILS_PER_MAILBOX
  while ((await countSent(app, accountIds)) < emails) await sleep(SAMPLE_MS)

  firstDots.clear()
  await recordGrantChanges(app.owner)
  const refreshes = new Refreshes(random)
  for (const oauth of [google, microsoft]) {
    oauth.expireAccessTokens()
    oauth.onToken = request => refreshes.react(request, oauth === google)
  }
  const before = await countTransactions(app)
  await processes.clock.advance(EXPIRY_MS)
  const expiredAt = Date.now()
  let markedFailing = 0
  while (firstDots.size < mailboxes) {
    await sleep(SAMPLE_MS)
    markedFailing = Math.max(markedFailing, await countMarkedFailing(app, accountIds))
  }
  const transactions = Math.round(((await countTransactions(app)) - before) / mailboxes)
  const changes = await readGrantChanges(app.owner)
  const tally = tallyRefreshes(changes, refreshes.requests)
  const delays = splitDelays(changes, firstDots, { expiredAt, clockOffsetMs: EXPIRY_MS })
  await waitUntilIdle(app, accountIds, processes.clock)
  const messageIds = new Set(journal.dots.map(({ messageId }) => messageId))
  return {
    mailboxes: firstDots.size,
    sendingAgainMs: getPercentiles([...firstDots.values()].map(at => at - expiredAt)),
    delays,
    disruptions: refreshes.counts,
    ...tally,
    markedFailing: Math.max(markedFailing, await countMarkedFailing(app, accountIds)),
    transactions,
    lost: 2 * emails - messageIds.size,
    duplicated: journal.dots.length - messageIds.size,
  }
}

/** Creates mailboxes at the servers in turn, each with its own launched campaign. Returns their accounts. */
async function makeSenders(
  app: TestApp,
  servers: readonly CampaignServer[],
  mailboxes: number,
): Promise<string[]> {
  const accountIds: string[] = []
  for (let left = mailboxes; left > 0; left -= MAILBOXES_PER_ACCOUNT) {
    const size = Math.min(left, MAILBOXES_PER_ACCOUNT)
    const chosen = Array.from({ length: size }, (_, n) => servers[n % servers.length]!)
    const { owner, mailboxIds } = await makeMailCampaignToLaunch(app, chosen, [])
    for (const mailboxId of mailboxIds) {
      const { repId } = await owner.call('getMailbox', { mailboxId })
      const steps = [
        { subject: 'Hello', body: 'Hi' },
        { delay: DELAY, body: 'Did you see this?' },
      ]
      const { id: campaignId } = await owner.call('createCampaign', {
        name: 'Spring',
        repIds: [repId],
        steps,
      })
      const data = Array.from({ length: EMAILS_PER_MAILBOX }, (_, n) => ({
        email: `${n}@${mailboxId}.example`,
      }))
      await owner.call('addProspectsToCampaign', { campaignId, data })
      await owner.call('launchCampaign', { campaignId })
    }
    accountIds.push(owner.accountId)
  }
  return accountIds
}

async function countSent({ owner }: TestApp, accountIds: string[]): Promise<number> {
  const [{ count }] = await owner<[{ count: number }]>`
    select count(*)::int as count from email_messages where account_id = any(${accountIds}) and status = 'sent'`
  return count
}

async function countTransactions({ owner }: TestApp): Promise<number> {
  const [{ count }] = await owner<[{ count: number }]>`
    select xact_commit::int as count from pg_stat_database where datname = current_database()`
  return count
}

/** Counts mailboxes and grants that are or were marked as failing. Excludes transient errors. */
async function countMarkedFailing({ owner }: TestApp, accountIds: string[]): Promise<number> {
  const [{ count }] = await owner<[{ count: number }]>`
    select ((select count(*) from mailbox_grants
              where account_id = any(${accountIds}) and error_class <> 'transient')
          + (select count(*) from mailboxes where account_id = any(${accountIds}) and status <> 'active')
          + (select count(*) from audit_log
              where account_id = any(${accountIds}) and action = 'mark_failing'))::int as count`
  return count
}

/** Returns the disruptions of the nth grant: the one whose turn it is, if any, and half of the time a random one. */
function chooseDisruptions(n: number, random: () => number): Disruption[] {
  const first = disruptions[n % (disruptions.length + WITHOUT_DISRUPTION)]
  const second = disruptions[Math.floor(random() * disruptions.length * 2)]
  return [...new Set([first, second])].filter(disruption => disruption !== undefined)
}

/** The reactions to token requests, which disrupt the first refreshes of each grant. */
class Refreshes {
  /** Requests so far by mailbox. */
  readonly requests = new Map<string, number>()
  readonly counts = { outage: 0, slow: 0, lost: 0, too_slow: 0, unavailable: 0, throttled: 0, cut: 0 }
  readonly #random: () => number
  readonly #disruptions = new Map<string, Disruption[]>()
  #firstAt: number | undefined

  constructor(random: () => number) {
    this.#random = random
  }

  async react({ email, at, closed }: TokenRequest, hasOutage: boolean): Promise<TokenReaction> {
    this.#firstAt ??= at
    if (!email) throw new Error('A refresh token is unknown.')
    this.requests.set(email, (this.requests.get(email) ?? 0) + 1)
    const left = this.#disruptions.get(email) ?? chooseDisruptions(this.#disruptions.size, this.#random)
    this.#disruptions.set(email, left)
    const disruption = hasOutage && at < this.#firstAt + OUTAGE_MS ? 'outage' : left.shift()
    if (disruption) this.counts[disruption] += 1
    if (disruption === 'outage') return 'unavailable'
    if (disruption === 'slow') await sleep(500 + this.#random() * 2_500)
    if (disruption === 'too_slow') await closed
    return disruption === 'too_slow' ? 'lost' : disruption === 'slow' ? undefined : disruption
  }
}
