import { randomUUIDv7 } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Caller, makeCaller, openTestApp, type TestApp } from '../../../../test/support/app.ts'
import { isWaitingForLock } from '../../../../test/support/db/lock-waits.ts'
import { makeReply, rawMail } from '../../../../test/support/mail/answers.ts'
import { openWorker, parseEnvelopeAddress, type Worker } from '../../../../test/support/mail/mail-campaign.ts'
import { ScriptedSmtp } from '../../../../test/support/mail/scripted-smtp.ts'
import { readMails } from '../../../../test/support/mail/sent-mail.ts'
import type { RawInput } from '../../../contract/index.ts'
import { receiveMail } from '../../engine/receive/receive-mail.ts'
import { inAccount } from '../../kernel/context.ts'
import { composeEmail } from './compose-email.ts'
import { sendEmailDraft } from './email-drafts.ts'

const HOUR = 3_600_000
const DAY = 24 * HOUR

let app: TestApp
let worker: Worker
beforeAll(async () => {
  app = await openTestApp({ ALLOW_PRIVATE_HOSTS: '127.0.0.1' })
  app.setNow('2026-11-20T09:00:00Z')
  worker = openWorker(app)
})
afterAll(async () => {
  await worker[Symbol.asyncDispose]()
  await app[Symbol.asyncDispose]()
})

/** Makes an account with one rep, a mailbox on a real SMTP server and a person outside of campaigns. */
async function makeOffice() {
  const server = await ScriptedSmtp.open()
  const owner = await makeCaller(app)
  const { id: repId } = await owner.call('createRep', { name: 'Grace Hopper', ownedById: owner.userId })
  const address = `grace-${randomUUIDv7()}@acme.example`
  const smtp = { host: '127.0.0.1', port: server.port, tls: 'none' as const }
  const { id: mailboxId } = await owner.call('createMailbox', { repId, kind: 'smtp', email: address, smtp })
  await owner.call('verifyMailbox', { mailboxId })
  const email = `ada-${randomUUIDv7()}@analytical.example`
  const linkedinUrl = `linkedin.com/in/${randomUUIDv7()}`
  const person = await owner.call('createPerson', { firstName: 'Ada', lastName: 'Byron', email, linkedinUrl })
  const letter = { personId: person.id, subject: 'Your talk', body: 'Hello Ada,\n\nmay I ask a question?' }
  return {
    ...{ server, owner, repId, mailboxId, address, email, letter },
    personId: person.id,
    compose: (more: Partial<RawInput<'composeEmail'>> = {}, caller: Caller = owner) =>
      caller.call('composeEmail', { ...letter, ...more }),
    read: (emailMessageId: string) => owner.call('getEmailMessage', { emailMessageId }),
    emails: () => readMails(server),
    receive: (raw: Buffer) =>
      receiveMail(app, {
        accountId: owner.accountId,
        mailboxId,
        raw,
        receivedAt: app.now(),
        folder: 'inbox',
      }),
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  }
}
type Office = Awaited<ReturnType<typeof makeOffice>>

/**
 * Adds the person to an active campaign with a second step after ten days; returns a function that reads the prospect.
 */
async function addToCampaign({ owner, repId, email }: Office) {
  await owner.call('updateAccount', { postalAddress: '12 St James Square', optOutLine: 'Reply stop.' })
  const steps = [
    { subject: 'Hello', body: 'Hi' },
    { subject: 'Hello again', body: 'Hi', delay: { amount: 10, unit: 'days' as const } },
  ]
  const { id: campaignId } = await owner.call('createCampaign', { name: 'Spring', repIds: [repId], steps })
  await owner.call('addProspectsToCampaign', { campaignId, data: [{ email }] })
  await owner.call('launchCampaign', { campaignId })
  return async () => (await owner.call('listProspects', { campaignId })).data[0]!
}

const refusal = (code: string, path?: string) => ({
  code,
  ...(path && { details: [expect.objectContaining({ path })] }),
})

describe('an email to a person outside of campaigns', () => {
  it('is sent from the mailbox of the only rep, and opens a thread with the person', async () => {
    await using office = await makeOffice()
    const { owner, personId, repId, email, address } = office
    const composed = await office.compose({ expectedRecipients: [email.toUpperCase()] })
    expect(composed).toMatchObject({ status: 'draft', deliveryStatus: 'queued', type: 'manual', repId })
    await worker.work()
    const sent = await office.read(composed.id)
    expect(sent).toMatchObject({
      status: 'sent',
      from: { name: 'Grace Hopper', email: address },
      recipients: { to: [{ name: 'Ada Byron', email }] },
    })
    expect([sent.deliveryStatus, sent.sendAt, sent.prospectId]).toEqual([undefined, undefined, undefined])
    const [{ to, mail } = {}] = await office.emails()
    expect([to, mail?.subject, mail?.text?.trim()]).toEqual([email, 'Your talk', office.letter.body])
    expect(mail?.headers.some(({ key }) => key === 'list-unsubscribe' || key === 'in-reply-to')).toBe(false)
    const thread = await owner.call('getEmailThread', { emailThreadId: composed.emailThreadId! })
    expect(thread).toMatchObject({ subject: 'Your talk', personId, repId, messages: [{ id: composed.id }] })
    expect(thread.sender).toEqual(sent.from)
    const timeline = await owner.call('getPersonTimeline', { personId })
    expect(timeline.data).toContainEqual(expect.objectContaining({ type: 'email', id: composed.id }))
    expect(await owner.call('getPerson', { personId })).toMatchObject({ lastContactedAt: sent.sentAt })
    const { data: entries } = await owner.call('listAuditLog', { limit: 2 })
    expect(entries.map(entry => [entry.action, entry.auditedId])).toEqual([
      ['send', composed.id],
      ['create', composed.id],
    ])
  })

  it('reaches Cc and Bcc recipients, and no header contains the address of a Bcc recipient', async () => {
    await using office = await makeOffice()
    const to = [{ name: 'Ada', email: office.email }, { email: 'office@analytical.example' }]
    const recipients = { to, cc: [{ email: 'ben@acme.example' }], bcc: [{ email: 'crm@acme.example' }] }
    await office.compose({ recipients })
    await worker.work()
    const [transfer] = office.server.transfers.filter(({ isComplete }) => isComplete)
    const reached = transfer!.envelope.filter(line => line.startsWith('RCPT')).map(parseEnvelopeAddress)
    expect(reached).toEqual([
      office.email,
      'office@analytical.example',
      'ben@acme.example',
      'crm@acme.example',
    ])
    expect(transfer!.wire.toString()).not.toContain('crm@acme.example')
  })

  it.each<[string, Partial<RawInput<'composeEmail'>>, { code: string }]>([
    ['an unknown person', { personId: randomUUIDv7() }, refusal('ValidationError', 'personId')],
    ['an unknown mailbox', { mailboxId: randomUUIDv7() }, refusal('ValidationError', 'mailboxId')],
    [
      'recipients without the person',
      { recipients: { to: [{ email: 'ben@acme.example' }] } },
      refusal('ValidationError', 'recipients.to'),
    ],
    ['recipients that nobody approved', { expectedRecipients: ['eve@evil.example'] }, refusal('Conflict')],
    ['a time in the past', { sendAt: '2026-11-20T08:59:59Z' }, refusal('ValidationError', 'sendAt')],
    ['a time two years ahead', { sendAt: '2028-11-20T09:00:00Z' }, refusal('ValidationError', 'sendAt')],
    [
      'a time for a draft',
      { draft: true, sendAt: '2026-12-20T09:00:00Z' },
      refusal('ValidationError', 'sendAt'),
    ],
  ])('is rejected for %s, and nothing is stored', async (_what, more, expected) => {
    await using office = await makeOffice()
    await expect(office.compose(more)).rejects.toMatchObject(expected)
    expect((await office.owner.call('listEmailMessages', {})).data).toEqual([])
  })

  it('is rejected when the person has no address, or no active mailbox can be determined', async () => {
    await using office = await makeOffice()
    const { owner, mailboxId } = office
    const { id: personId } = await owner.call('createPerson', { phone: '+442079460123' })
    await expect(office.compose({ personId })).rejects.toMatchObject(refusal('ValidationError', 'personId'))
    await owner.call('createRep', { name: 'Ben', ownedById: owner.userId })
    await expect(office.compose()).rejects.toMatchObject(refusal('ValidationError', 'mailboxId'))
    await app.owner`update mailboxes set status = 'failing', status_reason = 'locked' where id = ${mailboxId}`
    await expect(office.compose({ mailboxId })).rejects.toMatchObject(refusal('Conflict'))
  })

  it('can be sent by a member only from mailboxes of their own reps, and not by a viewer', async () => {
    await using office = await makeOffice()
    const { owner, mailboxId } = office
    const [member, viewer, stranger] = await Promise.all([
      makeCaller(app, 'member', owner.accountId),
      makeCaller(app, 'viewer', owner.accountId),
      makeCaller(app),
    ])
    await expect(office.compose({ mailboxId }, member)).rejects.toMatchObject(refusal('Forbidden'))
    await expect(office.compose({}, member)).rejects.toMatchObject(refusal('ValidationError', 'mailboxId'))
    await expect(office.compose({ mailboxId }, viewer)).rejects.toMatchObject(refusal('Forbidden'))
    await expect(office.compose({ mailboxId }, stranger)).rejects.toMatchObject(refusal('ValidationError'))
  })

  it('is rejected for a person who opted out, whatever address it goes to', async () => {
    await using office = await makeOffice()
    const { linkedinUrl } = await office.owner.call('getPerson', { personId: office.personId })
    await office.owner.call('addOptOuts', { identifiers: [{ identifier: linkedinUrl! }] })
    await expect(office.compose()).rejects.toMatchObject(refusal('Conflict'))
    expect(await office.compose({ draft: true })).toMatchObject({ deliveryStatus: 'suppressed' })
  })

  it.each(['address', 'profile'])('is withheld once the %s of the person is opted out', async what => {
    await using office = await makeOffice()
    const { owner, personId, email } = office
    const { id } = await office.compose()
    const { linkedinUrl } = await owner.call('getPerson', { personId })
    await owner.call('addOptOuts', {
      identifiers: [{ identifier: what === 'address' ? email : linkedinUrl! }],
    })
    await worker.work()
    expect(await office.emails()).toEqual([])
    expect(await office.read(id)).toMatchObject({
      deliveryStatus: 'suppressed',
      deliveryReason: 'do_not_contact',
    })
  })

  it.each(['profile', 'number', 'previous address'])(
    'is rejected, or withheld if it was queued before, when the %s of a Cc recipient is opted out',
    async what => {
      await using office = await makeOffice()
      const { owner } = office
      const { id: benId } = await owner.call('createPerson', {
        ...{ email: 'ben@new.example', linkedinUrl: 'linkedin.com/in/ben', phone: '+442079460123' },
      })
      const { id: duplicateId } = await owner.call('createPerson', { email: 'ben@old.example' })
      await owner.call('mergePersons', { personId: benId, duplicateIds: [duplicateId] })
      const recipients = { to: [{ email: office.email }], cc: [{ email: 'ben@new.example' }] }
      const { id } = await office.compose({ recipients })
      const optedOut = {
        profile: 'https://www.linkedin.com/in/ben',
        number: '+442079460123',
        'previous address': 'ben@old.example',
      }[what]!
      await owner.call('addOptOuts', { identifiers: [{ identifier: optedOut }] })
      await worker.work()
      expect(await office.emails()).toEqual([])
      expect(await office.read(id)).toMatchObject({
        deliveryStatus: 'suppressed',
        deliveryReason: 'do_not_contact',
      })
      await expect(office.compose({ recipients })).rejects.toMatchObject({
        code: 'Conflict',
        message: expect.stringContaining(optedOut),
      })
    },
  )

  it('is not sent while sending is paused', async () => {
    await using office = await makeOffice()
    const { id } = await office.compose()
    await office.owner.call('pauseSending', {})
    await worker.workAfter(HOUR)
    expect(await office.emails()).toEqual([])
    await office.owner.call('resumeSending', {})
    await worker.workAfter(HOUR)
    expect(await office.read(id)).toMatchObject({ status: 'sent' })
  })

  it.each(['composed', 'sent from a draft'])(
    'keeps its mailbox from being deleted while it is queued (%s)',
    async kind => {
      await using office = await makeOffice()
      const { owner, mailboxId, letter } = office
      const draft = kind === 'sent from a draft' ? await office.compose({ draft: true }) : undefined
      let refusal: Promise<void> | undefined
      await inAccount(app.owner, owner.accountId, async sql => {
        const ctx = { ...owner.context, sql }
        await (draft ? sendEmailDraft(ctx, { emailMessageId: draft.id }) : composeEmail(ctx, letter))
        const deletion = owner.call('deleteMailbox', { mailboxId })
        refusal = expect(deletion).rejects.toMatchObject({ code: 'Conflict' })
        await expect.poll(() => isWaitingForLock(app)).toBe(true)
      })
      await refusal
    },
  )

  it('is sent once for two requests with the same idempotency key', async () => {
    await using office = await makeOffice()
    const key = randomUUIDv7()
    const compose = () => office.owner.call('composeEmail', office.letter, key)
    const { id } = await compose()
    expect(await compose()).toMatchObject({ id })
    await worker.work()
    expect(await office.emails()).toHaveLength(1)
  })

  it('keeps its Message-ID when it is retried', async () => {
    await using office = await makeOffice()
    office.server.script = step => (step === 'DOT' ? '451 4.3.0 try later' : undefined)
    const { id } = await office.compose()
    await worker.work()
    office.server.script = () => undefined
    await worker.workAfter(HOUR)
    expect(await office.read(id)).toMatchObject({ status: 'sent' })
    const messageIds = office.server.transfers.map(
      ({ wire }) => /^Message-ID: (.+)\r$/im.exec(wire.toString())?.[1],
    )
    expect(messageIds).toHaveLength(2)
    expect(messageIds[0]).toMatch(/^<.+@acme\.example>$/)
    expect(messageIds[1]).toBe(messageIds[0])
  })
})

describe('a scheduled email', () => {
  const in3Days = () => new Date(app.now().getTime() + 3 * DAY)

  it('is sent at its time, and not before', async () => {
    await using office = await makeOffice()
    const sendAt = in3Days().toISOString()
    const { id } = await office.compose({ sendAt })
    expect(await office.read(id)).toMatchObject({ deliveryStatus: 'queued', sendAt })
    await worker.workAfter(3 * DAY - HOUR)
    expect(await office.emails()).toEqual([])
    await worker.workAfter(HOUR)
    expect(await office.read(id)).toMatchObject({ status: 'sent' })
  })

  it('becomes a draft again when it is edited, and disappears with its thread when it is deleted', async () => {
    await using office = await makeOffice()
    const { owner } = office
    const [edited, deleted] = [
      await office.compose({ sendAt: in3Days().toISOString() }),
      await office.compose({ sendAt: in3Days().toISOString() }),
    ]
    const draft = await owner.call('updateEmailDraft', { emailMessageId: edited.id, body: 'Hello again' })
    expect([draft.deliveryStatus, draft.sendAt]).toEqual([undefined, undefined])
    await owner.call('deleteEmailDraft', { emailMessageId: deleted.id })
    await expect(
      owner.call('getEmailThread', { emailThreadId: deleted.emailThreadId! }),
    ).rejects.toMatchObject(refusal('NotFound'))
    await worker.workAfter(4 * DAY)
    expect(await office.emails()).toEqual([])
    const sendAt = in3Days().toISOString()
    expect(await owner.call('sendEmailDraft', { emailMessageId: edited.id, sendAt })).toMatchObject({
      sendAt,
    })
    await worker.workAfter(3 * DAY)
    expect((await office.emails()).map(({ mail }) => mail.text?.trim())).toEqual(['Hello again'])
  })

  it('is sent from another mailbox, and belongs to that mailbox’s rep, once the draft is moved to it', async () => {
    await using office = await makeOffice()
    const { owner, server } = office
    const { id: repId } = await owner.call('createRep', { name: 'Ken Thompson', signature: 'Ken, Acme' })
    const smtp = { host: '127.0.0.1', port: server.port, tls: 'none' as const }
    const address = `ken-${randomUUIDv7()}@bell.example`
    const { id: mailboxId } = await owner.call('createMailbox', { repId, kind: 'smtp', email: address, smtp })
    const letter = { mailboxId: office.mailboxId, sendAt: in3Days().toISOString() }
    const { id: emailMessageId, emailThreadId } = await office.compose(letter)
    const change = (caller = owner) => caller.call('updateEmailDraft', { emailMessageId, mailboxId })
    await expect(change()).rejects.toMatchObject(refusal('Conflict'))
    await owner.call('verifyMailbox', { mailboxId })
    await owner.call('assignTags', { entityType: 'email_thread', entityId: emailThreadId!, tags: ['Talks'] })

    const from = { name: 'Ken Thompson', email: address }
    expect(await change()).toMatchObject({ status: 'draft', repId, from, body: office.letter.body })
    const byKen = { repId, status: 'draft', tag: 'Talks' } as const
    expect((await owner.call('listEmailMessages', byKen)).data.map(({ id }) => id)).toEqual([emailMessageId])
    const { data: conversations } = await owner.call('listConversations', { repId, tag: 'Talks' })
    expect(conversations).toMatchObject([{ id: emailThreadId, rep: { name: 'Ken Thompson' } }])
    await owner.call('sendEmailDraft', { emailMessageId })
    await worker.work()
    const [sent] = await office.emails()
    expect(sent!.mail).toMatchObject({ from: { name: 'Ken Thompson', address } })
    expect(sent!.mail.messageId).toMatch(/@bell\.example>$/)
    expect(sent!.mail.text).toMatch(/Ken, Acme/)
  })

  it('cannot be moved to a mailbox from which the caller may not send', async () => {
    await using office = await makeOffice()
    const { owner } = office
    const member = await makeCaller(app, 'member', owner.accountId)
    const { id: repId } = await owner.call('createRep', { name: 'Ken Thompson', ownedById: member.userId })
    const email = `ken-${randomUUIDv7()}@acme.example`
    const { id: mailboxId } = await owner.call('createMailbox', { repId, kind: 'sandbox', email })
    const { id: emailMessageId } = await office.compose({ mailboxId, draft: true }, member)
    const change = (id: string, caller = member) =>
      caller.call('updateEmailDraft', { emailMessageId, mailboxId: id })
    await expect(change(office.mailboxId)).rejects.toMatchObject(refusal('Forbidden'))
    await expect(change(randomUUIDv7())).rejects.toMatchObject(refusal('ValidationError', 'mailboxId'))
    expect(await change(mailboxId)).toMatchObject({ from: { email } })
    expect(await change(office.mailboxId, owner)).toMatchObject({ from: { email: office.address } })
    await expect(member.call('getEmailMessage', { emailMessageId })).rejects.toMatchObject(
      refusal('NotFound'),
    )
  })

  it('is held for the requested seconds, during which it can be recalled', async () => {
    await using office = await makeOffice()
    const { id: emailMessageId } = await office.compose({ draft: true })
    const send = (more: object = {}) =>
      office.owner.call('sendEmailDraft', { emailMessageId, delaySeconds: 8, ...more })
    await expect(send({ sendAt: in3Days().toISOString() })).rejects.toMatchObject(
      refusal('ValidationError', 'delaySeconds'),
    )
    const { sendAt } = await send()
    expect(sendAt).toBe(new Date(app.now().getTime() + 8_000).toISOString())
    await worker.workAfter(7_999)
    expect(await office.emails()).toEqual([])
    const { deliveryStatus } = await office.owner.call('updateEmailDraft', { emailMessageId })
    expect(deliveryStatus).toBeUndefined()
    await worker.workAfter(DAY)
    expect(await office.emails()).toEqual([])
    await send()
    await worker.workAfter(8_000)
    expect(await office.emails()).toHaveLength(1)
  })

  it('is withheld from a person who opted out in the meantime', async () => {
    await using office = await makeOffice()
    const { id } = await office.compose({ sendAt: in3Days().toISOString() })
    await office.owner.call('addOptOuts', { identifiers: [{ identifier: office.email }] })
    await worker.workAfter(4 * DAY)
    expect(await office.emails()).toEqual([])
    expect(await office.read(id)).toMatchObject({ deliveryStatus: 'suppressed' })
  })
})

describe("the mailbox's limits", () => {
  it('hold back emails over its daily cap until the next day', async () => {
    await using office = await makeOffice()
    await office.owner.call('updateMailbox', { mailboxId: office.mailboxId, dailyCap: 3 })
    for (let n = 0; n < 8; n++) await office.compose({ subject: `Question ${n}` })
    await worker.work()
    expect(await office.emails()).toHaveLength(3)
    await worker.workAfter(HOUR)
    expect(await office.emails()).toHaveLength(3)
    await worker.workAfter(DAY)
    expect(await office.emails()).toHaveLength(6)
    await worker.workAfter(DAY + HOUR)
    expect(await office.emails()).toHaveLength(8)
  })

  it('keep the gap between two emails', async () => {
    await using office = await makeOffice()
    await office.owner.call('updateMailbox', { mailboxId: office.mailboxId, minGapSeconds: 600 })
    for (let n = 0; n < 2; n++) await office.compose({ subject: `Question ${n}` })
    await worker.work()
    expect(await office.emails()).toHaveLength(1)
    await worker.workAfter(HOUR)
    expect(await office.emails()).toHaveLength(2)
  })

  it('count scheduled emails only on the day they are sent', async () => {
    await using office = await makeOffice()
    await office.owner.call('updateMailbox', { mailboxId: office.mailboxId, dailyCap: 1 })
    await office.compose({ sendAt: new Date(app.now().getTime() + 5 * DAY).toISOString() })
    const prospect = await addToCampaign(office)
    await worker.workAfter(HOUR)
    expect((await prospect()).status).toBe('active')
    expect((await office.emails()).map(({ mail }) => mail.subject)).toEqual(['Hello'])
  })
})

describe('a reply to an email outside of campaigns', () => {
  async function receiveReply(office: Office, text: string, fields = {}) {
    const { id, emailThreadId } = await office.compose()
    await worker.work()
    const [mail] = await office.emails()
    const receipt = await office.receive(makeReply(mail!, text, fields))
    return { id, emailThreadId: emailThreadId!, messageId: (receipt as { messageId: string }).messageId }
  }

  it('appears in its thread, and can be answered there', async () => {
    await using office = await makeOffice()
    const { owner } = office
    const { emailThreadId, messageId } = await receiveReply(office, 'Gladly, ask.')
    await worker.workAfter(HOUR)
    const draft = await owner.call('createEmailDraft', {
      emailMessageIdToReplyTo: messageId,
      body: 'How does it work?',
    })
    expect(draft.newRecipients).toBeUndefined()
    await owner.call('sendEmailDraft', { emailMessageId: draft.messageId })
    await worker.work()
    const { messages } = await owner.call('getEmailThread', { emailThreadId })
    expect(messages.map(({ type, status }) => [type, status])).toEqual([
      ['manual', 'sent'],
      ['received', 'sent'],
      ['manual', 'sent'],
    ])
    expect((await office.emails()).map(({ to }) => to)).toEqual([office.email, office.email])
    await expect(
      owner.call('createEmailDraft', {
        prospectId: randomUUIDv7(),
        emailMessageIdToReplyTo: messageId,
        body: 'Hello',
      }),
    ).rejects.toMatchObject(refusal('ValidationError', 'prospectId'))
  })

  it('is matched without references, by its sender', async () => {
    await using office = await makeOffice()
    const { emailThreadId } = await office.compose()
    await worker.work()
    const fields = {
      From: office.email,
      To: office.address,
      Subject: 'AW: Your talk',
      'Message-ID': '<x@y.example>',
    }
    expect(await office.receive(rawMail(fields, 'Gladly.'))).toMatchObject({
      outcome: 'stored',
      kind: 'reply',
    })
    const { messages } = await office.owner.call('getEmailThread', { emailThreadId: emailThreadId! })
    expect(messages).toHaveLength(2)
  })

  it('opts out the person if it asks to unsubscribe, even when it comes from another address', async () => {
    await using office = await makeOffice()
    await office.owner.call('updateAccount', { unsubscribeWords: 'opt_out' })
    await receiveReply(office, 'unsubscribe', { From: '<ada@home.example>' })
    const { data } = await office.owner.call('listOptOuts', {})
    expect(data.map(({ identifier }) => identifier).sort()).toEqual([office.email, 'ada@home.example'].sort())
  })

  it('pauses the person’s sequences, as the email itself did', async () => {
    await using office = await makeOffice()
    const { owner } = office
    const prospect = await addToCampaign(office)
    await worker.work()
    await office.compose()
    await worker.work()
    expect(await prospect()).toMatchObject({ status: 'paused', statusReason: 'manual_email' })
    await owner.call('resumeProspect', { prospectId: (await prospect()).id })
    const mail = (await office.emails()).at(-1)
    await office.receive(makeReply(mail!, 'Gladly.', { From: '<ada@home.example>' }))
    expect(await prospect()).toMatchObject({ status: 'paused', statusReason: 'replied_elsewhere' })
  })
})
