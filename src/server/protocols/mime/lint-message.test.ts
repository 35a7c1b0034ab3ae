import { describe, expect, it } from 'vitest'
import { composeMessage, createMessageId } from './compose.ts'
import { lintMessage } from './lint-message.ts'

const messageId = createMessageId(['a'], 'acme.example')
const expected = { messageId, domain: 'acme.example', headers: ['List-Unsubscribe'] }

async function makeMessage(): Promise<string> {
  const { bytes } = await composeMessage({
    messageId,
    from: { address: 'ada@acme.example', name: 'Ada Byron' },
    to: [{ address: 'grace@navy.example' }],
    subject: 'Hello',
    text: 'Hi Grace',
    headers: { 'List-Unsubscribe': '<https://out.acme.example/u/1>' },
    date: new Date(0),
  })
  return bytes.toString()
}

const header = (line: string) => (message: string) => `${line}\r\n${message}`

describe('a composed message', () => {
  it('passes the check', async () => {
    const message = await makeMessage()
    expect(() => lintMessage(Buffer.from(message), expected)).not.toThrow()
  })

  it.each<[string, (message: string) => string]>([
    ['a bare LF', message => message.replace('Hi Grace', 'Hi\nGrace')],
    ['a bare CR', message => message.replace('Hi Grace', 'Hi\rGrace')],
    ['a NUL', message => message.replace('Hi', 'Hi\0')],
    ['a letter outside ASCII', message => message.replace('Hello', 'H\u00e9llo')],
    ['a line that is too long', message => `${message}${'x'.repeat(999)}\r\n`],
    ['a header line that is not folded', header(`Cc: ${'a@b.example, '.repeat(20)}`)],
    ['an unexpected header', header('Bcc: victim@navy.example')],
    ['a second From', header('From: eve@evil.example')],
    ['a second Date in capital letters', header('DATE: Thu, 01 Jan 1970 00:00:00 +0000')],
    ['a second Message-ID', header('Message-ID: <x@acme.example>')],
    ['a header line that is not a field', header('Hello there')],
    ['a space before the colon', header('Cc : grace@navy.example')],
    ['no Date', message => message.replace(/^Date:.*\r\n/m, '')],
    ['an empty From', message => message.replace(/^From:.*\r\n/m, 'From:\r\n')],
    ['no From', message => message.replace(/^From:.*\r\n/m, '')],
    ['another Message-ID', message => message.replace(messageId, '<x@acme.example>')],
    ['no end of the header', message => message.slice(0, message.indexOf('\r\n\r\n') + 2)],
    ['too many bytes', message => message + 'x\r\n'.repeat(8_000_000)],
  ])('is rejected with %s', async (_what, corrupt) => {
    const message = await makeMessage()
    expect(() => lintMessage(Buffer.from(corrupt(message)), expected)).toThrow(/composed incorrectly: /)
  })

  it("is rejected with a Message-ID of a domain other than the sender's", async () => {
    const message = await makeMessage()
    const elsewhere = { ...expected, domain: 'navy.example' }
    expect(() => lintMessage(Buffer.from(message), elsewhere)).toThrow("does not use the sender's domain")
  })
})
