import { randomUUIDv7 } from 'node:crypto'
import { receiveMail } from '../../../src/server/engine/receive/receive-mail.ts'
import { aBounce, aComplaint, anAnswer, rawMail } from '../mail/answers.ts'
import { readMail, type SentMail } from '../mail/sent-mail.ts'
import type { History, Person } from './history.ts'
import type { World } from './history-world.ts'

/** Picks an item of a non-empty list. */
export type Pick = <T>(items: readonly T[]) => T
/** Something that happens to a person; false when there was nothing to do. */
export type Act = (person: Person) => Promise<unknown>

const DAY_MS = 86_400_000

/** Returns everything that can happen in a campaign. */
export const createActs = (world: World, history: History, pick: Pick): Record<string, Act> => ({
  ...createMailActs(world, history, pick),
  ...createOptOutActs(world, history, pick),
  ...createRepActs(world, history, pick),
})

/** A sent mail with its step and variant, such as `3B`. */
type StepEmail = SentMail & { mark: string }

/** Returns an act about one of the emails that the person has received. */
const createAbout =
  ({ findTransfers }: World, pick: Pick) =>
  (act: (mail: StepEmail, person: Person) => Promise<unknown>): Act =>
  async person => {
    const transfers = findTransfers(person.email)
    if (transfers.length === 0) return false
    const mail = await readMail(pick(transfers))
    return act({ ...mail, mark: /\[(\d[AB])\]/.exec(mail.mail.text ?? '')?.[1] ?? '' }, person)
  }

const createReceiver =
  ({ app }: World, { owner, mailboxId }: History) =>
  (raw: Buffer) =>
    receiveMail(app, {
      ...{ accountId: owner.accountId, mailboxId, raw, receivedAt: app.now(), folder: 'inbox' as const },
    })

function createMailActs(world: World, history: History, pick: Pick): Record<string, Act> {
  const receive = createReceiver(world, history)
  const about = createAbout(world, pick)
  const receiving = (write: (mail: SentMail) => Buffer): Act =>
    about(async (mail, { prospectId }) => {
      const raw = write(mail)
      const { outcome, kind } = await receive(raw)
      if (outcome === 'stored' && (kind === 'reply' || kind === 'unsubscribe'))
        history.answered.push({ prospectId, mark: mail.mark, at: world.app.now() })
      // A duplicate, for example from another folder, must change nothing.
      if (pick([true, false])) await receive(raw)
      return outcome === 'stored'
    })
  const bounce = (status: string, words: string) =>
    receiving(mail => aBounce(mail, { status, diagnostic: `550 ${status} ${words}` }))
  return {
    reply: receiving(mail => anAnswer(mail, 'Thank you, Tuesday suits me.')),
    replyAgain: receiving(mail => anAnswer(mail, 'One more question.')),
    autoReply: receiving(mail => anAnswer(mail, 'I am away.', { 'Auto-Submitted': 'auto-replied' })),
    bounceHard: bounce('5.1.1', 'user unknown'),
    bounceSoft: bounce('4.2.2', 'mailbox full'),
    bouncePolicy: bounce('5.7.1', 'message rejected as spam'),
  }
}

function createOptOutActs(world: World, history: History, pick: Pick): Record<string, Act> {
  const { call } = history.owner
  const receive = createReceiver(world, history)
  const about = createAbout(world, pick)
  const isListed = async ({ email }: Person) =>
    (await call('listOptOuts', { limit: 100 })).data.some(({ identifier }) => identifier === email)
  /** Records an opt-out when the act puts the person on the list. */
  const recordingOptOut = (act: (mail: StepEmail, person: Person) => Promise<unknown>): Act =>
    about(async (mail, person) => {
      const wasListed = await isListed(person)
      const result = await act(mail, person)
      if (!wasListed && (await isListed(person))) history.optedOut.add(person.prospectId)
      return result
    })
  const getUnsubscribeHeader = ({ mail }: SentMail) =>
    mail.headers.find(({ key }) => key === 'list-unsubscribe')?.value ?? ''
  return {
    complain: recordingOptOut(async (mail, { prospectId }) => {
      const { outcome } = await receive(aComplaint(mail))
      if (outcome === 'stored') history.complained.add(prospectId)
      return outcome === 'stored'
    }),
    askInWords: recordingOptOut(async (mail, { prospectId }) => {
      const { outcome } = await receive(anAnswer(mail, 'Please remove me from your list.'))
      if (outcome === 'stored') history.answered.push({ prospectId, mark: mail.mark, at: world.app.now() })
      return outcome === 'stored'
    }),
    unsubscribeByMail: recordingOptOut(async mail => {
      const subject = decodeURIComponent(/subject=([^>]+)>/.exec(getUnsubscribeHeader(mail))?.[1] ?? 'none')
      const fields = { From: `<${mail.to}>`, To: mail.mail.from!.address!, Subject: subject }
      await receive(rawMail({ ...fields, 'Message-ID': `<${randomUUIDv7()}@e.example>` }, ''))
    }),
    unsubscribeByButton: recordingOptOut(async mail => {
      const link = new URL(/<(http[^>]+)>/.exec(getUnsubscribeHeader(mail))?.[1] ?? 'http://none/')
      if (link.pathname === '/') return false
      const body = new URLSearchParams({ 'List-Unsubscribe': 'One-Click' })
      const response = await fetch(world.url + link.pathname, { method: 'POST', body })
      await response.body?.cancel()
      return response.ok
    }),
    putOnList: ({ email }) => call('addOptOuts', { identifiers: [{ identifier: email }] }),
    takeOffList: async person => {
      if (history.optedOut.has(person.prospectId)) return false
      await call('removeOptOut', { identifier: person.email })
    },
  }
}

const isInvitation = ({
  channel,
  acceptedAt,
}: {
  channel: string
  acceptedAt?: string | undefined
}): boolean => channel === 'linkedin_connect' && !acceptedAt

function createRepActs({ app }: World, history: History, pick: Pick): Record<string, Act> {
  const { owner, campaignId, repId, mailboxId, erasedReasons } = history
  const { call } = owner
  /** Returns an act about one of the campaign's tasks. */
  const withTask =
    (name: 'completeTask' | 'skipTask' | 'acceptTask', status: 'open' | 'completed'): Act =>
    async () => {
      const { data } = await call('listTasks', { repId, status, limit: 100 })
      const tasks = status === 'open' ? data : data.filter(isInvitation)
      return tasks.length > 0 && call(name, { taskId: pick(tasks).id })
    }
  return {
    pauseCampaign: () => call('pauseCampaign', { campaignId }),
    resumeCampaign: () => call('resumeCampaign', { campaignId }),
    pauseProspect: ({ prospectId }) => call('pauseProspect', { prospectId }),
    resumeProspect: ({ prospectId }) => call('resumeProspect', { prospectId }),
    stopProspect: ({ prospectId }) => call('stopProspects', { prospectIds: [prospectId] }),
    erasePerson: async ({ prospectId, personId, email }) => {
      const { data } = await call('listEmailMessages', { prospectId })
      await call('erasePerson', { personId, expectedPerson: email })
      for (const { id, deliveryReason } of data) if (deliveryReason) erasedReasons.set(id, deliveryReason)
    },
    completeTask: withTask('completeTask', 'open'),
    skipTask: withTask('skipTask', 'open'),
    acceptInvitation: withTask('acceptTask', 'completed'),
    answerOnLinkedin: ({ prospectId }) =>
      call('recordLinkedinMessage', {
        ...{ prospectId, type: 'received', text: `Hello ${randomUUIDv7()}` },
        happenedAt: app.now().toISOString(),
      }),
    bookMeeting: ({ prospectId }) =>
      call('recordMeeting', { prospectId, startsAt: new Date(app.now().getTime() + DAY_MS).toISOString() }),
    cancelMeeting: async ({ prospectId }) => {
      const [meeting] = (await call('listMeetings', { prospectId, status: 'booked' })).data
      return meeting ? call('cancelMeeting', { meetingId: meeting.id }) : false
    },
    answerByHand: async () => {
      const { data } = await call('listEmailMessages', { campaignId, type: 'received' })
      if (data.length === 0) return false
      const { id, prospectId } = pick(data)
      const { messageId } = await call('createEmailDraft', {
        ...{ prospectId, emailMessageIdToReplyTo: id, body: 'Gladly. [0A]' },
      })
      if (pick([true, false])) await call('sendEmailDraft', { emailMessageId: messageId })
    },
    verifyMailbox: () => call('verifyMailbox', { mailboxId }),
  }
}
