import { expect, it } from 'vitest'
import { parseEmail } from '../../../test/support/mail/parse-email.ts'
import { buildReplyQuestion } from '../../server/domain/reply-agent/prompt.ts'
import { askSimulatedModel } from '../../server/protocols/llm/simulated.ts'
import { classifyEmail } from '../../server/protocols/mail-reading/classify.ts'
import { detectReplyIntent } from '../../server/protocols/mail-reading/reply-intent.ts'
import { knowledge } from '../seed/reply-agent-rows.ts'
import {
  composeBounce,
  composeComplaint,
  composeOutOfOffice,
  composeReply,
  composeUnsubscribeReply,
} from './compose-replies.ts'
import { getReplyTexts } from './reply-texts.ts'

const header = [
  'From: =?UTF-8?Q?Tom=C3=A1s?= <tomas@acme.example>',
  'To: Ann <ann@people.example>',
  'Subject: =?UTF-8?Q?Gr=C3=BC=C3=9Fe?=',
  'Message-ID: <one@acme.example>',
].join('\r\n')
const email = {
  to: 'ann@people.example',
  from: '=?UTF-8?Q?Tom=C3=A1s?= <tomas@acme.example>',
  subject: '=?UTF-8?Q?Gr=C3=BC=C3=9Fe?=',
  messageId: '<one@acme.example>',
  references: '',
  unsubscribeUrl: 'http://localhost/u/x',
  header,
  raw: `${header}\r\n\r\nHello\r\n`,
}
const english = getReplyTexts(undefined)
const now = new Date('2026-11-21T09:00:00.000Z')
const classify = async (raw: string) => {
  const parsed = await parseEmail(Buffer.from(raw))
  return { parsed, ...classifyEmail(parsed) }
}

it('responses to the same email share a Message-ID, however often they are composed', async () => {
  const getMessageId = async (raw: string) => (await parseEmail(Buffer.from(raw))).messageId
  const later = new Date(now.getTime() + 5_000)
  for (const compose of [composeBounce, composeComplaint])
    expect(await getMessageId(compose(email, later))).toBe(await getMessageId(compose(email, now)))
  const other = { ...email, messageId: '<two@acme.example>' }
  expect(await getMessageId(composeReply(other, 0, now))).not.toBe(
    await getMessageId(composeReply(email, 0, now)),
  )
})

it.each(['France', 'Germany', 'Poland', 'Brazil', 'Spain', 'Thailand', undefined])(
  'replies from %s are in English or the local language and are classified correctly',
  country => {
    const texts = getReplyTexts(country)
    const local = texts.filter(text => !english.includes(text))
    expect(local.length).toBe(country === 'Thailand' || country === undefined ? 0 : 1)
    for (const [intent, text] of texts) expect(detectReplyIntent(text, now)?.intent, text).toBe(intent)
  },
)

/** Facts in the draft for each simulated reply, by a phrase in the reply. */
const answers: [phrase: string, facts: string[]][] = [
  ['price for two hundred', ['11 EUR', 'Shall I send']],
  ['colleague in quality', ['Thank you for letting me know.']],
  ['without a network', ['need no network', 'Shall I send']],
  ['batteries died', ['battery lasts a year', 'Shall I send']],
  ['en février', ['je reviens vers vous à ce moment-là']],
  ['ein kurzes Gespräch', ['Ich schicke Ihnen eine Einladung']],
  ['w czwartek', ['Wyślę zaproszenie']],
  ['na quinta-feira', ['Envio-lhe um convite']],
  ['el jueves', ['Le envío una invitación']],
]
const allTexts = ['France', 'Germany', 'Poland', 'Brazil', 'Spain'].flatMap(getReplyTexts)

it.each([...new Set(allTexts.map(([, text]) => text))])('the draft answers “%s”', newText => {
  const facts = {
    ...{ channel: 'email' as const, threadId: '', prospectId: null, repName: null, firstName: 'Ann' },
    ...{ company: null, earlier: [], subject: 'Re: Hello', newText, sender: null, sentAt: now },
    knowledge: { ...knowledge, nextStep: knowledge.next_step },
  }
  const { value } = askSimulatedModel(buildReplyQuestion(facts, now))
  const { draft } = value as { draft: string }
  const [, expected] = answers.find(([phrase]) => newText.includes(phrase))!
  for (const fact of expected) expect(draft).toContain(fact)
  // The draft must not contain the facts of other replies.
  for (const fact of ['EUR', 'network', 'battery', 'Shall I send'])
    expect(draft.includes(fact), fact).toBe(expected.some(each => each.includes(fact)))
})

it('simulated emails are classified as reply, automatic reply, unsubscribe, bounce and complaint', async () => {
  for (let number = 0; number < 10; number++) {
    const reply = await classify(composeReply(email, number, now))
    expect([reply.kind, reply.parsed.subject, reply.parsed.from?.address]).toEqual([
      ...['reply', 'Re: Grüße', 'ann@people.example'],
    ])
    const outOfOffice = await classify(composeOutOfOffice(email, number, now))
    expect(outOfOffice.kind).toBe('auto_reply')
    expect(outOfOffice.returnsAt!.getTime()).toBeGreaterThan(now.getTime())
    expect((await classify(composeUnsubscribeReply(email, number, now))).kind).toBe('unsubscribe')
  }
  const bounce = await classify(composeBounce(email, now))
  expect(bounce).toMatchObject({
    kind: 'bounce',
    recipients: [{ address: 'ann@people.example', class: 'hard' }],
  })
  expect((await classify(composeComplaint(email, now))).kind).toBe('complaint')
})
