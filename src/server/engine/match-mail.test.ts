import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { rawMail } from '../../../test/support/answers.ts'
import { openTestApp, type TestApp } from '../../../test/support/app.ts'
import { openPostOffice, type PostOffice, type Written } from '../../../test/support/correspondence.ts'
import { bestBySubject, namedIds, tokenIds } from './match-mail.ts'
import { receiveMail } from './receive-mail.ts'

describe('what a mail names', () => {
  it.each([
    ['nothing', undefined, [], []],
    ['its parent', '<p@x>', [], ['<p@x>']],
    [
      'its parent and those before, nearest first',
      '<p@x>',
      ['<a@x>', '<b@x>', '<p@x>'],
      ['<p@x>', '<b@x>', '<a@x>'],
    ],
    ['a thread without a parent', undefined, ['<a@x>', '<b@x>'], ['<b@x>', '<a@x>']],
  ])('is read as %s', (_what, inReplyTo, references, ids) => {
    expect(namedIds({ inReplyTo, references })).toEqual(ids)
  })

  it('is read as far as it can be meant', () => {
    const references = Array.from({ length: 1_000 }, (_, n) => `<${n}@x>`)
    expect(namedIds({ inReplyTo: undefined, references })).toHaveLength(60)
    expect(namedIds({ inReplyTo: undefined, references })[0]).toBe('<999@x>')
  })

  it('is the token of an address as well', () => {
    expect(tokenIds(['0a1b'], 'ada@acme.example')).toEqual(['<0a1b@acme.example>'])
  })
})

it.each([
  ['Re: Hello', 'Hello'],
  ['AW: Hello', 'Hello'],
  ['re: RE:  hello again', 'Later'],
  ['Something else', 'Later'],
])('of several mails %j answers the one that its subject fits, else the latest', (subject, expected) => {
  const latestFirst = [{ subject: 'Later' }, { subject: 'Re: Hello' }, { subject: 'Hello' }]
  expect(bestBySubject(latestFirst, subject)?.subject.replace('Re: ', '')).toBe(expected)
  expect(bestBySubject([], subject)).toBeUndefined()
})

describe('a mail that names no mail of ours', () => {
  const DAY_MS = 24 * 3_600_000
  let app: TestApp
  let post: PostOffice
  beforeAll(async () => {
    app = await openTestApp({ ALLOW_PRIVATE_HOSTS: '127.0.0.1' })
    app.setNow('2026-11-20T09:00:00Z')
    post = await openPostOffice(app)
  })
  afterAll(async () => {
    await post[Symbol.asyncDispose]()
    await app[Symbol.asyncDispose]()
  })

  /** From that person into that mailbox, so long after they were written to. */
  const receive = ({ owner, emails }: Written, mailboxId: string, laterMs: number) =>
    receiveMail(app, {
      accountId: owner.accountId,
      mailboxId,
      raw: rawMail({ From: emails[0]!.toUpperCase(), Subject: 'Your offer' }, 'Tell me more.'),
      receivedAt: new Date(app.now().getTime() + laterMs),
      folder: 'inbox',
    })

  it('answers what its sender was written lately from the same mailbox, and nothing else', async () => {
    const written = await post.write(1)
    const { owner, mailboxId } = written
    const { id: repId } = await owner.call('createRep', { name: 'Grace Hopper' })
    const other = await owner.call('createMailbox', { repId, kind: 'sandbox', email: 'grace@other.example' })
    for (const [id, laterMs] of [
      [mailboxId, -DAY_MS],
      [mailboxId, 61 * DAY_MS],
      [other.id, DAY_MS],
    ] as const) {
      expect(await receive(written, id, laterMs)).toMatchObject({ outcome: 'ignored' })
    }
    expect(await receive(written, mailboxId, DAY_MS)).toMatchObject({ outcome: 'stored', kind: 'reply' })
  })
})
