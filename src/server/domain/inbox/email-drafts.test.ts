import { randomUUIDv7 } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Caller, makeCaller, openTestApp, type TestApp } from '../../../../test/support/app.ts'
import {
  ada,
  type Desk,
  grace,
  inAccountTransaction,
  makeDesk,
  makeEmail,
  makeThread,
} from '../../../../test/support/campaigns/inbox.ts'
import { insertAttachment } from '../messages/stored-attachments.ts'
import type { NewEmailMessage } from '../messages/write-email-messages.ts'

let app: TestApp
let admin: Caller
let desk: Desk
beforeAll(async () => {
  app = await openTestApp()
  admin = await makeCaller(app, 'admin')
  desk = await makeDesk(admin)
})
afterAll(() => app[Symbol.asyncDispose]())

/** Makes a message in a thread of the desk, received by default. */
async function makeMessage(message: Partial<NewEmailMessage> = {}, targetDesk = desk): Promise<string> {
  const threadId = await makeThread(app, admin, targetDesk)
  return makeEmail(app, admin, { threadId, type: 'received', subject: 'Hello', ...message })
}
async function makeDraft(
  message: Partial<NewEmailMessage> = {},
  caller = admin,
  targetDesk = desk,
): Promise<string> {
  const emailMessageIdToReplyTo = await makeMessage(message, targetDesk)
  const input = { prospectId: targetDesk.prospectId, emailMessageIdToReplyTo, body: 'Thursday suits me.' }
  return (await caller.call('createEmailDraft', input)).messageId
}
const read = (emailMessageId: string, caller = admin) => caller.call('getEmailMessage', { emailMessageId })
const readSends = (messageId: string) => app.owner`select * from email_sends where message_id = ${messageId}`
const optOut = (identifier: string) => admin.call('addOptOuts', { identifiers: [{ identifier }] })
const refusal = (code: string, path?: string) => ({
  code,
  ...(path && { details: [expect.objectContaining({ path })] }),
})

it('a received message includes its Reply-To addresses', async () => {
  const office = { name: 'Office', email: 'office@analytical.example' }
  expect((await read(await makeMessage({ replyTo: [office] }))).replyTo).toEqual([office])
  expect((await read(await makeMessage())).replyTo).toBeUndefined()
})

describe('a draft', () => {
  it('belongs to the thread and the rep of the message it replies to, and has reply headers', async () => {
    const parent = await makeMessage({
      subject: 'AW: Re: Analytical engines',
      messageId: '<c@analytical.example>',
      inReplyTo: '<b@acme.example>',
      referenceIds: ['<a@acme.example>', '<b@acme.example>'],
    })
    const { messageId } = await admin.call('createEmailDraft', {
      prospectId: desk.prospectId,
      emailMessageIdToReplyTo: parent,
      body: '  Thursday suits <b>me</b>.\n',
    })
    const draft = await read(messageId)
    expect(draft).toMatchObject({
      emailThreadId: (await read(parent)).emailThreadId,
      subject: 'Re: Analytical engines',
      body: 'Thursday suits <b>me</b>.',
      from: { name: 'Grace Hopper' },
      recipients: { to: [ada] },
      type: 'manual',
      status: 'draft',
      repId: desk.repId,
      prospectId: desk.prospectId,
      campaignId: desk.campaignId,
    })
    expect(draft.deliveryStatus).toBeUndefined()
    const [row] = await app.owner`select * from email_messages where id = ${messageId}`
    expect(row).toMatchObject({
      in_reply_to: '<c@analytical.example>',
      reference_ids: ['<a@acme.example>', '<b@acme.example>', '<c@analytical.example>'],
      body_format: 'html',
    })
  })

  it.each<{ name: string; message: Partial<NewEmailMessage>; to: object[] }>([
    { name: 'the sender of a received message', message: {}, to: [ada] },
    {
      name: 'the Reply-To addresses of a received message',
      message: { replyTo: [{ name: '', email: 'Office@Analytical.example' }] },
      to: [{ name: 'office@analytical.example', email: 'office@analytical.example' }],
    },
    {
      name: 'the recipients of a message that we sent',
      message: { type: 'campaign', sender: grace, recipients: { to: [ada], cc: [grace] } },
      to: [ada],
    },
  ])('goes to $name', async ({ message, to }) => {
    expect((await read(await makeDraft(message))).recipients).toEqual({ to })
  })

  it('goes to the recipients in the request, in canonical form and without duplicates', async () => {
    const { messageId } = await admin.call('createEmailDraft', {
      prospectId: desk.prospectId,
      emailMessageIdToReplyTo: await makeMessage(),
      body: 'Hello',
      recipients: {
        to: [{ email: 'Bob@Example.COM', name: ' Bob  Byron ' }, { email: 'bob@example.com' }],
        cc: [{ email: 'carol@example.com' }],
      },
    })
    expect((await read(messageId)).recipients).toEqual({
      to: [{ name: 'Bob Byron', email: 'bob@example.com' }],
      cc: [{ name: 'carol@example.com', email: 'carol@example.com' }],
    })
  })

  it('uses the subject in the request, for example for a forwarded message', async () => {
    const { messageId } = await admin.call('createEmailDraft', {
      prospectId: desk.prospectId,
      emailMessageIdToReplyTo: await makeMessage(),
      subject: 'Fwd: Hello',
      body: 'Please answer this.',
    })
    expect(await read(messageId)).toMatchObject({ subject: 'Fwd: Hello' })
  })

  it('rejects a recipient name that would add a header', async () => {
    const name = 'Bob\r\nBcc: eve@evil.example'
    const refused = admin.call('createEmailDraft', {
      prospectId: desk.prospectId,
      emailMessageIdToReplyTo: await makeMessage(),
      body: 'Hello',
      recipients: { to: [{ email: 'bob@example.com', name }] },
    })
    await expect(refused).rejects.toMatchObject({ details: [{ path: 'recipients.to.0.name' }] })
  })

  it('is not created from invalid input', async () => {
    const emailMessageIdToReplyTo = await makeMessage()
    const input = { prospectId: desk.prospectId, emailMessageIdToReplyTo, body: 'Hello' }
    const other = await makeDesk(admin)
    const cases = [
      [{ ...input, prospectId: other.prospectId }, 'prospectId'],
      [{ ...input, prospectId: randomUUIDv7() }, 'prospectId'],
      [{ ...input, emailMessageIdToReplyTo: randomUUIDv7() }, 'emailMessageIdToReplyTo'],
      [{ ...input, emailMessageIdToReplyTo: await makeDraft() }, 'emailMessageIdToReplyTo'],
      [{ ...input, body: '  ' }, 'body'],
      [{ ...input, recipients: { to: [] } }, 'recipients.to'],
      [{ ...input, recipients: { to: [{ email: 'nobody' }] } }, 'recipients.to.0.email'],
      [{ ...input, emailMessageIdToReplyTo: await makeMessage({ sender: null }) }, 'recipients'],
    ] as const
    for (const [wrong, path] of cases) {
      await expect(admin.call('createEmailDraft', wrong as never)).rejects.toMatchObject(
        refusal('ValidationError', path),
      )
    }
    const stranger = await makeCaller(app)
    await expect(stranger.call('createEmailDraft', input)).rejects.toMatchObject(
      refusal('ValidationError', 'emailMessageIdToReplyTo'),
    )
  })

  it('can be created and changed by a member only for their own reps, and not by a viewer', async () => {
    const member = await makeCaller(app, 'member', admin.accountId)
    const viewer = await makeCaller(app, 'viewer', admin.accountId)
    const ownDesk = await makeDesk(admin, member.userId)
    const ownDraftId = await makeDraft({}, member, ownDesk)
    expect(
      await member.call('updateEmailDraft', { emailMessageId: ownDraftId, body: 'Edited' }),
    ).toMatchObject({
      body: 'Edited',
    })
    await expect(makeDraft({}, member)).rejects.toMatchObject(
      refusal('ValidationError', 'emailMessageIdToReplyTo'),
    )
    await expect(makeDraft({}, viewer)).rejects.toMatchObject(refusal('Forbidden'))
    const otherDraft = { emailMessageId: await makeDraft() }
    for (const name of ['updateEmailDraft', 'deleteEmailDraft', 'sendEmailDraft'] as const) {
      await expect(member.call(name, otherDraft)).rejects.toMatchObject(refusal('NotFound'))
      await expect(viewer.call(name, otherDraft)).rejects.toMatchObject(refusal('Forbidden'))
    }
  })

  it('is dated by its last edit, and keeps the fields that an edit omits', async () => {
    app.setNow('2026-11-20T09:00:00.000Z')
    const emailMessageId = await makeDraft()
    app.setNow('2026-11-20T09:05:00.000Z')
    const edited = await admin.call('updateEmailDraft', { emailMessageId, subject: 'Thursday', body: ' ' })
    expect(edited).toMatchObject({
      subject: 'Thursday',
      body: 'Thursday suits me.',
      recipients: { to: [ada] },
      sentAt: '2026-11-20T09:05:00.000Z',
    })
    await expect(
      admin.call('updateEmailDraft', { emailMessageId, subject: 'Hi\r\nBcc: eve@evil.example' }),
    ).rejects.toMatchObject(refusal('ValidationError', 'subject'))
  })

  it('is not overwritten by somebody who read an earlier version', async () => {
    const emailMessageId = await makeDraft()
    const edit = (body: string, expectedBody: string) =>
      admin.call('updateEmailDraft', { emailMessageId, body, expectedBody })
    expect(await edit('Friday suits me.', 'Thursday suits me.\r\n')).toMatchObject({
      body: 'Friday suits me.',
    })
    await expect(edit('Monday suits me.', 'Thursday suits me.')).rejects.toMatchObject({
      code: 'Conflict',
      message: 'The draft was changed elsewhere. Read it again before you change or send it.',
    })
    expect(await read(emailMessageId)).toMatchObject({ body: 'Friday suits me.' })
  })

  it('accepts an update that is repeated because its response was lost', async () => {
    const emailMessageId = await makeDraft()
    const update = { emailMessageId, body: 'Friday suits me.', expectedBody: 'Thursday suits me.' }
    await admin.call('updateEmailDraft', update)
    expect(await admin.call('updateEmailDraft', update)).toMatchObject({ body: 'Friday suits me.' })
  })

  it('is not sent if its text or files have changed since the sender read it', async () => {
    const emailMessageId = await makeDraft()
    const send = (expectedBody: string, expectedAttachmentIds: string[]) =>
      admin.call('sendEmailDraft', { emailMessageId, expectedBody, expectedAttachmentIds })
    const file = { name: 'prices.txt', type: 'text/plain', content: Buffer.from('four pounds') }
    const { id } = await inAccountTransaction(app, admin, tx =>
      insertAttachment(tx, file, { userId: admin.userId }),
    )
    const change = { emailMessageId, body: 'Friday suits me.', attachmentIds: [id] }
    await admin.call('updateEmailDraft', change)
    await expect(send('Thursday suits me.', [id])).rejects.toMatchObject(refusal('Conflict'))
    await expect(send('Friday suits me.', [])).rejects.toMatchObject({
      code: 'Conflict',
      message:
        'The email was not sent because its files differ from those you have seen. It now has these files: prices.txt. Check the email and send it again.',
    })
    await expect(send('Friday suits me.', [id, emailMessageId])).rejects.toMatchObject(refusal('Conflict'))
    expect(await readSends(emailMessageId)).toHaveLength(0)
    await send('\nFriday suits me.\n', [id])
    expect(await readSends(emailMessageId)).toHaveLength(1)
  })

  it('is not sent if its subject has changed since the sender read it', async () => {
    const emailMessageId = await makeDraft()
    await admin.call('updateEmailDraft', { emailMessageId, subject: 'Friday' })
    const send = (expectedSubject: string) =>
      admin.call('sendEmailDraft', { emailMessageId, expectedSubject })
    await expect(send('Thursday')).rejects.toMatchObject({
      code: 'Conflict',
      message: 'The draft was changed elsewhere. Read it again before you change or send it.',
    })
    expect(await readSends(emailMessageId)).toHaveLength(0)
    await send(' Friday ')
    expect(await readSends(emailMessageId)).toHaveLength(1)
  })

  it('is sent to the recipients that were approved, however their addresses are spelled', async () => {
    const emailMessageId = await makeDraft()
    const recipients = { to: [{ email: ada.email.toUpperCase() }], cc: [{ email: 'Bob@Bücher.example' }] }
    await admin.call('updateEmailDraft', { emailMessageId, recipients })
    const expectedRecipients = [ada.email.toUpperCase(), 'Bob@Bücher.example']
    await admin.call('sendEmailDraft', { emailMessageId, expectedRecipients, allowNewRecipients: true })
    expect(await readSends(emailMessageId)).toHaveLength(1)
  })

  it('can be deleted, unlike other messages', async () => {
    const emailMessageId = await makeDraft()
    expect(await admin.call('deleteEmailDraft', { emailMessageId })).toEqual({ ok: true })
    await expect(read(emailMessageId)).rejects.toMatchObject(refusal('NotFound'))
    const received = { emailMessageId: await makeMessage() }
    for (const name of ['updateEmailDraft', 'deleteEmailDraft', 'sendEmailDraft'] as const) {
      await expect(admin.call(name, received)).rejects.toMatchObject(refusal('Conflict'))
      await expect(admin.call(name, { emailMessageId })).rejects.toMatchObject(refusal('NotFound'))
    }
  })

  it('is not sent if its recipients or first line differ from those approved', async () => {
    const emailMessageId = await makeDraft()
    const send = (expected: object) => admin.call('sendEmailDraft', { emailMessageId, ...expected })
    for (const expectedRecipients of [[], ['eve@rival.example'], [ada.email, 'eve@rival.example']]) {
      await expect(send({ expectedRecipients })).rejects.toMatchObject({
        code: 'Conflict',
        message: expect.stringContaining(ada.email),
      })
    }
    await expect(send({ expectedFirstLine: 'Friday suits me.' })).rejects.toMatchObject({
      code: 'Conflict',
      message: expect.stringContaining('Thursday suits me.'),
    })
    expect(await readSends(emailMessageId)).toHaveLength(0)
    const approved = {
      expectedRecipients: [ada.email.toUpperCase()],
      expectedFirstLine: 'Thursday suits me.',
    }
    expect(await send(approved)).toMatchObject({ deliveryStatus: 'queued' })
  })

  it('is not sent if only its greeting, which other drafts share, was approved', async () => {
    const emailMessageId = await makeDraft()
    await admin.call('updateEmailDraft', { emailMessageId, body: 'Dear Ada,\n\nFriday suits me.\n\nJo' })
    const send = (expectedFirstLine: string) =>
      admin.call('sendEmailDraft', { emailMessageId, expectedFirstLine })
    for (const line of ['Dear Ada,', 'Thursday suits me.']) {
      await expect(send(line)).rejects.toMatchObject({
        message: expect.stringContaining('“Friday suits me.”'),
      })
    }
    expect(await send('Friday suits me.')).toMatchObject({ deliveryStatus: 'queued' })
  })
})

describe('the Do Not Contact list', () => {
  it('allows a draft to be created, but marks it and refuses to send it', async () => {
    await optOut('gone.example')
    const gone = { name: 'Gone', email: 'ann@sub.gone.example' }
    const emailMessageId = await makeDraft({ sender: gone })
    const reason = 'gone.example is on the Do Not Contact list'
    expect(await read(emailMessageId)).toMatchObject({ deliveryStatus: 'suppressed', deliveryReason: reason })
    await expect(admin.call('sendEmailDraft', { emailMessageId })).rejects.toMatchObject({
      code: 'Conflict',
      message: `${reason}.`,
    })
    expect(await readSends(emailMessageId)).toHaveLength(0)
    const edited = await admin.call('updateEmailDraft', { emailMessageId, recipients: { to: [ada] } })
    expect(edited.deliveryStatus).toBeUndefined()
    const sent = await admin.call('sendEmailDraft', { emailMessageId, allowNewRecipients: true })
    expect(sent).toMatchObject({ deliveryStatus: 'queued' })
  })

  it('is checked again when the draft is sent', async () => {
    const late = { name: 'Late', email: `late@${randomUUIDv7()}.example` }
    const emailMessageId = await makeDraft({ sender: late })
    await optOut(late.email)
    await expect(admin.call('sendEmailDraft', { emailMessageId })).rejects.toMatchObject(refusal('Conflict'))
  })
})

describe('sending a draft', () => {
  it('queues the draft once when sending is requested several times concurrently', async () => {
    const emailMessageId = await makeDraft()
    const clicks = await Promise.allSettled(
      Array.from({ length: 5 }, () => admin.call('sendEmailDraft', { emailMessageId })),
    )
    expect(clicks.filter(click => click.status === 'fulfilled')).toHaveLength(1)
    for (const click of clicks) {
      if (click.status === 'rejected') expect(click.reason).toMatchObject(refusal('Conflict'))
    }
    expect(await read(emailMessageId)).toMatchObject({ status: 'draft', deliveryStatus: 'queued' })
    expect(await readSends(emailMessageId)).toMatchObject([
      { state: 'queued', mailbox_id: desk.mailboxId, recipient_emails: [ada.email], step_id: null },
    ])
  })

  it('can be undone by an edit or a deletion until a worker claims it', async () => {
    const [changed, deleted] = [await makeDraft(), await makeDraft()]
    for (const emailMessageId of [changed, deleted]) await admin.call('sendEmailDraft', { emailMessageId })
    const edited = await admin.call('updateEmailDraft', { emailMessageId: changed, body: 'Friday, rather.' })
    expect(edited).toMatchObject({ status: 'draft', body: 'Friday, rather.' })
    expect(edited.deliveryStatus).toBeUndefined()
    expect(await readSends(changed)).toMatchObject([{ state: 'refused' }])
    await admin.call('deleteEmailDraft', { emailMessageId: deleted })
    expect(await readSends(deleted)).toEqual([])
    await expect(read(deleted)).rejects.toMatchObject(refusal('NotFound'))
    expect(await admin.call('sendEmailDraft', { emailMessageId: changed })).toMatchObject({
      deliveryStatus: 'queued',
    })
    expect(await readSends(changed)).toMatchObject([{ state: 'queued', attempts: 0 }])
  })

  it.each([
    ['a worker has claimed it', { state: 'claimed' }],
    ['its final dot may have been sent', { state: 'dot_pending' }],
    ['it was unconfirmed and is being sent again', { is_repeat: true }],
  ])('cannot be undone when %s', async (_when, state) => {
    const emailMessageId = await makeDraft()
    await admin.call('sendEmailDraft', { emailMessageId })
    await app.owner`update email_sends set ${app.owner.assignments(state)} where message_id = ${emailMessageId}`
    for (const name of ['updateEmailDraft', 'deleteEmailDraft', 'sendEmailDraft'] as const) {
      await expect(admin.call(name, { emailMessageId })).rejects.toMatchObject(refusal('Conflict'))
    }
    expect(await readSends(emailMessageId)).toMatchObject([{ state: 'queued', ...state }])
  })

  describe('after somebody else has replied', () => {
    /** Makes two drafts that reply to the same email. */
    const makeTwoDrafts = async (): Promise<[string, string]> => {
      const emailMessageIdToReplyTo = await makeMessage()
      const input = { prospectId: desk.prospectId, emailMessageIdToReplyTo, body: 'Thursday suits me.' }
      const first = await admin.call('createEmailDraft', input)
      const second = await admin.call('createEmailDraft', input)
      return [first.messageId, second.messageId]
    }
    const sendDraft = (emailMessageId: string, more = {}) =>
      admin.call('sendEmailDraft', { emailMessageId, ...more })

    it('is preceded by a warning that lists the other drafts of the thread', async () => {
      const emailMessageIdToReplyTo = await makeMessage()
      const input = { prospectId: desk.prospectId, emailMessageIdToReplyTo, body: 'Thursday suits me.' }
      const first = await admin.call('createEmailDraft', input)
      expect(first).toEqual({ messageId: first.messageId })
      const second = await admin.call('createEmailDraft', input)
      expect(second).toEqual({ messageId: second.messageId, otherDraftIds: [first.messageId] })
      expect((await read(first.messageId)).otherDraftIds).toEqual([second.messageId])
      expect((await read(emailMessageIdToReplyTo)).otherDraftIds).toBeUndefined()
    })

    it('is rejected until forced, even when the draft has been edited since', async () => {
      app.setNow('2026-11-20T09:00:00.000Z')
      const [first, second] = await makeTwoDrafts()
      app.setNow('2026-11-20T09:01:00.000Z')
      await sendDraft(first)
      app.setNow('2026-11-20T09:02:00.000Z')
      await admin.call('updateEmailDraft', { emailMessageId: second, body: 'Friday suits me.' })
      await expect(sendDraft(second)).rejects.toMatchObject({
        code: 'Conflict',
        message: expect.stringContaining('Set `force` to true to send the draft anyway.'),
        details: [
          {
            path: 'force',
            message: 'Grace Hopper replied at 2026-11-20T09:01:00.000Z, after this draft was started.',
          },
        ],
      })
      expect(await readSends(second)).toEqual([])
      expect(await sendDraft(second, { force: true })).toMatchObject({ deliveryStatus: 'queued' })
    })

    it.each([
      ['a step of the campaign', { type: 'campaign' }],
      ['an unconfirmed email', { type: 'manual', status: null, deliveryStatus: 'unconfirmed' }],
    ] as const)('is rejected after %s', async (_what, message) => {
      app.setNow('2026-11-20T09:00:00.000Z')
      const emailMessageId = await makeDraft()
      const { emailThreadId } = await read(emailMessageId)
      await makeEmail(app, admin, {
        threadId: emailThreadId!,
        ...message,
        sentAt: new Date('2026-11-20T09:01:00Z'),
      })
      await expect(sendDraft(emailMessageId)).rejects.toMatchObject({ details: [{ path: 'force' }] })
    })

    it('is allowed after a received email, an older email from us, and a reply that was recalled', async () => {
      app.setNow('2026-11-20T09:00:00.000Z')
      const [first, second] = await makeTwoDrafts()
      const { emailThreadId: threadId } = await read(first)
      const sentAt = new Date('2026-11-20T09:01:00Z')
      await makeEmail(app, admin, { threadId: threadId!, type: 'received', sentAt })
      await makeEmail(app, admin, { threadId: threadId!, sentAt: new Date('2026-11-20T08:59:00Z') })
      await sendDraft(first)
      await admin.call('updateEmailDraft', { emailMessageId: first })
      expect(await sendDraft(second)).toMatchObject({ deliveryStatus: 'queued' })
    })

    it('is allowed for one of two drafts that are sent concurrently', async () => {
      app.setNow('2026-11-20T09:00:00.000Z')
      const drafts = await makeTwoDrafts()
      app.setNow('2026-11-20T09:01:00.000Z')
      const sent = await Promise.allSettled(drafts.map(id => sendDraft(id)))
      expect(sent.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
      const refused = sent.find(({ status }) => status === 'rejected')
      expect(refused).toMatchObject({ reason: { code: 'Conflict', details: [{ path: 'force' }] } })
    })
  })

  describe('to addresses outside the thread', () => {
    const eve = { name: 'Eve', email: 'eve@evil.example' }

    it('is rejected until they are allowed, and the error names them', async () => {
      const emailMessageIdToReplyTo = await makeMessage()
      const recipients = { to: [ada], cc: [eve], bcc: [{ ...eve, email: 'mallory@evil.example' }] }
      const newRecipients = ['eve@evil.example', 'mallory@evil.example']
      const created = await admin.call('createEmailDraft', {
        prospectId: desk.prospectId,
        emailMessageIdToReplyTo,
        body: 'Hello',
        recipients,
      })
      expect(created).toEqual({ messageId: created.messageId, newRecipients })
      const emailMessageId = created.messageId
      expect((await read(emailMessageId)).newRecipients).toEqual(newRecipients)
      const message = 'eve@evil.example, mallory@evil.example are not part of this thread.'
      await expect(admin.call('sendEmailDraft', { emailMessageId, force: true })).rejects.toMatchObject({
        code: 'Conflict',
        details: [{ path: 'allowNewRecipients', message }],
      })
      expect(await readSends(emailMessageId)).toEqual([])
      await admin.call('sendEmailDraft', { emailMessageId, allowNewRecipients: true })
      expect(await readSends(emailMessageId)).toMatchObject([{ state: 'queued' }])
    })

    it('is allowed in a first email, whose thread has no other message', async () => {
      const { email } = await admin.call('getPerson', { personId: desk.personId })
      const { id: emailMessageId, newRecipients } = await admin.call('composeEmail', {
        ...{ personId: desk.personId, mailboxId: desk.mailboxId, subject: 'Tea', body: 'Hello', draft: true },
        recipients: { to: [{ email: email! }], cc: [eve] },
      })
      expect(newRecipients).toBeUndefined()
      expect(await admin.call('sendEmailDraft', { emailMessageId })).toMatchObject({
        deliveryStatus: 'queued',
      })
    })

    it('is allowed for senders, recipients and Reply-To addresses of the thread and for the prospect', async () => {
      const [colleague, office] = ['Bob@Analytical.example', 'office@analytical.example']
      const emailMessageIdToReplyTo = await makeMessage({
        recipients: { to: [grace], cc: [{ name: 'Bob', email: colleague }] },
        replyTo: [{ name: 'Office', email: office }],
      })
      const { email } = await admin.call('getPerson', { personId: desk.personId })
      const to = [colleague, office, email!, ada.email, grace.email].map(each => ({ email: each }))
      const { messageId, newRecipients } = await admin.call('createEmailDraft', {
        prospectId: desk.prospectId,
        emailMessageIdToReplyTo,
        body: 'Hello',
        recipients: { to },
      })
      expect(newRecipients).toBeUndefined()
      expect(await admin.call('sendEmailDraft', { emailMessageId: messageId })).toMatchObject({
        deliveryStatus: 'queued',
      })
    })

    it('is rejected with an error that lists every reason', async () => {
      app.setNow('2026-11-20T09:00:00.000Z')
      const emailMessageId = await makeDraft()
      await admin.call('updateEmailDraft', { emailMessageId, recipients: { to: [eve] } })
      const { emailThreadId } = await read(emailMessageId)
      await makeEmail(app, admin, { threadId: emailThreadId!, sentAt: new Date('2026-11-20T09:01:00Z') })
      await expect(admin.call('sendEmailDraft', { emailMessageId })).rejects.toMatchObject({
        message: expect.stringMatching(/Set `force` and `allowNewRecipients` to true/),
        details: [{ path: 'force' }, { path: 'allowNewRecipients' }],
      })
    })
  })

  it("uses the thread's mailbox, which updating the draft cannot change", async () => {
    const emailMessageId = await makeDraft()
    const change = admin.call('updateEmailDraft', { emailMessageId, mailboxId: desk.mailboxId })
    await expect(change).rejects.toMatchObject(refusal('ValidationError', 'mailboxId'))
  })

  it("uses the thread's mailbox, otherwise an active mailbox of the rep, and is rejected when there is none", async () => {
    const own = await makeDesk(admin)
    const { id: second } = await admin.call('createMailbox', {
      repId: own.repId,
      kind: 'sandbox',
      email: `second-${randomUUIDv7()}@acme.example`,
    })
    const readMailboxId = async (id: string) => (await readSends(id))[0]!.mailbox_id
    const [first, other, last] = [
      await makeDraft({}, admin, own),
      await makeDraft({}, admin, own),
      await makeDraft({}, admin, own),
    ]
    await app.owner`update email_threads set mailbox_id = ${second} where rep_id = ${own.repId}`
    await admin.call('sendEmailDraft', { emailMessageId: first })
    expect(await readMailboxId(first)).toBe(second)
    await app.owner`update mailboxes set status = 'failing' where id = ${second}`
    await admin.call('sendEmailDraft', { emailMessageId: other })
    expect(await readMailboxId(other)).toBe(own.mailboxId)
    await app.owner`update mailboxes set status = 'failing' where rep_id = ${own.repId}`
    await expect(admin.call('sendEmailDraft', { emailMessageId: last })).rejects.toMatchObject(
      refusal('Conflict'),
    )
  })
})
