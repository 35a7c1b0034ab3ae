import { setTimeout as sleep } from 'node:timers/promises'
import type { Output } from '../../src/contract/index.ts'
import { receiveMail } from '../../src/server/engine/receive/receive-mail.ts'
import { createSemaphore } from '../../src/server/kernel/async/semaphore.ts'
import { AppError } from '../../src/server/kernel/errors.ts'
import type { TestApp } from '../support/app.ts'
import { makeBounce } from '../support/mail/answers.ts'
import { type MailCampaign, makeMailCampaignToLaunch } from '../support/mail/mail-campaign.ts'
import type { Transfer } from '../support/mail/scripted-smtp.ts'
import { readMail } from '../support/mail/sent-mail.ts'
import { type ArmedFailure, EngineProcesses } from './engine-processes.ts'
import { Journal } from './journal.ts'
import { getRecipient, openJournaledSmtp } from './journaled-smtp.ts'
import { sendFailpoints } from './send-failpoints.ts'
import { waitUntilIdle } from './wait-until-idle.ts'

const steps = [
  { subject: 'Step 1', body: 'Hi' },
  { subject: 'Step 2', body: 'Still there?', delay: { amount: 1, unit: 'hours' as const } },
]

/** The server refuses addresses of the first kind, and later reports emails to the second kind as undeliverable. */
const badKinds = ['refused', 'reported'] as const

const POLL_MS = 20

export type ResumeFigures = {
  people: number
  deaths: number
  thrown: number
  /** Prospects resumed, some of them twice because their second address was wrong, too. */
  resumed: number
  /** Emails to corrected addresses. */
  delivered: number
  /** Steps whose delivery is unknown because the engine was killed. */
  unknown: number
  /** Deliveries of the same step to the same address, beyond the first. */
  duplicated: number
  /** Steps recorded as sent but never delivered, or neither delivered to the corrected address nor unknown. */
  lost: number
  /** Delivered steps recorded as failed. */
  misreported: number
  /** Prospects that didn't finish. */
  unfinished: number
}

/**
 * Sends two steps to people whose addresses bounce. While their addresses are corrected and they are resumed, sometimes
 * by two users at once, engines are killed at every failpoint and replaced.
 */
export async function killDuringResumes(
  app: TestApp,
  {
    people,
    engines,
    servers,
    oneDeathIn,
    random,
  }: { people: number; engines: number; servers: number; oneDeathIn: number; random: () => number },
): Promise<ResumeFigures> {
  using journal = new Journal()
  await using opened = new AsyncDisposableStack()
  const processes = opened.use(await EngineProcesses.open(app, engines))
  const timedApp: TestApp = { ...app, now: processes.clock.now }
  const stepByMessageId = new Map<string, string>()
  const reports: Promise<unknown>[] = []
  let campaign: MailCampaign | undefined
  const report = async (mailboxId: string, transfer: Transfer) => {
    await sleep(random() ** 2 * 50)
    const raw = makeBounce(await readMail(transfer))
    const { accountId } = campaign!.owner
    await receiveMail(timedApp, { accountId, mailboxId, raw, receivedAt: timedApp.now(), folder: 'inbox' })
  }
  const peers = await Promise.all(
    Array.from({ length: servers }, (_, nth) =>
      openJournaledSmtp(journal, (step, line, transfer) => {
        if (step === 'RCPT' && line.includes('<refused')) return { reaction: '550 5.1.1 no such user' }
        if (step !== 'DOT' || !transfer) return undefined
        const [messageId, subject] = ['Message-ID', 'Subject'].map(name => getHeader(transfer, name))
        stepByMessageId.set(messageId!, subject!)
        if (getRecipient(transfer).startsWith('reported'))
          reports.push(report(campaign!.mailboxIds[nth]!, transfer))
        return undefined
      }),
    ),
  )
  for (const peer of peers) opened.use(peer)

  /** The addresses of each person; only the last one exists. */
  const addresses = Array.from({ length: people }, (_, n) => {
    const bad = Array.from({ length: random() < 0.3 ? 2 : 1 }, () => badKinds[Math.floor(random() * 2)]!)
    return [...bad.map((kind, nth) => `${kind}@${n}-${nth}.example`), `right@${n}.example`]
  })
  campaign = await makeMailCampaignToLaunch(
    timedApp,
    peers,
    addresses.map(([first]) => first!),
    steps,
  )
  const { owner, mailboxIds, campaignId } = campaign
  // Otherwise the mailboxes would pause themselves because of their many bounces.
  await owner.call('updateAccount', { maxBouncePercent: 100 })
  await campaign.launch()
  const addressesByEmail = new Map(addresses.flatMap(list => list.map(email => [email, list] as const)))
  await waitForReports()

  const groups = peers.map((_, group) => String(group))
  const armed = sendFailpoints.flatMap((name, index) =>
    groups.map(
      (group, nth): ArmedFailure => ({
        ...{ name, group },
        failure: { do: (index + nth) % oneDeathIn === 0 ? 'exit' : 'throw' },
      }),
    ),
  )
  const prospects = await campaign.prospects()
  const keys = [
    ...mailboxIds.map((id, nth) => [id, String(nth)]),
    ...peers.map(({ port }, nth) => [`127.0.0.1:${port}`, String(nth)]),
    ...prospects.map(({ id }, nth) => [id, groups[nth % groups.length]]),
  ]
  await processes.instruct({ arm: armed, groups: Object.fromEntries(keys) })
  let resumed = 0
  const corrected = new Set<string>()
  const inTurn = createSemaphore(1)
  let isOver = false
  const correcting = correctUntilOver()
  for (let before = -1; before !== resumed; ) {
    before = resumed
    await waitForReports()
    await inTurn(correctBounced)
  }
  isOver = true
  await correcting
  return {
    ...{ people, resumed, deaths: processes.deaths, thrown: processes.fired.length - processes.deaths },
    ...tally(journal, await campaign.messages(), await campaign.prospects(), { addresses, stepByMessageId }),
  }

  async function waitForReports(): Promise<void> {
    for (let known = -1; known < reports.length; ) {
      known = reports.length
      await waitUntilIdle(timedApp, [owner.accountId], processes.clock)
      await Promise.all(reports)
    }
  }

  async function correctUntilOver(): Promise<void> {
    for (; !isOver; await sleep(POLL_MS)) await inTurn(correctBounced)
  }

  async function correctBounced(): Promise<void> {
    const { data } = await owner.call('listProspects', { campaignId, status: ['bounced'], limit: 100 })
    await Promise.all(data.map(correct))
  }

  async function correct({ id: prospectId, personId, person }: Prospect): Promise<void> {
    await sleep(random() ** 2 * 50)
    if (!corrected.has(prospectId)) {
      const list = addressesByEmail.get(person!.email!)!
      await owner.call('updatePerson', { personId, email: list[list.indexOf(person!.email!) + 1]! })
      corrected.add(prospectId)
    }
    const results = await Promise.allSettled(
      Array.from({ length: random() < 0.3 ? 2 : 1 }, () => owner.call('resumeProspect', { prospectId })),
    )
    // Conflicts if another user has resumed the prospect, or while the bounced email is in flight.
    for (const result of results) if (result.status === 'rejected') ignoreConflict(result.reason)
    if (!results.some(({ status }) => status === 'fulfilled')) return
    corrected.delete(prospectId)
    resumed += 1
    // Bounced prospects don't keep a campaign active, so it may have completed in the meantime.
    await owner.call('resumeCampaign', { campaignId }).catch(ignoreConflict)
  }
}

type Prospect = Output<'listProspects'>['data'][number]
type Message = Output<'listEmailMessages'>['data'][number]

function ignoreConflict(error: unknown): void {
  if (!(error instanceof AppError && error.code === 'Conflict')) throw error
}

const getHeader = ({ wire }: Transfer, name: string): string =>
  new RegExp(`^${name}: (.*)\\r$`, 'im').exec(wire.toString('latin1'))?.[1] ?? ''

/** Compares what the servers accepted with what is recorded, for each person and step. */
function tally(
  journal: Journal,
  messages: readonly Message[],
  prospects: readonly Prospect[],
  { addresses, stepByMessageId }: { addresses: readonly string[][]; stepByMessageId: Map<string, string> },
) {
  const accepted = Map.groupBy(
    journal.dots.filter(({ isAccepted }) => isAccepted),
    ({ to, messageId }) => `${stepByMessageId.get(messageId)} ${to}`,
  )
  const recorded = Map.groupBy(messages, ({ subject, recipients }) => `${subject} ${recipients.to[0]!.email}`)
  const figures = { delivered: 0, unknown: 0, duplicated: 0, lost: 0, misreported: 0, unfinished: 0 }
  for (const list of addresses)
    for (const { subject } of steps) {
      const keys = list.map(email => `${subject} ${email}`)
      for (const key of keys) {
        const arrived = accepted.get(key)?.length ?? 0
        const own = recorded.get(key) ?? []
        figures.duplicated += Math.max(0, arrived - 1)
        if (own.some(isSent) && arrived === 0) figures.lost += 1
        if (arrived > 0 && !own.some(each => isSent(each) || isUnknown(each))) figures.misreported += 1
      }
      const isDelivered = accepted.has(keys.at(-1)!)
      if (isDelivered) figures.delivered += 1
      else if (keys.some(key => recorded.get(key)?.some(isUnknown))) figures.unknown += 1
      else figures.lost += 1
    }
  figures.unfinished = prospects.filter(({ status }) => status !== 'completed').length
  return figures
}

const isSent = ({ status }: Message): boolean => status === 'sent'
const isUnknown = ({ deliveryStatus }: Message): boolean => deliveryStatus === 'unconfirmed'
