import { randomUUIDv7 } from 'node:crypto'
import type { Output } from '../../src/contract/index.ts'
import { claimSyncs } from '../../src/server/domain/mailboxes/claim-syncs.ts'
import { defaultSettings, syncMailbox } from '../../src/server/engine/imap-sync/sync-mailbox.ts'
import { createSemaphore } from '../../src/server/kernel/async/semaphore.ts'
import type { TestApp } from '../support/app.ts'
import { openWorker } from '../support/mail/mail-campaign.ts'
import {
  type Activity,
  activitiesByServer,
  formatCase,
  getCases,
  type Mailbox,
  makeMailbox,
  openServers,
  type Provider,
  type Servers,
} from './failing-provider.ts'

const HOUR_MS = 3_600_000
/** Longer than any delay before a mailbox is tried again. */
const RETRY_MS = 7 * HOUR_MS
const IN_PARALLEL = 6

/** The state of a mailbox as users see it, and its emails at the mail servers. */
export type Observation = {
  mailbox: Output<'getMailbox'>
  problems: Output<'listProblems'>['data']
  /** Emails that the SMTP server accepted for this activity's recipient. */
  deliveries: number
  /** Replies in the inbox. */
  replies: number
}

export type Outcome = {
  during: Observation & {
    /** The error of the operation that connects the mailbox. */
    refusal?: unknown
    isLaunched: boolean
    /** Requests to the token endpoint. */
    requests: number
  }
  after: Observation
}

/**
 * Creates a mailbox for each case of a provider. Provokes the case's error while the mailbox is connected for the
 * first time, then while it sends emails, then while its replies are read. Each time, ends the error and observes the
 * mailbox again. Returns the outcomes by case.
 */
export async function provokeErrors(provider: Provider): Promise<Map<string, Record<Activity, Outcome>>> {
  await using opened = new AsyncDisposableStack()
  const servers = await openServers(provider, opened)
  const { app, failing, oauth } = servers
  const worker = opened.use(openWorker(app))
  const mailboxes: Mailbox[] = []
  for (const each of getCases(provider)) mailboxes.push(await makeMailbox(servers, each))
  const fail = (activity: Activity) => {
    servers.requests.clear()
    oauth.expireAccessTokens()
    for (const mailbox of mailboxes)
      if (activitiesByServer[mailbox.server].includes(activity)) failing.set(mailbox.email, mailbox)
  }
  const observe = (activity: Activity) =>
    inParallel(mailboxes, each => observeMailbox(servers, each, activity))
  const advance = (ms: number) => app.setNow(new Date(app.now().getTime() + ms))
  const countRequests = ({ email }: Mailbox) => servers.requests.get(email) ?? 0
  app.setNow(new Date())

  const first = await inParallel(mailboxes, each => createCampaign(each, 'connecting'))
  fail('connecting')
  const refusals = await inParallel(mailboxes, ({ connect }) => attempt(connect))
  const launches = await inParallel(first, launch => attempt(launch))
  await worker.work()
  const whileConnecting = await observe('connecting')
  const connectRequests = mailboxes.map(countRequests)
  failing.clear()
  await inParallel(mailboxes, ({ connect }) => connect())
  await inParallel(first, async (launch, n) => launches[n] && (await launch()))
  await worker.work()
  const connected = await observe('connecting')

  advance(2 * HOUR_MS)
  for (const launch of await inParallel(mailboxes, each => createCampaign(each, 'sending'))) await launch()
  fail('sending')
  await worker.work()
  const whileSending = await observe('sending')
  const sendRequests = mailboxes.map(countRequests)
  failing.clear()
  await worker.workAfter(RETRY_MS)
  await worker.workAfter(RETRY_MS)
  const sent = await observe('sending')

  advance(2 * HOUR_MS)
  fail('syncing')
  for (const { email } of mailboxes) await deliverReply(servers, email)
  await syncDue(app)
  const whileSyncing = await observe('syncing')
  const syncRequests = mailboxes.map(countRequests)
  failing.clear()
  // The second sync shows whether a reply is received twice.
  for (let n = 0; n < 2; n += 1) {
    advance(RETRY_MS)
    await syncDue(app)
  }
  const synced = await observe('syncing')

  return new Map(
    mailboxes.map((mailbox, n) => [
      formatCase(mailbox),
      {
        connecting: {
          during: {
            ...whileConnecting[n]!,
            refusal: refusals[n],
            isLaunched: !launches[n],
            requests: connectRequests[n]!,
          },
          after: connected[n]!,
        },
        sending: {
          during: { ...whileSending[n]!, isLaunched: true, requests: sendRequests[n]! },
          after: sent[n]!,
        },
        syncing: {
          during: { ...whileSyncing[n]!, isLaunched: true, requests: syncRequests[n]! },
          after: synced[n]!,
        },
      },
    ]),
  )
}

const getRecipient = (email: string, activity: Activity): string =>
  email.replace('ada-', `${activity}-`).replace('acme', 'navy')

/** Creates a campaign for one person. Returns a function that launches it. */
async function createCampaign({ owner, repId, email }: Mailbox, activity: Activity) {
  const steps = [{ subject: 'Hello', body: 'Hi' }]
  const { id: campaignId } = await owner.call('createCampaign', { name: activity, repIds: [repId], steps })
  const data = [{ email: getRecipient(email, activity) }]
  await owner.call('addProspectsToCampaign', { campaignId, data })
  return () => owner.call('launchCampaign', { campaignId })
}

async function observeMailbox(
  { journal }: Servers,
  { owner, mailboxId, email }: Mailbox,
  activity: Activity,
): Promise<Observation> {
  const messages = await owner.call('listEmailMessages', {})
  return {
    mailbox: await owner.call('getMailbox', { mailboxId }),
    problems: (await owner.call('listProblems', {})).data,
    deliveries: journal.dots.filter(({ to }) => to === getRecipient(email, activity)).length,
    replies: messages.data.filter(({ type }) => type === 'received').length,
  }
}

/** Delivers a reply to the first email. */
async function deliverReply({ journal, dovecot }: Servers, email: string): Promise<void> {
  const from = getRecipient(email, 'connecting')
  const sent = journal.dots.find(({ to }) => to === from)
  const headers = [
    `Message-ID: <reply-${randomUUIDv7()}@navy.example>`,
    `In-Reply-To: ${sent?.messageId}`,
    ...[`From: ${from}`, `To: ${email}`, 'Subject: Re: Hello'],
  ]
  await dovecot.deliver(email, `${headers.join('\r\n')}\r\n\r\nYes\r\n`)
}

/** Syncs all mailboxes that are due, once. */
async function syncDue(app: TestApp): Promise<void> {
  const claims = await claimSyncs(app.db.engine, { now: app.now(), limit: 1_000, leaseMs: HOUR_MS })
  await inParallel(claims, claim =>
    syncMailbox(app, claim, {
      settings: defaultSettings,
      signal: new AbortController().signal,
      isCrowded: () => true,
      scheduleMail: work => work(),
    }),
  )
}

/** Runs the function and returns its error, or undefined if it succeeds. */
const attempt = (run: () => Promise<unknown>): Promise<unknown> =>
  run().then(
    () => undefined,
    (error: unknown) => error,
  )

function inParallel<T, U>(items: readonly T[], work: (item: T, n: number) => Promise<U>): Promise<U[]> {
  const admit = createSemaphore(IN_PARALLEL)
  return Promise.all(items.map((item, n) => admit(() => work(item, n))))
}
