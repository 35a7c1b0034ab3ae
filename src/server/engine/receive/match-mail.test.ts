import { randomUUIDv7 } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Caller, makeCaller, openTestApp, type TestApp } from '../../../../test/support/app.ts'
import {
  type Desk,
  inAccountTransaction,
  makeDesk,
  makeEmail,
  makeThread,
} from '../../../../test/support/campaigns/inbox.ts'
import { type Fields, rawMail } from '../../../../test/support/mail/answers.ts'
import { parseEmail } from '../../../../test/support/mail/parse-email.ts'
import { addMessageAlias } from '../../domain/messages/message-aliases.ts'
import type { NewEmailMessage } from '../../domain/messages/write-email-messages.ts'
import { claimSends } from '../../domain/outbox/claim-sends.ts'
import { commitDotPending, endSend, queueSend, repeatSend } from '../../domain/outbox/sends.ts'
import { listReferencedIds, matchMail, selectBySubject, toMessageIds } from './match-mail.ts'

describe('referenced Message-IDs', () => {
  it.each([
    ['empty', undefined, [], []],
    ['the parent', '<p@x>', [], ['<p@x>']],
    [
      'the parent and its ancestors, nearest first',
      '<p@x>',
      ['<a@x>', '<b@x>', '<p@x>'],
      ['<p@x>', '<b@x>', '<a@x>'],
    ],
    [
      'the ancestors, nearest first, when there is no parent',
      undefined,
      ['<a@x>', '<b@x>'],
      ['<b@x>', '<a@x>'],
    ],
  ])('are %s', (_what, inReplyTo, references, ids) => {
    expect(listReferencedIds({ inReplyTo, references })).toEqual(ids)
  })

  it('are limited to the nearest 60', () => {
    const references = Array.from({ length: 1_000 }, (_, n) => `<${n}@x>`)
    expect(listReferencedIds({ inReplyTo: undefined, references })).toHaveLength(60)
    expect(listReferencedIds({ inReplyTo: undefined, references })[0]).toBe('<999@x>')
  })

  it('can be built from plus-address tokens and the domains of the mailbox and its aliases', () => {
    const mailbox = { email: 'ada@acme.example', aliases: ['ada@navy.example', 'sales@acme.example'] }
    expect(toMessageIds(['0a1b'], mailbox)).toEqual(['<0a1b@acme.example>', '<0a1b@navy.example>'])
    const many = Array.from({ length: 1_000 }, (_, n) => `${n}`)
    expect(toMessageIds(many, { ...mailbox, aliases: [] })).toHaveLength(60)
  })
})

it.each([
  ['Re: Hello', 'Hello'],
  ['AW: Hello', 'Hello'],
  ['re: RE:  hello again', 'Later'],
  ['Something else', 'Later'],
])('for the subject %j, selects the email with the same subject, else the latest', (subject, expected) => {
  const latestFirst = [{ subject: 'Later' }, { subject: 'Re: Hello' }, { subject: 'Hello' }]
  expect(selectBySubject(latestFirst, subject)?.subject.replace('Re: ', '')).toBe(expected)
  expect(selectBySubject([], subject)).toBeUndefined()
})

const DAY_MS = 24 * 3_600_000
const MINUTE_MS = 60_000

describe('received mail', () => {
  let app: TestApp
  let caller: Caller
  let desk: Desk
  beforeAll(async () => {
    app = await openTestApp()
    caller = await makeCaller(app)
    desk = await makeDesk(caller)
  })
  afterAll(() => app[Symbol.asyncDispose]())

  const receivedAt = new Date('2026-11-20T09:00:00Z')
  const at = (ms: number) => new Date(receivedAt.getTime() + ms)

  /** Creates a prospect, with functions to write to it and to match replies. */
  async function makePerson() {
    const email = `ada-${randomUUIDv7()}@analytical.example`
    const { campaignId } = desk
    const { data } = await caller.call('addProspectsToCampaign', { campaignId, data: [{ email }] })
    const { prospectId, personId } = data[0] as { prospectId: string; personId: string }
    const mailbox = { id: desk.mailboxId, email: `grace@${randomUUIDv7()}.example`, aliases: [] }
    const writeEmail = async (fields: Partial<NewEmailMessage> = {}) => {
      const threadId = await makeThread(app, caller, { ...desk, prospectId })
      const messageId = `<${randomUUIDv7()}@${mailbox.email.split('@')[1]}>`
      const mail = {
        threadId,
        prospectId,
        mailboxId: mailbox.id,
        messageId,
        sentAt: at(-DAY_MS),
        ...fields,
      }
      return { ...mail, id: await makeEmail(app, caller, mail) }
    }
    const match = async (fields: Fields, { tokens = [] as string[], as = caller } = {}) => {
      const mail = await parseEmail(rawMail(fields, 'Tell me more.'))
      return inAccountTransaction(app, as, tx => matchMail(tx, mailbox, mail, tokens, receivedAt))
    }
    return { email, prospectId, personId, mailbox, writeEmail, match, fromPerson: { From: email } }
  }

  const stranger = { From: 'stranger@elsewhere.example' }
  const byReference = { reason: 'it references one of our emails' }
  const byToken = { reason: 'it was sent to the plus address of one of our emails' }
  const bySender = { reason: 'this mailbox recently wrote to its sender' }

  it('matches the email that it references, regardless of its sender', async () => {
    const { writeEmail, match, prospectId, personId } = await makePerson()
    const { id, threadId, messageId } = await writeEmail()
    const found = { repliesToId: id, threadId, prospectId, personId }
    expect(await match({ ...stranger, 'In-Reply-To': messageId })).toEqual({ ...found, ...byReference })
    expect(await match({ ...stranger, References: `<x@y.example> ${messageId}` })).toEqual({
      ...found,
      ...byReference,
    })
    expect(await match({ ...stranger, 'In-Reply-To': '<x@y.example>' })).toBeUndefined()
  })

  it('matches the nearest reference, our own mail before received mail', async () => {
    const { writeEmail, match } = await makePerson()
    const [first, second] = [await writeEmail(), await writeEmail()]
    const received = await writeEmail({
      type: 'received',
      messageId: `<${randomUUIDv7()}@elsewhere.example>`,
    })
    const References = [first, second, received].map(({ messageId }) => messageId).join(' ')
    expect(await match({ ...stranger, References })).toMatchObject({ repliesToId: second.id })
    expect(await match({ ...stranger, References: received.messageId })).toMatchObject({
      repliesToId: received.id,
    })
  })

  it('matches the latest of several emails with the same Message-ID', async () => {
    const { writeEmail, match } = await makePerson()
    const { messageId } = await writeEmail()
    const latest = await writeEmail({ messageId, sentAt: at(-DAY_MS / 2) })
    await writeEmail({ messageId })
    expect(await match({ ...stranger, 'In-Reply-To': messageId })).toMatchObject({ repliesToId: latest.id })
  })

  it('matches a Message-ID that a server assigned', async () => {
    const { writeEmail, match } = await makePerson()
    const { id } = await writeEmail()
    const assignedId = `<${randomUUIDv7()}@relay.example>`
    await inAccountTransaction(app, caller, tx => addMessageAlias(tx, id, assignedId))
    expect(await match({ ...stranger, 'In-Reply-To': assignedId })).toMatchObject({
      repliesToId: id,
      ...byReference,
    })
  })

  it('matches the plus-address token when it has no references', async () => {
    const { writeEmail, match, mailbox, fromPerson } = await makePerson()
    const [{ id, messageId }] = [await writeEmail(), await writeEmail()]
    const token = messageId.slice(1, messageId.indexOf('@'))
    expect(mailbox.email).toContain(messageId.slice(messageId.indexOf('@'), -1))
    expect(await match(fromPerson, { tokens: ['x', token] })).toMatchObject({ repliesToId: id, ...byToken })
  })

  it('without references or a token, matches recent mail to its sender: the same subject, else the latest', async () => {
    const { writeEmail, match, email, prospectId } = await makePerson()
    const offer = await writeEmail({ subject: 'Our offer', sentAt: at(-2 * DAY_MS) })
    const latest = await writeEmail({ subject: 'Lunch' })
    const From = `Ada <${email.toUpperCase()}>`
    const found = { repliesToId: offer.id, threadId: offer.threadId, prospectId, ...bySender }
    expect(await match({ From, Subject: 'AW: Our offer' })).toMatchObject(found)
    expect(await match({ From, Subject: 'Hello' })).toMatchObject({ repliesToId: latest.id, ...bySender })
    expect(await match({ From: 'nobody' })).toBeUndefined()
    expect(await match(stranger)).toBeUndefined()
  })

  it.each([
    ['60 days ago', { sentAt: at(-60 * DAY_MS) }, true],
    ['more than 60 days ago', { sentAt: at(-60 * DAY_MS - 1) }, false],
    ['ten minutes in the future, by a clock that is ahead', { sentAt: at(10 * MINUTE_MS) }, true],
    ['further in the future', { sentAt: at(10 * MINUTE_MS + 1) }, false],
    ['in an unsent draft', { status: 'draft' }, false],
    ['in a queued step', { status: null, deliveryStatus: 'queued' }, false],
  ] as [string, Partial<NewEmailMessage>, boolean][])(
    'without references or a token, matches only mail that was sent to its sender recently (written %s)',
    async (_, mail, isMatched) => {
      const { writeEmail, match, fromPerson } = await makePerson()
      const { id } = await writeEmail(mail)
      expect((await match(fromPerson))?.repliesToId).toBe(isMatched ? id : undefined)
    },
  )

  it('matches neither received mail nor mail from another mailbox', async () => {
    const { writeEmail, match, fromPerson } = await makePerson()
    await writeEmail({ type: 'received' })
    await writeEmail({ mailboxId: (await makeDesk(caller)).mailboxId })
    expect(await match(fromPerson)).toBeUndefined()
  })

  it('matches mail from a mailbox that was deleted and connected again', async () => {
    const { writeEmail, match, fromPerson, mailbox } = await makePerson()
    const { repId, mailboxId } = await makeDesk(caller)
    const { id } = await writeEmail({ mailboxId })
    const { email } = await caller.call('getMailbox', { mailboxId })
    await caller.call('deleteMailbox', { mailboxId })
    mailbox.id = (await caller.call('createMailbox', { repId, kind: 'sandbox', email })).id
    expect(await match(fromPerson)).toMatchObject({ repliesToId: id, ...bySender })
  })

  it('matches an email that may have been sent but is not confirmed', async () => {
    const { writeEmail, match, fromPerson, mailbox, email } = await makePerson()
    const { id } = await writeEmail({ status: null, deliveryStatus: 'queued' })
    const send = { messageId: id, mailboxId: mailbox.id, recipientEmails: [email], dueAt: receivedAt }
    await inAccountTransaction(app, caller, tx => queueSend(tx, send))
    expect(await match(fromPerson)).toBeUndefined()
    const claims = { now: receivedAt, limit: 100, perMailbox: 100, leaseMs: DAY_MS }
    const [claim] = await claimSends(app.db.engine, claims)
    await inAccountTransaction(app, caller, tx => commitDotPending(tx, [claim!], receivedAt))
    expect(await match(fromPerson)).toMatchObject({ repliesToId: id, ...bySender })
    await inAccountTransaction(app, caller, tx => endSend(tx, claim!, 'unconfirmed', 'cut off'))
    expect(await match(fromPerson)).toMatchObject({ repliesToId: id, ...bySender })
    // A person queues it again; the first copy may still be answered.
    await inAccountTransaction(app, caller, tx => repeatSend(tx, id, receivedAt))
    expect(await match(fromPerson)).toMatchObject({ repliesToId: id, ...bySender })
  })

  it('never matches mail from another account', async () => {
    const { writeEmail, match, fromPerson } = await makePerson()
    const { messageId } = await writeEmail()
    const as = await makeCaller(app)
    expect(await match({ ...fromPerson, 'In-Reply-To': messageId }, { as })).toBeUndefined()
  })
})
