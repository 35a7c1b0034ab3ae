import { expect, it } from 'vitest'
import { parseEmail } from '../../../test/support/mail/parse-email.ts'
import { classifyEmail } from '../../server/protocols/mail-reading/classify.ts'
import { detectReplyIntent } from '../../server/protocols/mail-reading/reply-intent.ts'
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

it('answers to the same email share a Message-ID however often they are composed', async () => {
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
