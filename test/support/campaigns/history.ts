import { randomUUIDv7 } from 'node:crypto'
import type { RawInput } from '../../../src/contract/index.ts'
import { receiveMail } from '../../../src/server/engine/receive/receive-mail.ts'
import { AppError } from '../../../src/server/kernel/errors.ts'
import { aCaller, type Caller, type TestApp } from '../app.ts'
import { aBounce, aComplaint, anAnswer, rawMail } from '../mail/answers.ts'
import type { Worker } from '../mail/mail-campaign.ts'
import type { ScriptedSmtp } from '../mail/scripted-smtp.ts'
import { readMails, type SentMail } from '../mail/sent-mail.ts'
import { createRandom } from '../random.ts'
import { aConsent } from '../voice/consents.ts'
import { readCampaign } from './recount.ts'

type Steps = NonNullable<RawInput<'createCampaign'>['steps']>
type Person = { email: string; prospectId: string }

/** A simulated campaign, with facts that its lists don't show. */
export type History = {
  owner: Caller
  campaignId: string
  /** What happened, in order; printed when the numbers disagree. */
  acts: string[]
  /** The step, such as `1A` or `3B`, that each email reply was about; oldest first. */
  answered: { prospectId: string; mark: string; at: Date }[]
  complained: Set<string>
  /** Prospects who opted out and were not on the opt-out list before. */
  optedOut: Set<string>
}

export type World = { app: TestApp; worker: Worker; server: ScriptedSmtp; url: string }

const PEOPLE = 10
const ACTS = 40
const HOUR_MS = 3_600_000

const email = (n: number, variants: string[], more: object = {}) => ({
  ...more,
  variants: variants.map(name => ({ subject: `Step ${n}${name}`, body: `[${n}${name}] Hi {{ firstName }}` })),
})

const secondSteps = (assistantId: string): Steps => [
  { channel: 'call', delay: { amount: 1, unit: 'hours' }, call: { assistantId, retries: 1 } },
  {
    channel: 'call',
    delay: { amount: 1, unit: 'hours' },
    call: { assistantId, retries: 0, onAnswered: 'continue' },
  },
  { channel: 'linkedin_connect', delay: { amount: 1, unit: 'hours' }, body: 'Hi {{ firstName }}' },
  { channel: 'task', delay: { amount: 0, unit: 'days' }, body: 'Send {{ firstName }} a card' },
]

/** Simulates a campaign with random steps and random events; the same seed makes the same choices. */
export async function simulateHistory(world: World, seed: number): Promise<History> {
  const random = createRandom(seed)
  const pick = <T>(items: readonly T[]): T | undefined => items[Math.floor(random() * items.length)]
  const { history, people } = await startHistory(world, random)
  const acts = Object.entries(createActs(world, history, pick))
  for (let nth = 0; nth < ACTS; nth++) {
    // Never two events at the same time, so that the first reply is unambiguous.
    world.app.setNow(new Date(world.app.now().getTime() + 1_000))
    const [name, act] = acts.find(([name]) => nth % 5 === 4 && name === 'waitLonger') ?? pick(acts)!
    const person = pick(people)!
    const entry = `${name} ${person.email}`
    try {
      await act(person)
      history.acts.push(entry)
    } catch (refusal) {
      if (!(refusal instanceof AppError)) throw refusal
      history.acts.push(`${entry}: refused, ${refusal.message}`)
    }
  }
  await world.worker.workAfter(HOUR_MS)
  return history
}

async function startHistory({ app, worker, server }: World, random: () => number) {
  const owner = await aCaller(app)
  const { call } = owner
  const unsubscribeWords = random() < 0.5 ? 'opt_out' : 'mark'
  await call('updateAccount', { postalAddress: '12 Row', optOutLine: 'Reply stop.', unsubscribeWords })
  const { id: repId } = await call('createRep', { name: 'Ada Byron' })
  const smtp = { host: '127.0.0.1', port: server.port, tls: 'none' as const }
  const mailbox = await call('createMailbox', {
    ...{ repId, kind: 'smtp', email: `ada-${randomUUIDv7()}@acme.example`, smtp },
  })
  await call('verifyMailbox', { mailboxId: mailbox.id })
  const assistant = await call('createAssistant', { name: 'Desk', fromNumber: '+442079460018', repId })
  const second = secondSteps(assistant.id)[Math.floor(random() * 4)]!
  const { id: campaignId } = await call('createCampaign', {
    ...{ name: 'Spring', repIds: [repId] },
    steps: [
      email(1, ['A', 'B']),
      second,
      email(3, random() < 0.5 ? ['A', 'B'] : ['A'], { delay: { amount: 4, unit: 'hours' } }),
    ],
  })
  const tag = randomUUIDv7().slice(-12)
  const data = Array.from({ length: PEOPLE }, (_, n) => ({
    firstName: `P${n}`,
    email: `p${n}@c${n}-${tag}.example`,
    linkedinUrl: `linkedin.com/in/p${n}-${tag}`,
    ...(n % 3 > 0 && { phone: `+4420794612${String(n).padStart(2, '0')}` }),
  }))
  for (const { phone } of data) if (phone) await aConsent(owner, phone)
  const added = await call('addProspectsToCampaign', { campaignId, data })
  const people = added.data.map(({ prospectId }, n) => ({ email: data[n]!.email, prospectId: prospectId! }))
  // This prospect's mailbox doesn't exist; the server refuses it.
  server.script = (step, line) =>
    step === 'RCPT' && line.includes('<p9@') ? '550 5.1.1 no such user' : undefined
  await call('launchCampaign', { campaignId })
  await worker.work()
  const history: History = {
    ...{ owner, campaignId, acts: [], answered: [] },
    ...{ complained: new Set(), optedOut: new Set() },
  }
  return { history, people }
}

type Pick = <T>(items: readonly T[]) => T | undefined
type Act = (person: Person) => Promise<unknown>

const createActs = (world: World, history: History, pick: Pick): Record<string, Act> => ({
  ...createMailActs(world, history, pick),
  ...createOptOutActs(world, history, pick),
  ...createRepActs(world, history, pick),
})

/** Returns the person's mails so far, with step and variant. */
async function readMailsTo({ server }: World, { email }: Person): Promise<(SentMail & { mark: string })[]> {
  const mails = (await readMails(server)).filter(({ to }) => to === email)
  return mails.map(mail => ({ ...mail, mark: /\[(\d[AB])\]/.exec(mail.mail.text ?? '')?.[1] ?? '' }))
}

const createReceiver =
  ({ app }: World, { owner }: History) =>
  async (raw: Buffer) => {
    const { data } = await owner.call('listMailboxes', {})
    return receiveMail(app, {
      ...{ accountId: owner.accountId, mailboxId: data[0]!.id },
      ...{ raw, receivedAt: app.now(), folder: 'inbox' as const },
    })
  }

function createMailActs(world: World, history: History, pick: Pick): Record<string, Act> {
  const receive = createReceiver(world, history)
  const about =
    (write: (mail: SentMail) => Buffer): Act =>
    async person => {
      const mail = pick(await readMailsTo(world, person))
      if (!mail) return
      const raw = write(mail)
      const { outcome, kind } = await receive(raw)
      if (outcome === 'stored' && (kind === 'reply' || kind === 'unsubscribe'))
        history.answered.push({ prospectId: person.prospectId, mark: mail.mark, at: world.app.now() })
      // A duplicate, for example from another folder, must change nothing.
      if (pick([true, false])) await receive(raw)
    }
  const bounce = (status: string, words: string) =>
    about(mail => aBounce(mail, { status, diagnostic: `550 ${status} ${words}` }))
  return {
    reply: about(mail => anAnswer(mail, 'Thank you, Tuesday suits me.')),
    replyAgain: about(mail => anAnswer(mail, 'One more question.')),
    autoReply: about(mail => anAnswer(mail, 'I am away.', { 'Auto-Submitted': 'auto-replied' })),
    bounceHard: bounce('5.1.1', 'user unknown'),
    bounceSoft: bounce('4.2.2', 'mailbox full'),
    bouncePolicy: bounce('5.7.1', 'message rejected as spam'),
  }
}

function createOptOutActs(world: World, history: History, pick: Pick): Record<string, Act> {
  const { owner } = history
  const receive = createReceiver(world, history)
  const isListed = async ({ email }: Person) =>
    (await owner.call('listOptOuts', { limit: 100 })).data.some(({ identifier }) => identifier === email)
  /** Records an opt-out when the act puts the person on the list. */
  const recordingOptOut =
    (act: (mail: SentMail & { mark: string }, person: Person) => Promise<unknown>): Act =>
    async person => {
      const mail = pick(await readMailsTo(world, person))
      if (!mail) return
      const wasListed = await isListed(person)
      await act(mail, person)
      if (!wasListed && (await isListed(person))) history.optedOut.add(person.prospectId)
    }
  const getUnsubscribeHeader = ({ mail }: SentMail) =>
    mail.headers.find(({ key }) => key === 'list-unsubscribe')?.value ?? ''
  return {
    complain: recordingOptOut(async (mail, { prospectId }) => {
      const { outcome } = await receive(aComplaint(mail))
      if (outcome === 'stored') history.complained.add(prospectId)
    }),
    askInWords: recordingOptOut(async (mail, { prospectId }) => {
      const { outcome } = await receive(anAnswer(mail, 'Please remove me from your list.'))
      if (outcome === 'stored') history.answered.push({ prospectId, mark: mail.mark, at: world.app.now() })
    }),
    unsubscribeByMail: recordingOptOut(async mail => {
      const subject = decodeURIComponent(/subject=([^>]+)>/.exec(getUnsubscribeHeader(mail))?.[1] ?? 'none')
      const fields = { From: `<${mail.to}>`, To: mail.mail.from!.address!, Subject: subject }
      await receive(rawMail({ ...fields, 'Message-ID': `<${randomUUIDv7()}@e.example>` }, ''))
    }),
    unsubscribeByButton: recordingOptOut(async mail => {
      const link = new URL(/<(http[^>]+)>/.exec(getUnsubscribeHeader(mail))?.[1] ?? 'http://none/')
      if (link.pathname === '/') return
      const body = new URLSearchParams({ 'List-Unsubscribe': 'One-Click' })
      const response = await fetch(world.url + link.pathname, { method: 'POST', body })
      await response.body?.cancel()
    }),
    putOnList: ({ email }) => owner.call('addOptOuts', { identifiers: [{ identifier: email }] }),
    takeOffList: async person => {
      if (history.optedOut.has(person.prospectId)) return
      await owner.call('removeOptOut', { identifier: person.email })
    },
  }
}

function createRepActs(world: World, { owner, campaignId }: History, pick: Pick): Record<string, Act> {
  const { call } = owner
  const findOpenTask = async ({ prospectId }: Person) =>
    (await call('listTasks', { prospectId, status: 'open' })).data[0]?.id
  return {
    wait: () => world.worker.workAfter(HOUR_MS),
    waitLonger: () => world.worker.workAfter(5 * HOUR_MS),
    pauseCampaign: () => call('pauseCampaign', { campaignId }),
    resumeCampaign: () => call('resumeCampaign', { campaignId }),
    pauseProspect: ({ prospectId }) => call('pauseProspect', { prospectId }),
    resumeProspect: ({ prospectId }) => call('resumeProspect', { prospectId }),
    completeTask: async person => {
      const taskId = await findOpenTask(person)
      if (taskId) await call('completeTask', { taskId })
    },
    skipTask: async person => {
      const taskId = await findOpenTask(person)
      if (taskId) await call('skipTask', { taskId })
    },
    answerOnLinkedin: ({ prospectId }) =>
      call('recordLinkedinMessage', {
        ...{ prospectId, type: 'received', text: `Hello ${randomUUIDv7()}` },
        happenedAt: world.app.now().toISOString(),
      }),
    bookMeeting: ({ prospectId }) =>
      call('recordMeeting', {
        prospectId,
        startsAt: new Date(world.app.now().getTime() + 24 * HOUR_MS).toISOString(),
      }),
    cancelMeeting: async ({ prospectId }) => {
      const { data } = await call('listMeetings', { prospectId, status: 'booked' })
      if (data[0]) await call('cancelMeeting', { meetingId: data[0].id })
    },
    answerByHand: async ({ prospectId }) => {
      const { mails } = await readCampaign(owner, campaignId)
      const received = mails.filter(each => each.type === 'received' && each.prospectId === prospectId)[0]
      if (!received) return
      const { messageId } = await call('createEmailDraft', {
        ...{ prospectId, emailMessageIdToReplyTo: received.id, body: 'Gladly. [0A]' },
      })
      if (pick([true, false])) await call('sendEmailDraft', { emailMessageId: messageId })
      await world.worker.work()
    },
    verifyMailbox: async () => {
      const { data } = await call('listMailboxes', {})
      await call('verifyMailbox', { mailboxId: data[0]!.id })
    },
  }
}
