import { expect, it } from 'vitest'
import { classifyEmail } from '../server/protocols/mail-reading/classify.ts'
import { detectReplyIntent } from '../server/protocols/mail-reading/reply-intent.ts'
import { parseEmail } from '../server/protocols/mime/parse.ts'
import {
  composeAbsence,
  composeBounce,
  composeComplaint,
  composeReply,
  composeUnsubscribeWords,
} from './answer-mails.ts'
import { replyTextsFrom } from './answer-texts.ts'

const header = [
  'From: =?UTF-8?Q?Tom=C3=A1s?= <tomas@acme.example>',
  'To: Ann <ann@people.example>',
  'Subject: =?UTF-8?Q?Gr=C3=BC=C3=9Fe?=',
  'Message-ID: <one@acme.example>',
].join('\r\n')
const mail = {
  to: 'ann@people.example',
  from: '=?UTF-8?Q?Tom=C3=A1s?= <tomas@acme.example>',
  subject: '=?UTF-8?Q?Gr=C3=BC=C3=9Fe?=',
  messageId: '<one@acme.example>',
  references: '',
  unsubscribeUrl: 'http://localhost/u/x',
  header,
  raw: `${header}\r\n\r\nHello\r\n`,
}
const english = replyTextsFrom(undefined)
const now = new Date('2026-11-21T09:00:00.000Z')
const read = async (raw: string) => {
  const parsed = await parseEmail(Buffer.from(raw))
  return { parsed, ...classifyEmail(parsed) }
}

it('the same answer to the same mail comes in once, however often it is composed', async () => {
  const idOf = async (raw: string) => (await parseEmail(Buffer.from(raw))).messageId
  const later = new Date(now.getTime() + 5_000)
  for (const compose of [composeBounce, composeComplaint])
    expect(await idOf(compose(mail, later))).toBe(await idOf(compose(mail, now)))
  const other = { ...mail, messageId: '<two@acme.example>' }
  expect(await idOf(composeReply(other, 0, now))).not.toBe(await idOf(composeReply(mail, 0, now)))
})

it.each(['France', 'Germany', 'Poland', 'Brazil', 'Spain', 'Thailand', undefined])(
  'who lives in %s writes English or the language spoken there, and is understood',
  country => {
    const texts = replyTextsFrom(country)
    const own = texts.filter(text => !english.includes(text))
    expect(own.length).toBe(country === 'Thailand' || country === undefined ? 0 : 1)
    for (const [meaning, text] of texts) expect(detectReplyIntent(text, now)?.intent, text).toBe(meaning)
  },
)

it('what the people of the demo write is told apart like mail from anywhere', async () => {
  for (let nth = 0; nth < 10; nth++) {
    const reply = await read(composeReply(mail, nth, now))
    expect([reply.kind, reply.parsed.subject, reply.parsed.from?.address]).toEqual([
      ...['reply', 'Re: Grüße', 'ann@people.example'],
    ])
    const away = await read(composeAbsence(mail, nth, now))
    expect(away.kind).toBe('auto_reply')
    expect(away.returnsAt!.getTime()).toBeGreaterThan(now.getTime())
    expect((await read(composeUnsubscribeWords(mail, nth, now))).kind).toBe('unsubscribe')
  }
  const bounce = await read(composeBounce(mail, now))
  expect(bounce).toMatchObject({
    kind: 'bounce',
    recipients: [{ address: 'ann@people.example', class: 'hard' }],
  })
  expect((await read(composeComplaint(mail, now))).kind).toBe('complaint')
})
