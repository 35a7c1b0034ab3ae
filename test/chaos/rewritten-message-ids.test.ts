import { afterAll, beforeAll, expect, it } from 'vitest'
import { openTestApp, type TestApp } from '../support/app.ts'
import { makeReply } from '../support/mail/answers.ts'
import { openPostOffice, type PostOffice, type SentCampaign } from '../support/mail/correspondence.ts'
import { getReferences, type SentMail } from '../support/mail/sent-mail.ts'
import { report } from './tally-deliveries.ts'

const PEOPLE = 100
const AT_ONCE = 10
/** Two threads per person, so that the sender alone doesn't identify the thread. */
const steps = [
  { subject: 'Hello {{ firstName }}', body: 'One' },
  {
    subject: 'Another thing',
    delay: { amount: 0, unit: 'minutes' as const },
    thread: 'new' as const,
    body: 'Two',
  },
]

let app: TestApp
let post: PostOffice
beforeAll(async () => {
  app = await openTestApp({ ALLOW_PRIVATE_HOSTS: '127.0.0.1' })
  post = await openPostOffice(app)
})
afterAll(async () => {
  await post[Symbol.asyncDispose]()
  await app[Symbol.asyncDispose]()
})

async function mapInBatches<T, R>(
  items: readonly T[],
  work: (item: T, index: number) => Promise<R>,
): Promise<R[]> {
  const results: R[] = []
  for (let from = 0; from < items.length; from += AT_ONCE) {
    const batch = items.slice(from, from + AT_ONCE)
    results.push(...(await Promise.all(batch.map((item, n) => work(item, from + n)))))
  }
  return results
}

/** Returns the mail as it arrives after a server has silently replaced our Message-ID with its own. */
const rewriteMessageId = ({ to, mail }: SentMail): SentMail => ({
  to,
  mail: {
    ...mail,
    messageId: mail
      .messageId!.replace(/^<|@.*$/g, '')
      .replace(/^/, '<r-')
      .concat('@rewriting.example>'),
  },
})

/** Creates a reply with In-Reply-To and References, with only In-Reply-To, with neither, or from a colleague. */
function createReply(sent: SentMail, n: number): Buffer {
  switch (n % 4) {
    case 0:
      return makeReply(rewriteMessageId(sent), 'Tell me more.')
    case 1:
      return makeReply(rewriteMessageId(sent), 'Tell me more.', { References: undefined })
    case 2:
      return makeReply(sent, 'Tell me more.', { 'In-Reply-To': undefined, References: undefined })
    default:
      return makeReply(sent, 'Tell me more.', { From: `colleague-${sent.to}`, Subject: 'A question' })
  }
}

/** Answers the reply manually and returns its thread. */
async function followUp({ owner }: SentCampaign, replyId: string): Promise<string> {
  const reply = await owner.call('getEmailMessage', { emailMessageId: replyId })
  const { messageId } = await owner.call('createEmailDraft', {
    prospectId: reply.prospectId!,
    emailMessageIdToReplyTo: replyId,
    body: `Gladly. ${replyId}`,
  })
  await owner.call('sendEmailDraft', { emailMessageId: messageId })
  return reply.emailThreadId!
}

it('200 conversations stay in their threads behind servers that rewrite Message-IDs', async () => {
  const written = await post.write(PEOPLE, steps)
  const sent = await written.sent()
  expect(sent).toHaveLength(2 * PEOPLE)
  const messages = await written.messages()
  const threadByMail = new Map(
    messages.map(({ recipients, subject, emailThreadId }) => [
      `${recipients.to[0]!.email} ${subject}`,
      emailThreadId!,
    ]),
  )
  const threads = sent.map(({ to, mail }) => threadByMail.get(`${to} ${mail.subject}`)!)
  expect(new Set(threads).size).toBe(2 * PEOPLE)

  const replies = await mapInBatches(sent, (mail, n) => written.receive(createReply(mail, n)))
  expect(replies.filter(({ outcome }) => outcome !== 'stored')).toEqual([])
  expect(await mapInBatches(replies, ({ messageId }) => followUp(written, messageId!))).toEqual(threads)

  await post.worker.work()
  const followUps = (await post.mails()).flatMap(mail => {
    const [, replyId] = /^Gladly\. (\S+)/.exec(mail.mail.text ?? '') ?? []
    return replyId ? [{ mail, n: replies.findIndex(({ messageId }) => messageId === replyId) }] : []
  })
  expect(followUps).toHaveLength(2 * PEOPLE)
  for (const { mail, n } of followUps) expect(getReferences(mail)).toContain(sent[n]!.mail.messageId)

  const misplaced = await mapInBatches(followUps, async ({ mail, n }) => {
    const raw = makeReply(rewriteMessageId(mail), 'Thank you.', {
      From: `another-${n}@elsewhere.example`,
      Subject: 'Thanks',
    })
    const { messageId } = await written.receive(raw)
    if (!messageId) return n
    const { emailThreadId } = await written.owner.call('getEmailMessage', { emailMessageId: messageId })
    return emailThreadId === threads[n] ? [] : n
  })
  report('rewritten-message-ids', { chains: sent.length, misplaced: misplaced.flat().length })
  expect(misplaced.flat()).toEqual([])
})
