import { setTimeout as sleep } from 'node:timers/promises'
import PostalMime, { type Email } from 'postal-mime'
import { openEngine } from '../../src/server/engine/loop.ts'
import { openTestApp, type TestApp } from '../support/app.ts'
import type { TemplateDatabase } from '../support/db/database.ts'
import { makeReply } from '../support/mail/answers.ts'
import { Dovecot, dovecotPassword } from '../support/mail/dovecot.ts'
import { type CampaignServer, type MailCampaign, makeMailCampaign } from '../support/mail/mail-campaign.ts'
import { getOAuthSettings, receiveWithGrant } from '../support/mail/oauth-mail.ts'
import type { OAuthServer } from '../support/mail/oauth-server.ts'
import { FaultProxy, type NetworkFault } from './fault-proxy.ts'
import { openFaultyOAuth } from './faulty-oauth.ts'
import { Journal } from './journal.ts'
import { type Behavior, getRecipient, openJournaledSmtp } from './journaled-smtp.ts'
import { getArrivals, type ReplyTally, readPeople, type SyncSample, tallyReplies } from './tally-replies.ts'
import { type Clock, openClock } from './wait-until-idle.ts'

const SECOND_MS = 1_000
const STEP_MS = 60 * SECOND_MS
const syncSettings = {
  pollMs: 3 * SECOND_MS,
  answerMs: 5 * SECOND_MS,
  backoff: { baseMs: 200, maxMs: 2_000 },
}
/** Too short for a synced inbox to become stale or a lease to expire. */
const ADVANCE_MS = 8 * SECOND_MS

/** The fault of each mailbox: a network fault, or a new UIDVALIDITY (`renumbered`). */
const boxFaults = ['none', 'renumbered', 'delay', 'cut', 'blackhole', 'half_open'] as const
type BoxFault = (typeof boxFaults)[number]
type Box = {
  mailboxId: string
  user: string
  fault: BoxFault
  proxy: FaultProxy
  oauth: OAuthServer | undefined
}

export type ReplyFigures = ReplyTally & {
  /** Received emails that could not be processed. */
  skippedEmails: number
  /** The number of `followUps` sent from mailboxes with access tokens, and of requests for these tokens. */
  withTokens: { followUps: number; requests: number }
}

/**
 * Sends three steps, a minute apart. Most people reply, usually within seconds of a step's due time. In the meantime,
 * the connections to the mailboxes fail repeatedly, some for longer than an inbox may go without a sync. For each
 * fault, there is a mailbox with a password and one that signs in by OAuth, whose token expires with each connection.
 */
export async function raceReplies({
  replies,
  unanswered,
  random,
  database,
}: {
  replies: number
  /** Emails to people who never reply. */
  unanswered: number
  random: () => number
  database?: TemplateDatabase
}): Promise<ReplyFigures> {
  using journal = new Journal()
  await using opened = new AsyncDisposableStack()
  const oauth = opened.use(await openFaultyOAuth(random))
  const dovecot = opened.use(await Dovecot.open({ introspectionUrl: oauth.introspectionUrl }))
  const settings = {
    ALLOW_PRIVATE_HOSTS: '127.0.0.1',
    INBOX_MAX_AGE_SECONDS: '20',
    ...getOAuthSettings(oauth),
  }
  const app = opened.use(await openTestApp(settings, database))
  const clock = openClock()
  const timedApp: TestApp = { ...app, now: clock.now }
  const firstEmails = new Map<string, { at: number; mail: Promise<Email> }>()
  const keepFirstEmail: Behavior = (step, _line, transfer) => {
    const to = transfer && getRecipient(transfer)
    if (step === 'DOT' && to && !firstEmails.has(to))
      firstEmails.set(to, {
        at: clock.now().getTime(),
        mail: PostalMime.parse(transfer.wire.subarray(0, -5)),
      })
    return undefined
  }
  const servers: CampaignServer[] = []
  for (const provider of [undefined, oauth]) {
    const { port } = opened.use(await openJournaledSmtp(journal, keepFirstEmail, provider))
    servers.push(...boxFaults.map(() => ({ port, oauth: provider })))
  }
  const delay = { amount: STEP_MS / 60_000, unit: 'minutes' } as const
  const campaign = await makeMailCampaign(timedApp, servers, replies + unanswered, [
    { subject: 'Hello', body: 'Hi' },
    { delay, body: 'Did you see this?' },
    { delay, body: 'Last try' },
  ])
  const boxes = await Promise.all(
    campaign.mailboxIds.map(async (mailboxId, n) => {
      const proxy = opened.use(await FaultProxy.open(dovecot.port))
      const fault = boxFaults[n % boxFaults.length]!
      return openBox(campaign, { mailboxId, fault, proxy, oauth: servers[n]!.oauth })
    }),
  )
  const samples: SyncSample[] = []
  const [endFaults, endWatch] = [new AbortController(), new AbortController()]
  {
    await using _engine = openEngine(timedApp, { sync: syncSettings })
    const watching = sampleSyncs(timedApp, campaign, samples, endWatch.signal)
    while (firstEmails.size < replies + unanswered) await sleep(50)
    const startedAt = clock.now().getTime()
    const failing = boxes.map(box => causeFaults(box, dovecot, random, endFaults.signal))
    const replying = campaign.emails.slice(0, replies).map(async email => {
      const { at, mail: parsing } = firstEmails.get(email)!
      const mail = await parsing
      await waitUntil(clock, at + chooseDelay(random))
      const delivering = dovecot.deliver(mail.from!.address!, makeReply({ to: email, mail }))
      const arrival = delivering.then(() => ({ engineTime: clock.now().getTime(), realTime: Date.now() }))
      await journal.recordResult('reply', email, arrival)
    })
    await advanceUntil(clock, () => clock.now().getTime() > startedAt + 0.5 * STEP_MS)
    await waitUntil(clock, startedAt + 1.3 * STEP_MS)
    await advanceUntil(clock, () => clock.now().getTime() > startedAt + 1.5 * STEP_MS)
    await waitUntil(clock, startedAt + 2.3 * STEP_MS)
    await Promise.all(replying)
    endFaults.abort()
    await Promise.all(failing)
    const { owner, campaignId } = campaign
    const isOver = async () => (await owner.call('getCampaign', { campaignId })).status === 'completed'
    await advanceUntil(clock, isOver, async () => {
      await waitUntilSynced(clock, campaign, samples)
      return findRetryTime(app, campaign)
    })
    endWatch.abort()
    await watching
  }
  const people = await readPeople(app, campaign)
  const [{ skippedEmails }] = await app.owner<[{ skippedEmails: number }]>`
    select count(*)::int as "skippedEmails" from mailbox_skips where account_id = ${campaign.owner.accountId}`
  const findMailboxIds = (isWanted: (box: Box) => boolean) =>
    boxes.filter(isWanted).map(({ mailboxId }) => mailboxId)
  const options = {
    steps: 3,
    maxAgeMs: app.config.inboxMaxAgeSeconds * SECOND_MS,
    mailboxIdsWithoutFault: findMailboxIds(each => each.fault === 'none' && !each.oauth),
  }
  const seen = { dots: journal.dots, arrivals: getArrivals(journal), samples }
  const mailboxIdsWithTokens = findMailboxIds(each => each.oauth !== undefined)
  const peopleWithTokens = people.filter(({ mailboxId }) => mailboxIdsWithTokens.includes(mailboxId))
  return {
    ...tallyReplies({ people, ...seen }, options),
    skippedEmails,
    withTokens: {
      followUps: tallyReplies({ people: peopleWithTokens, ...seen }, options).followUps,
      requests: oauth.tokenRequests.length,
    },
  }
}

/** Returns a random delay: usually within seconds of the second or third step's due time, otherwise any time. */
function chooseDelay(random: () => number): number {
  if (random() < 0.2) return random() * 2 * STEP_MS
  const due = random() < 0.5 ? STEP_MS : 2 * STEP_MS
  return due - 10 * SECOND_MS + random() * 13 * SECOND_MS
}

async function openBox({ owner }: MailCampaign, box: Omit<Box, 'user'>): Promise<Box> {
  const { mailboxId, proxy, oauth } = box
  const { port } = proxy
  const { email: user } = await owner.call('getMailbox', { mailboxId })
  const imap = { host: '127.0.0.1', port, tls: 'none' as const, user, password: dovecotPassword }
  if (oauth) await receiveWithGrant(owner, { mailboxId, user, port })
  else await owner.call('updateMailbox', { mailboxId, imap })
  return { ...box, user }
}

/** Turns the fault on and off until aborted; it lasts up to twice as long as an inbox may go without a sync. */
async function causeFaults(
  { user, fault, proxy, oauth }: Box,
  dovecot: Dovecot,
  random: () => number,
  signal: AbortSignal,
): Promise<void> {
  const isOver = (ms: number) => sleep(ms, false, { signal }).catch(() => true)
  for (let validity = 1_000; fault !== 'none' || oauth; validity += 1) {
    if (await isOver(1_000 + random() * 7_000)) break
    oauth?.expireAccessTokens(user)
    if (oauth) proxy.resetAll()
    if (fault === 'renumbered')
      await dovecot.doveadm(['mailbox', 'update', '-u', user, '--uid-validity', String(validity), 'INBOX'])
    else if (fault !== 'none') proxy.fault = createFault(fault, random)
    const isDone = await isOver(3_000 + random() * 37_000)
    proxy.fault = undefined
    if (isDone) break
  }
}

function createFault(kind: Exclude<BoxFault, 'none' | 'renumbered'>, random: () => number): NetworkFault {
  if (kind === 'delay') return { kind, ms: 50 + random() * 300 }
  return kind === 'cut' ? { kind, afterBytes: Math.floor(random() * 1_500) } : { kind }
}

/** Samples the start of each mailbox's last complete sync. */
async function sampleSyncs(
  { owner, now }: TestApp,
  campaign: MailCampaign,
  samples: SyncSample[],
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    const rows = await owner<{ mailboxId: string; lastSyncedAt: Date | null }[]>`
      select mailbox_id as "mailboxId", last_synced_at as "lastSyncedAt" from mailbox_syncs
       where account_id = ${campaign.owner.accountId}`
    const sampledAt = { journalTime: performance.now(), engineTime: now().getTime() }
    for (const { mailboxId, lastSyncedAt } of rows)
      samples.push({ ...sampledAt, mailboxId, beganAt: lastSyncedAt?.getTime() ?? 0 })
    await sleep(100)
  }
}

async function waitUntil(clock: Clock, at: number): Promise<void> {
  while (clock.now().getTime() < at) await sleep(Math.min(200, at - clock.now().getTime() + 1))
}

/** Moves the clock until `isReached`: in small steps, or to the time of the next retry once only retries are left. */
async function advanceUntil(
  clock: Clock,
  isReached: () => boolean | Promise<boolean>,
  findNextAt?: () => Promise<number | undefined>,
): Promise<void> {
  while (!(await isReached())) {
    const nextAt = (await findNextAt?.()) ?? 0
    clock.advance(Math.max(ADVANCE_MS, nextAt - clock.now().getTime()))
    await sleep(syncSettings.pollMs)
  }
}

/** Waits until every mailbox has been synced, so that the clock doesn't outpace the syncs on a slow machine. */
async function waitUntilSynced(
  clock: Clock,
  { mailboxIds }: MailCampaign,
  samples: readonly SyncSample[],
): Promise<void> {
  const calledAt = clock.now().getTime()
  const isSynced = (mailboxId: string): boolean =>
    (samples.findLast(sample => sample.mailboxId === mailboxId)?.beganAt ?? 0) >= calledAt
  while (!mailboxIds.every(isSynced)) await sleep(100)
}

/** Finds the earliest time at which a step is tried again; undefined while any send is in progress. */
async function findRetryTime({ owner }: TestApp, { owner: { accountId } }: MailCampaign) {
  const [row] = await owner<{ nextAt: Date | null }[]>`
    select min(next_step_at) as "nextAt" from prospects
     where account_id = ${accountId}
       and not exists (select from email_sends
                        where account_id = ${accountId} and state in ('queued', 'claimed', 'dot_pending'))`
  return row?.nextAt?.getTime()
}
