import { randomUUIDv7 } from 'node:crypto'
import { makeBounce, makeComplaint, makeReply, rawMail } from '../mail/answers.ts'
import { parseEnvelopeAddress } from '../mail/mail-campaign.ts'
import { readMail, type SentMail } from '../mail/sent-mail.ts'
import type { History } from './history.ts'
import type { Act, PickItem } from './history-acts.ts'
import { listAddresses, type Person } from './history-people.ts'
import type { InboundResult, World } from './history-world.ts'
import { listAll } from './recount.ts'

/** Replies that people write, with their intents. */
export const replies: readonly { intent: string | undefined; text: string }[] = [
  { intent: 'interested', text: 'Thank you, Tuesday suits me.' },
  { intent: 'interested', text: 'That sounds great.' },
  { intent: 'question', text: 'How many people use it?' },
  { intent: 'objection', text: 'We are not interested.' },
  { intent: 'not_now', text: 'Not right now.' },
  { intent: 'wrong_person', text: 'I am not the right person.' },
  { intent: undefined, text: 'Hello.' },
]

const DAY_MS = 86_400_000

/** A sent email with its step and variant, such as `3B`. */
type StepEmail = SentMail & { mark: string }
/** Something that happens to an email that the person has received. */
type MailAct = (mail: StepEmail, person: Person) => Promise<unknown>

/** Returns the possible responses to an email. */
export function createMailActs(world: World, history: History, pick: PickItem): Record<string, Act> {
  const { owner, mailbox, people } = history
  const { call } = owner
  const receive = (raw: Buffer) => world.post(mailbox.inboundUrl, raw, { 'content-type': 'message/rfc822' })

  /** Returns an act that picks one of the emails that the campaign has sent to the person. */
  const pickEmail =
    (act: MailAct): Act =>
    async person => {
      const addresses = listAddresses(person.contact)
      const transfers = world
        .listTransfers(mailbox.email)
        .filter(({ envelope }) => addresses.includes(parseEnvelopeAddress(envelope[1]!)))
      if (transfers.length === 0) return false
      const mail = await readMail(pick(transfers))
      return act({ ...mail, mark: /\[(\d[AB])\]/.exec(mail.mail.text ?? '')?.[1] ?? '' }, person)
    }

  /** Records the intent of a stored message and, if it is a reply, the prospect and step that it answers. */
  const recordReply = async ({ to, mark }: StepEmail, result: InboundResult, intent: string | undefined) => {
    if (result.outcome !== 'stored') return
    history.intents.set(result.messageId!, intent)
    if (result.kind !== 'reply' && result.kind !== 'unsubscribe') return
    history.answered.push({ prospectId: await findProspectId(to, result), mark, at: world.app.now() })
  }
  /** Returns the prospects who may have received emails at this address: several after a merge. */
  const findProspects = (to: string) => people.filter(({ contact }) => listAddresses(contact).includes(to))
  const findProspectId = async (to: string, { messageId }: InboundResult): Promise<string> => {
    const [only, ...others] = findProspects(to)
    if (others.length === 0) return only!.prospectId
    return (await call('getEmailMessage', { emailMessageId: messageId! })).prospectId!
  }

  const receiveAct = (write: (mail: SentMail) => { raw: Buffer; intent?: string | undefined }): Act =>
    pickEmail(async mail => {
      const { raw, intent } = write(mail)
      const result = await receive(raw)
      await recordReply(mail, result, intent)
      // A duplicate, for example from another folder, must change nothing.
      if (pick([true, false])) await receive(raw)
      return result.outcome === 'stored'
    })
  const reply = receiveAct(mail => {
    const { text, intent } = pick(replies)
    return { raw: makeReply(mail, text), intent }
  })
  const autoReply = (text: () => string) =>
    receiveAct(mail => ({
      raw: makeReply(mail, text(), { 'Auto-Submitted': 'auto-replied' }),
      intent: 'auto',
    }))
  const bounce = (status: string, text: string) =>
    receiveAct(mail => ({ raw: makeBounce(mail, { status, diagnostic: `550 ${status} ${text}` }) }))

  const listOptOuts = async () => {
    const entries = await listAll(owner, 'listOptOuts', {})
    return new Set(entries.filter(({ source }) => source !== 'bounce').map(({ identifier }) => identifier))
  }
  /** Returns the act, extended to record an opt-out that it adds. */
  const recordingOptOut = (act: MailAct): Act =>
    pickEmail(async (mail, person) => {
      if (findProspects(mail.to).length > 1) return false
      const before = await listOptOuts()
      const result = await act(mail, person)
      if ((await listOptOuts()).difference(before).size > 0) history.optedOut.add(person.prospectId)
      return result
    })
  const getUnsubscribeHeader = ({ mail }: SentMail) =>
    mail.headers.find(({ key }) => key === 'list-unsubscribe')?.value ?? ''

  return {
    reply,
    replyAgain: reply,
    autoReply: autoReply(() => 'I received your message.'),
    outOfOffice: autoReply(() => {
      const day = new Date(world.app.now().getTime() + pick([1, 2, 9]) * DAY_MS)
      return `I am out of the office and will be back on ${day.toISOString().slice(0, 10)}.`
    }),
    bounceHard: bounce('5.1.1', 'user unknown'),
    bounceSoft: bounce('4.2.2', 'mailbox full'),
    bouncePolicy: bounce('5.7.1', 'message rejected as spam'),
    complain: recordingOptOut(async (mail, { prospectId }) => {
      const { outcome } = await receive(makeComplaint(mail))
      if (outcome === 'stored') history.complained.add(prospectId)
      return outcome === 'stored'
    }),
    optOutInReply: recordingOptOut(async mail => {
      const result = await receive(makeReply(mail, 'Please remove me from your list.'))
      await recordReply(mail, result, 'opt_out')
      return result.outcome === 'stored'
    }),
    unsubscribeByMail: recordingOptOut(async mail => {
      const subject = decodeURIComponent(/subject=([^>]+)>/.exec(getUnsubscribeHeader(mail))?.[1] ?? 'none')
      const fields = { From: `<${mail.to}>`, To: mail.mail.from!.address!, Subject: subject }
      await receive(rawMail({ ...fields, 'Message-ID': `<${randomUUIDv7()}@e.example>` }, ''))
    }),
    unsubscribeByButton: recordingOptOut(async mail => {
      const link = /<(http[^>]+)>/.exec(getUnsubscribeHeader(mail))?.[1]
      if (!link) return false
      const form = { 'content-type': 'application/x-www-form-urlencoded' }
      await world.post(link, 'List-Unsubscribe=One-Click', form)
    }),
    answerByHand: async () => {
      const { data } = await call('listEmailMessages', { campaignId: history.campaignId, type: 'received' })
      if (data.length === 0) return false
      const { id, prospectId } = pick(data)
      const { messageId } = await call('createEmailDraft', {
        ...{ prospectId, emailMessageIdToReplyTo: id, body: 'Gladly. [0A]' },
      })
      if (pick([true, false])) await call('sendEmailDraft', { emailMessageId: messageId })
    },
  }
}
