import { setTimeout as sleep } from 'node:timers/promises'
import { openTestApp, type TestApp } from '../support/app.ts'
import type { TemplateDatabase } from '../support/db/database.ts'
import { addressIn, type CampaignServer, makeMailCampaignToLaunch } from '../support/mail/mail-campaign.ts'
import { getOAuthSettings } from '../support/mail/oauth-mail.ts'
import { OAuthServer, type Reaction, type TokenRequest } from '../support/mail/oauth-server.ts'
import { EngineProcesses } from './engine-processes.ts'
import { Journal } from './journal.ts'
import { openJournaledSmtp } from './journaled-smtp.ts'
import { settle } from './settle.ts'
import { getPercentiles, type Percentiles } from './tally-deliveries.ts'
import {
  type Delays,
  type RefreshTally,
  readGrantChanges,
  recordGrantChanges,
  splitDelays,
  tallyRefreshes,
} from './tally-refreshes.ts'

/** Follow-ups are due when the access tokens have ended, which live for an hour. */
const DELAY = { amount: 60, unit: 'minutes' } as const
/** Ends the delay of all, although their first emails were not sent at the same moment. */
const EXPIRY_MS = 75 * 60_000
const MAILBOXES_PER_ACCOUNT = 10
const MAILS_PER_MAILBOX = 3
/** At first, the token endpoint of Google answers nobody. */
const OUTAGE_MS = 2_000
/** Grants of which the first answer arrives, for each round of troubles. */
const WITHOUT_TROUBLE = 2
const SAMPLE_MS = 100

/** Ways in which a refresh fails or takes its time. `lost` and `too_slow` issue tokens that never arrive. */
const troubles = ['slow', 'lost', 'too_slow', 'unavailable', 'throttled', 'cut'] as const
type Trouble = (typeof troubles)[number]

export type ExpiryFigures = {
  mailboxes: number
  /** How long after the expiry each mailbox sent its first email, and what that time consists of. */
  sendingAgainMs: Percentiles
  delays: Delays
  troubles: Record<Trouble | 'outage', number>
  /** Mailboxes and grants that were marked as failing, although no grant was revoked. */
  markedDead: number
  /** Transactions of the database per mailbox from the expiry until all mailboxes sent. */
  transactions: number
  lost: number
  doubled: number
} & RefreshTally

/**
 * Ends the access tokens of all mailboxes at the same moment, in which follow-ups from each are due. Half of the mailboxes
 * are at each provider. Refreshes are slow, refused or lost; no grant is ever revoked.
 */
export async function expireAllTokens({
  engines,
  mailboxes,
  random,
  place,
}: {
  engines: number
  mailboxes: number
  random: () => number
  place?: TemplateDatabase
}): Promise<ExpiryFigures> {
  await using opened = new AsyncDisposableStack()
  const google = opened.use(await OAuthServer.open('google'))
  const microsoft = opened.use(await OAuthServer.open('microsoft'))
  const settings = { ...getOAuthSettings(google), MICROSOFT_LOGIN_URL: microsoft.url }
  const app = opened.use(await openTestApp({ ALLOW_PRIVATE_HOSTS: '127.0.0.1', ...settings }, place))
  using journal = new Journal()
  const firstDots = new Map<string, number>()
  const servers: CampaignServer[] = []
  for (const oauth of [google, microsoft]) {
    const smtp = await openJournaledSmtp(
      journal,
      (step, _line, transfer) => {
        const sender = addressIn(transfer?.envelope[0] ?? '')
        if (step === 'DOT' && !firstDots.has(sender)) firstDots.set(sender, Date.now())
        return undefined
      },
      oauth,
    )
    servers.push({ port: opened.use(smtp).port, oauth })
  }
  const accountIds = await makeSenders(app, servers, mailboxes)
  const processes = opened.use(await EngineProcesses.open(app, engines, {}, settings))
  const emails = mailboxes * MAILS_PER_MAILBOX
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
  let markedDead = 0
  while (firstDots.size < mailboxes) {
    await sleep(SAMPLE_MS)
    markedDead = Math.max(markedDead, await countMarkedDead(app, accountIds))
  }
  const transactions = Math.round(((await countTransactions(app)) - before) / mailboxes)
  const changes = await readGrantChanges(app.owner)
  const tally = tallyRefreshes(changes, refreshes.requests)
  const delays = splitDelays(changes, firstDots, { expiredAt, clockOffsetMs: EXPIRY_MS })
  await settle(app, accountIds, processes.clock)
  const messageIds = new Set(journal.dots.map(({ messageId }) => messageId))
  return {
    mailboxes: firstDots.size,
    sendingAgainMs: getPercentiles([...firstDots.values()].map(at => at - expiredAt)),
    delays,
    troubles: refreshes.counts,
    ...tally,
    markedDead: Math.max(markedDead, await countMarkedDead(app, accountIds)),
    transactions,
    lost: 2 * emails - messageIds.size,
    doubled: journal.dots.length - messageIds.size,
  }
}

/** Creates mailboxes at the servers in turn, each with a launched campaign of its own. Returns their accounts. */
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
      const data = Array.from({ length: MAILS_PER_MAILBOX }, (_, n) => ({
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

/** Counts mailboxes and grants that are or were reported as needing somebody to act. */
async function countMarkedDead({ owner }: TestApp, accountIds: string[]): Promise<number> {
  const [{ count }] = await owner<[{ count: number }]>`
    select ((select count(*) from mailbox_grants
              where account_id = any(${accountIds}) and error_class <> 'transient')
          + (select count(*) from mailboxes where account_id = any(${accountIds}) and status <> 'active')
          + (select count(*) from audit_log
              where account_id = any(${accountIds}) and action = 'mark_failing'))::int as count`
  return count
}

/** Returns the troubles of the nth grant: one of each in turn, or none, and perhaps another one. */
function chooseTroubles(n: number, random: () => number): Trouble[] {
  const first = troubles[n % (troubles.length + WITHOUT_TROUBLE)]
  const second = troubles[Math.floor(random() * troubles.length * 2)]
  return [...new Set([first, second])].filter(trouble => trouble !== undefined)
}

/** Answers refreshes with the troubles of their grants, one for each, and then properly. */
class Refreshes {
  /** Requests so far by mailbox. */
  readonly requests = new Map<string, number>()
  readonly counts = { outage: 0, slow: 0, lost: 0, too_slow: 0, unavailable: 0, throttled: 0, cut: 0 }
  readonly #random: () => number
  readonly #troubles = new Map<string, Trouble[]>()
  #firstAt: number | undefined

  constructor(random: () => number) {
    this.#random = random
  }

  async react({ email, at, closed }: TokenRequest, hasOutage: boolean): Promise<Reaction> {
    this.#firstAt ??= at
    if (!email) throw new Error('A refresh token is unknown.')
    this.requests.set(email, (this.requests.get(email) ?? 0) + 1)
    const left = this.#troubles.get(email) ?? chooseTroubles(this.#troubles.size, this.#random)
    this.#troubles.set(email, left)
    const trouble = hasOutage && at < this.#firstAt + OUTAGE_MS ? 'outage' : left.shift()
    if (trouble) this.counts[trouble] += 1
    if (trouble === 'outage') return 'unavailable'
    if (trouble === 'slow') await sleep(500 + this.#random() * 2_500)
    if (trouble === 'too_slow') await closed
    return trouble === 'too_slow' ? 'lost' : trouble === 'slow' ? undefined : trouble
  }
}
