import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openTestApp, type TestApp } from '../../../../test/support/app.ts'
import { makeReply, rawMail } from '../../../../test/support/mail/answers.ts'
import {
  openPostOffice,
  type PostOffice,
  type SentCampaign,
} from '../../../../test/support/mail/correspondence.ts'
import type { SentMail } from '../../../../test/support/mail/sent-mail.ts'
import { receiveMail } from './receive-mail.ts'

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

async function writeToSomeone(): Promise<SentCampaign & { mail: SentMail }> {
  const written = await post.write()
  return { ...written, mail: (await written.sent())[0]! }
}

describe('a reply to one of our emails', () => {
  it('is stored in the thread with its new text, its whole text and its list of attachments', async () => {
    const { mail, receive, owner, messages } = await writeToSomeone()
    const boundary = 'b1'
    const raw = makeReply(
      mail,
      [
        `--${boundary}\r\nContent-Type: text/plain\r\n\r\nYes, gladly.\r\n\r\n> Hi Person0`,
        `--${boundary}\r\nContent-Type: application/pdf; name="plan.pdf"\r\nContent-Disposition: attachment; filename="plan.pdf"\r\n\r\n12345`,
        `--${boundary}--`,
      ].join('\r\n'),
      { 'MIME-Version': '1.0', 'Content-Type': `multipart/mixed; boundary=${boundary}` },
    )
    const receipt = await receive(raw)
    expect(receipt).toMatchObject({ outcome: 'stored', kind: 'reply' })
    const [ours] = (await messages()).filter(message => message.type === 'campaign')
    const message = await owner.call('getEmailMessage', { emailMessageId: receipt.messageId! })
    expect(message).toMatchObject({
      emailThreadId: ours!.emailThreadId,
      prospectId: ours!.prospectId,
      repId: ours!.repId,
      campaignId: ours!.campaignId,
      type: 'received',
      status: 'sent',
      receivedKind: 'reply',
      newText: 'Yes, gladly.',
      body: expect.stringContaining('> Hi Person0'),
      attachments: [{ id: expect.any(String), name: 'plan.pdf', type: 'text/plain', size: 6 }],
    })
  })

  it('is listed as needing a reply even if its mail server dates it before our email', async () => {
    const { mail, owner, mailboxId, messages } = await writeToSomeone()
    const [ours] = await messages()
    const receivedAt = new Date(Math.floor(new Date(ours!.sentAt).getTime() / 1000) * 1000 - 1000)
    const { accountId } = owner
    await receiveMail(app, {
      accountId,
      mailboxId,
      raw: makeReply(mail, 'Yes'),
      receivedAt,
      folder: 'inbox',
    })
    const { data } = await owner.call('listConversations', { view: 'needs_reply' })
    expect(data).toMatchObject([{ lastMessage: { type: 'received' } }])
  })

  it.each([
    ['hours before it arrived', 60_000],
    ['long before our email', -10 * 365 * 86_400_000],
    ['after it arrived', 86_400_000],
  ])('has the time of its arrival, even if its Date header is %s', async (_, offsetMs) => {
    const { mail, owner, mailboxId, messages } = await writeToSomeone()
    const [ours] = await messages()
    const at = (ms: number) => new Date(new Date(ours!.sentAt).getTime() + ms)
    const { accountId } = owner
    const receivedAt = at(3 * 3_600_000)
    const raw = makeReply(mail, 'Yes', { Date: at(offsetMs).toUTCString() })
    await receiveMail(app, { accountId, mailboxId, raw, receivedAt, folder: 'pushed' })
    const received = (await messages()).find(({ type }) => type === 'received')
    expect(received?.sentAt).toBe(receivedAt.toISOString())
  })

  it('is stored once even if it arrives concurrently from several folders', async () => {
    const { mail, receive, messages } = await writeToSomeone()
    const raw = makeReply(mail, 'Yes')
    const receipts = await Promise.all(
      Array.from({ length: 20 }, (_, n) => receive(raw, n % 2 ? 'inbox' : 'junk')),
    )
    expect(receipts.filter(({ outcome }) => outcome === 'stored')).toHaveLength(1)
    expect(new Set(receipts.map(({ messageId }) => messageId)).size).toBe(1)
    expect((await messages()).filter(({ type }) => type === 'received')).toHaveLength(1)
  })
})

it('matches an email without references to the email that its sender received', async () => {
  const { mail, receive } = await writeToSomeone()
  const raw = rawMail({ From: mail.to.toUpperCase(), Subject: 'Your offer' }, 'Tell me more.')
  expect(await receive(raw)).toMatchObject({ outcome: 'stored', kind: 'reply' })
})

describe('ignored mail', () => {
  it('includes mail from people to whom nothing was sent', async () => {
    const { receive, messages } = await writeToSomeone()
    const raw = rawMail({ From: 'a@stranger.example', Subject: 'Hello', 'Message-ID': '<1@x.example>' }, 'Hi')
    expect(await receive(raw)).toMatchObject({ outcome: 'ignored', kind: 'reply' })
    expect(await messages()).toHaveLength(1)
  })

  it('does not include a reply from an address that a mailbox claims but has not proven to own', async () => {
    const { mail, owner, mailboxId, receive } = await writeToSomeone()
    const { repId } = await owner.call('getMailbox', { mailboxId })
    await owner.call('createMailbox', { repId: repId!, kind: 'sandbox', email: mail.to })
    await app.owner`
      insert into mailbox_aliases (account_id, mailbox_id, email, test_id, tested_at)
      values (${owner.accountId}, ${mailboxId}, ${mail.to}, gen_random_uuid(), now())`
    expect(await receive(makeReply(mail, 'Yes'))).toMatchObject({ outcome: 'stored', kind: 'reply' })
  })

  it('includes our own mail in any folder, even before changed settings of its mailbox are verified', async () => {
    const { mail, owner, mailboxId, receive } = await writeToSomeone()
    await owner.call('updateMailbox', { mailboxId, smtp: { user: 'ada' } })
    const own = makeReply(mail, 'Hi', { From: mail.mail.from!.address!.replace('@', '+tag@') })
    expect(await receive(own)).toMatchObject({ outcome: 'ignored', kind: 'own' })
    expect(await receive(makeReply(mail, 'Hi'), 'sent')).toMatchObject({ outcome: 'ignored', kind: 'own' })
  })
})
