import { randomUUIDv7 } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openTestApp, type TestApp } from '../../../../test/support/app.ts'
import { type Fields, makeReply, rawMail } from '../../../../test/support/mail/answers.ts'
import {
  openPostOffice,
  type PostOffice,
  type SentCampaign,
} from '../../../../test/support/mail/correspondence.ts'

const steps = [
  { subject: 'Hello', body: 'One' },
  { delay: { amount: 2, unit: 'days' as const }, body: 'Two' },
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

/** Builds the copy that a rep's email client stores in the Sent folder. */
const makeMail = ({ address }: SentCampaign, to: string, fields: Fields = {}) =>
  rawMail(
    {
      From: address,
      To: to,
      Subject: 'Lunch?',
      'Message-ID': `<${randomUUIDv7()}@phone.example>`,
      ...fields,
    },
    'On Monday?',
  )
const getStates = async ({ prospects }: SentCampaign) =>
  (await prospects()).map(({ status, statusReason }) => [status, statusReason]).sort()
const listManualEmails = async ({ messages }: SentCampaign) =>
  (await messages()).filter(({ type }) => type === 'manual')

describe('mail that a rep wrote in another program', () => {
  it('is stored in the thread once and pauses the sequence', async () => {
    const written = await post.write(2, steps)
    const { to } = (await written.sent())[0]!
    const raw = makeMail(written, to)
    expect(await written.receive(raw, 'sent')).toMatchObject({ outcome: 'stored', kind: 'own' })
    expect(await written.receive(raw, 'sent')).toMatchObject({ outcome: 'ignored' })
    const manual = await listManualEmails(written)
    const campaign = (await written.messages()).find(
      ({ type, recipients }) => type === 'campaign' && recipients.to[0]!.email === to,
    )
    expect(manual).toEqual([expect.objectContaining({ subject: 'Lunch?', status: 'sent' })])
    expect(manual[0]!.emailThreadId).toBe(campaign!.emailThreadId)
    expect(await getStates(written)).toEqual([
      ['active', undefined],
      ['paused', 'manual_email'],
    ])
  })

  it('is stored after the reply that it answers, and replies to it are recognized', async () => {
    const written = await post.write(1, steps)
    const [sent] = await written.sent()
    const answer = makeReply(sent!, 'Tell me more.')
    await written.receive(answer)
    const replyId = /^Message-ID: (\S+)/m.exec(answer.toString())![1]
    const id = `<${randomUUIDv7()}@phone.example>`
    await written.receive(
      makeMail(written, sent!.to, { 'In-Reply-To': replyId, 'Message-ID': id, Subject: 'Re: Hello' }),
      'sent',
    )
    const back = rawMail(
      { From: 'colleague@elsewhere.example', To: written.address, 'In-Reply-To': id },
      'Good.',
    )
    expect(await written.receive(back)).toMatchObject({ outcome: 'stored', kind: 'reply' })
    const messages = await written.messages()
    expect(messages.map(({ type }) => type).sort()).toEqual(['campaign', 'manual', 'received', 'received'])
    expect(new Set(messages.map(({ emailThreadId }) => emailThreadId)).size).toBe(1)
    expect(await getStates(written)).toEqual([['replied', undefined]])
  })

  it('opens a thread and pauses the sequence when nothing was sent yet', async () => {
    const written = await post.write(1, [
      { delay: { amount: 1, unit: 'days' }, subject: 'Hello', body: 'One' },
    ])
    await written.receive(makeMail(written, written.emails[0]!), 'sent')
    expect(await listManualEmails(written)).toHaveLength(1)
    expect(await getStates(written)).toEqual([['paused', 'manual_email']])
  })

  it('pauses everyone at the company if the account is configured to', async () => {
    const written = await post.write(2, steps)
    await written.owner.call('updateAccount', { replyPauses: 'company_domain' })
    await written.receive(makeMail(written, written.emails[0]!), 'sent')
    expect(await getStates(written)).toEqual([
      ['paused', 'manual_email'],
      ['paused', 'manual_email'],
    ])
  })

  it('is stored in the thread that it references, even outside campaigns, and pauses the sequences of the person', async () => {
    const written = await post.write(1, steps)
    const { owner, mailboxId } = written
    const [prospect] = await written.prospects()
    const { emailThreadId } = await owner.call('composeEmail', {
      ...{ personId: prospect!.personId!, mailboxId, subject: 'Your talk', body: 'I liked it.' },
    })
    await owner.call('resumeProspects', { prospectIds: [prospect!.id] })
    await post.worker.work()
    const { mail, to } = (await written.sent()).find(each => each.mail.subject === 'Your talk')!
    const fields = { 'In-Reply-To': mail.messageId, Subject: 'Re: Hello' }
    const { messageId } = await written.receive(makeMail(written, to, fields), 'sent')
    expect(await owner.call('getEmailMessage', { emailMessageId: messageId! })).toMatchObject({
      emailThreadId,
    })
    expect(await getStates(written)).toEqual([['paused', 'manual_email']])
  })

  it('is stored when it answers somebody who wrote in the thread in place of the prospect', async () => {
    const written = await post.write(1, steps)
    const [sent] = await written.sent()
    const answer = makeReply(sent!, 'I will take over.', { From: 'colleague@elsewhere.example' })
    const { messageId: answerId } = await written.receive(answer)
    const fields = { 'In-Reply-To': /^Message-ID: (\S+)/m.exec(answer.toString())![1], Subject: 'Re: Hello' }
    const { messageId } = await written.receive(
      makeMail(written, 'colleague@elsewhere.example', fields),
      'sent',
    )
    const read = async (id: string) =>
      (await written.owner.call('getEmailMessage', { emailMessageId: id })).emailThreadId
    expect(await read(messageId!)).toBe(await read(answerId!))
  })

  it('is ignored when it is a copy of ours, automatic, or not addressed to a prospect', async () => {
    const written = await post.write(1, steps)
    const { to, mail } = (await written.sent())[0]!
    for (const raw of [
      makeMail(written, to, { 'Message-ID': mail.messageId }),
      makeMail(written, to, { 'X-Sent-Message-ID': mail.messageId }),
      makeMail(written, to, { 'Auto-Submitted': 'auto-replied' }),
      makeMail(written, 'colleague@acme.example', { References: mail.messageId, Subject: 'Fwd: Hello' }),
    ])
      expect(await written.receive(raw, 'sent')).toMatchObject({ outcome: 'ignored', kind: 'own' })
    expect(await listManualEmails(written)).toEqual([])
    expect(await getStates(written)).toEqual([['active', undefined]])
  })
})
