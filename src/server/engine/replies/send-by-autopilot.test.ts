import { afterAll, afterEach, describe, expect, it } from 'vitest'
import {
  getClassification,
  openReplyDesk,
  processDueReplies,
  replyToFirstEmail,
  setAgent,
} from '../../../../test/support/llm/reply-desk.ts'
import { makeReply, rawMail } from '../../../../test/support/mail/answers.ts'
import { claimSyncs, recordSync } from '../../domain/mailboxes/claim-syncs.ts'
import { inAccount } from '../../kernel/context.ts'
import { setFailpoints } from '../../kernel/failpoints.ts'

const MINUTE_MS = 60_000
const autopilot = { intents: ['interested' as const], delayMinutes: 10, dailyCap: 5 }

const desk = await openReplyDesk()
const { app, post, llm } = desk
afterEach(() => {
  llm.answer = () => ({ intent: 'interested', draft: 'Happy to hear that.' })
})
afterAll(() => desk[Symbol.asyncDispose]())

/** Advances the clock and processes due replies and sends. */
async function workAfterMinutes(minutes: number): Promise<void> {
  app.setNow(new Date(app.now().getTime() + minutes * MINUTE_MS))
  await processDueReplies(app)
  await post.worker.work()
}

/** Receives a reply, for which a draft is scheduled. */
async function scheduleDraft(people = 1, text = 'Sounds good.') {
  const written = await post.write(people)
  await setAgent(written.owner, llm, { autopilot })
  const { id } = await replyToFirstEmail(written, text)
  await processDueReplies(app)
  const draftId = (await getClassification(written, id)).draft.emailMessageId!
  return { written, id, draftId }
}

describe('autopilot', () => {
  it('sends nothing unless it is turned on for the intent of the reply', async () => {
    const written = await post.write(1)
    await setAgent(written.owner, llm, { autopilot: { ...autopilot, intents: ['question'] } })
    const { id } = await replyToFirstEmail(written, 'Sounds good.')
    await processDueReplies(app)
    await workAfterMinutes(24 * 60)
    expect((await getClassification(written, id)).draft).toMatchObject({ state: 'waiting' })
    expect(await written.sent()).toHaveLength(1)
  })

  it('sends a draft once, in its thread, after the delay', async () => {
    const { written, id, draftId } = await scheduleDraft()
    const { draft } = await getClassification(written, id)
    expect(draft).toEqual({
      state: 'scheduled',
      emailMessageId: draftId,
      sendsAt: new Date(app.now().getTime() + 10 * MINUTE_MS).toISOString(),
    })
    await workAfterMinutes(9)
    expect(await written.sent()).toHaveLength(1)
    await workAfterMinutes(1)
    await workAfterMinutes(60)
    const emails = await written.sent()
    expect(emails).toHaveLength(2)
    expect(emails[1]!.mail.text).toContain('Happy to hear that.')
    expect(emails[1]!.mail.references).toContain(emails[0]!.mail.messageId)
    expect((await getClassification(written, id)).draft).toEqual({ state: 'sent', emailMessageId: draftId })
  })

  type Scheduled = Awaited<ReturnType<typeof scheduleDraft>>
  const stops: [reason: string, what: string, stop: (scheduled: Scheduled) => Promise<unknown>][] = [
    [
      'edited',
      'a person edits the draft',
      ({ written, draftId }) =>
        written.owner.call('updateEmailDraft', { emailMessageId: draftId, body: 'Wait.' }),
    ],
    [
      'edited',
      'a person deletes the draft',
      ({ written, draftId }) => written.owner.call('deleteEmailDraft', { emailMessageId: draftId }),
    ],
    [
      'newer_message',
      'the other side writes again',
      async ({ written }) => {
        llm.answer = () => ({ intent: 'question', draft: 'Let me find out.' })
        await written.receive(makeReply((await written.sent())[0]!, 'Wait, one more question.'))
      },
    ],
    [
      'newer_message',
      'a person starts their own answer',
      async ({ written, id }) => {
        const { prospectId } = await written.owner.call('getEmailMessage', { emailMessageId: id })
        const draft = { prospectId: prospectId!, emailMessageIdToReplyTo: id, body: 'Let me answer.' }
        await written.owner.call('createEmailDraft', draft)
      },
    ],
    ['turned_off', 'autopilot is turned off', ({ written }) => setAgent(written.owner, llm)],
    [
      'turned_off',
      'the agent is turned off',
      ({ written }) => setAgent(written.owner, llm, { autopilot, isEnabled: false }),
    ],
    [
      'do_not_contact',
      'the person opts out',
      ({ written }) =>
        written.owner.call('addOptOuts', { identifiers: [{ identifier: written.emails[0]! }] }),
    ],
    [
      'no_mailbox',
      'the rep has no working mailbox',
      ({ written }) => written.owner.call('deleteMailbox', { mailboxId: written.mailboxId }),
    ],
  ]
  it('leaves the draft for a person who sends their own draft, even one older than the reply', async () => {
    const written = await post.write(1)
    await setAgent(written.owner, llm, { autopilot })
    const { data } = await written.owner.call('listEmailMessages', {})
    const { id: emailMessageIdToReplyTo, prospectId } = data[0]!
    const ownDraft = { prospectId: prospectId!, emailMessageIdToReplyTo, body: 'One more thing.' }
    const { messageId } = await written.owner.call('createEmailDraft', ownDraft)
    const { id } = await replyToFirstEmail(written, 'Sounds good.')
    await processDueReplies(app)
    await written.owner.call('sendEmailDraft', { emailMessageId: messageId })
    await workAfterMinutes(30)
    expect((await getClassification(written, id)).draft).toMatchObject({
      state: 'waiting',
      reason: 'newer_message',
    })
    expect(await written.sent()).toHaveLength(2)
  })

  it('drafts no answer when a person resends a draft that they had recalled before the reply', async () => {
    const written = await post.write(1)
    await setAgent(written.owner, llm, { autopilot })
    const { data } = await written.owner.call('listEmailMessages', {})
    const { id: emailMessageIdToReplyTo, prospectId } = data[0]!
    const ownDraft = { prospectId: prospectId!, emailMessageIdToReplyTo, body: 'One more thing.' }
    const { messageId: emailMessageId } = await written.owner.call('createEmailDraft', ownDraft)
    await written.owner.call('sendEmailDraft', { emailMessageId })
    await written.owner.call('updateEmailDraft', { emailMessageId, body: 'Two more things.' })
    const { id } = await replyToFirstEmail(written, 'Sounds good.')
    await written.owner.call('sendEmailDraft', { emailMessageId })
    await processDueReplies(app)
    expect((await getClassification(written, id)).draft).toEqual({ state: 'none', reason: 'newer_message' })
    await workAfterMinutes(30)
    expect(await written.sent()).toHaveLength(2)
  })

  it('delays the draft while the inbox that may contain a newer reply cannot be synced', async () => {
    const { written, id } = await scheduleDraft()
    const { owner, mailboxId } = written
    const imap = { host: '127.0.0.1', port: 993, tls: 'none' as const, user: 'ada', password: 'secret' }
    await owner.call('updateMailbox', { mailboxId, imap })
    for (let turn = 0; turn < 10; turn++) await workAfterMinutes(10)
    expect(await written.sent()).toHaveLength(1)
    expect((await getClassification(written, id)).draft).toMatchObject({ state: 'scheduled' })
    const now = app.now()
    for (const claim of await claimSyncs(app.db.engine, { now, limit: 100, leaseMs: 0 }))
      await inAccount(app.db.app, claim.accountId, tx => recordSync(tx, claim, now))
    await workAfterMinutes(2)
    expect(await written.sent()).toHaveLength(2)
  })

  it('leaves the draft for a person who answered from another email client, even in a thread outside campaigns', async () => {
    const written = await post.write(1)
    const { owner, mailboxId, address } = written
    await setAgent(owner, llm, { autopilot })
    const { id: personId } = await owner.call('createPerson', { email: 'ada@outside.example' })
    await owner.call('composeEmail', {
      personId,
      mailboxId,
      subject: 'Lunch',
      body: 'Monday?',
    })
    await post.worker.work()
    const mail = (await post.mails()).find(({ to }) => to === 'ada@outside.example')!
    const reply = makeReply(mail, 'Sounds good. Where?')
    const { messageId } = await written.receive(reply)
    await processDueReplies(app)
    const { emailThreadId, reply: classified } = await owner.call('getEmailMessage', {
      emailMessageId: messageId!,
    })
    expect(classified!.draft).toMatchObject({ state: 'scheduled' })
    const fields = {
      From: address,
      To: 'ada@outside.example',
      Subject: 'Re: Lunch',
      'Message-ID': '<answer@phone.example>',
      'In-Reply-To': /^Message-ID: (\S+)/m.exec(reply.toString())![1]!,
      References: mail.mail.messageId,
    }
    expect(await written.receive(rawMail(fields, 'At the museum.'), 'sent')).toMatchObject({
      outcome: 'stored',
      kind: 'own',
    })
    await workAfterMinutes(30)
    expect((await getClassification(written, messageId!)).draft).toMatchObject({
      state: 'waiting',
      reason: 'newer_message',
    })
    const { messages } = await owner.call('getEmailThread', { emailThreadId: emailThreadId! })
    expect(messages.map(({ type }) => type).sort()).toEqual(['manual', 'manual', 'received', 'reply_agent'])
  })

  it.each(stops)('leaves the draft for a person (%s) when %s', async (reason, _what, stop) => {
    const scheduled = await scheduleDraft()
    await stop(scheduled)
    await workAfterMinutes(30)
    const { written, id } = scheduled
    expect(await written.sent()).toHaveLength(1)
    expect((await getClassification(written, id)).draft).toMatchObject({
      reason,
      state: expect.stringMatching(/waiting|deleted/),
    })
  })

  it('leaves the draft for a person when sending fails repeatedly', async () => {
    const { written, id } = await scheduleDraft()
    setFailpoints(name => (name === 'reply.sending' ? { do: 'throw' } : undefined))
    for (let turn = 0; turn < 5; turn++) await expect(workAfterMinutes(60)).rejects.toThrow('reply.sending')
    setFailpoints(undefined)
    await workAfterMinutes(60)
    expect((await getClassification(written, id)).draft).toMatchObject({ state: 'waiting', reason: 'error' })
    expect(await written.sent()).toHaveLength(1)
  })

  it('sends no more than its daily cap and leaves the rest for a person', async () => {
    const written = await post.write(3)
    await setAgent(written.owner, llm, { autopilot: { ...autopilot, dailyCap: 2 } })
    for (const mail of await written.sent()) await written.receive(makeReply(mail, 'Sounds good.'))
    await processDueReplies(app)
    await workAfterMinutes(30)
    expect(await written.sent()).toHaveLength(5)
    const { data } = await written.owner.call('listEmailMessages', { type: 'received' })
    expect(data.map(({ reply }) => reply!.draft.reason ?? reply!.draft.state).sort()).toEqual([
      'daily_cap',
      'sent',
      'sent',
    ])
    expect(await written.owner.call('getReplyAgentUsage', {})).toMatchObject({ autopilotSent: 2 })
  })

  it.each([
    ['Book here: https://evil.example/login', 'foreign_link'],
    ['Write to boss@evil.example instead.', 'foreign_link'],
    ['See evil.example for more.', 'foreign_link'],
    ['Call me: +44 20 7946 0018 77', 'foreign_link'],
    ['Book here: https://calendar.acme.example/ada.', undefined],
  ])('sends a draft only if it contains no foreign link or address: %s', async (draft, reason) => {
    llm.answer = () => ({ intent: 'interested', draft })
    const written = await post.write(1)
    const { owner, campaignId } = written
    await owner.call('updateCampaignKnowledge', { campaignId, nextStep: 'https://calendar.acme.example/ada' })
    await setAgent(owner, llm, { autopilot })
    const { id } = await replyToFirstEmail(written, 'Sounds good.')
    await processDueReplies(app)
    expect((await getClassification(written, id)).draft.reason).toBe(reason)
    await workAfterMinutes(30)
    expect(await written.sent()).toHaveLength(reason ? 1 : 2)
  })

  it('answers only the recipient of our email, regardless of the reply’s sender and Reply-To', async () => {
    const written = await post.write(1)
    await setAgent(written.owner, llm, { autopilot })
    const [mail] = await written.sent()
    const fields = { From: 'Mallory <mallory@evil.example>', 'Reply-To': 'victim@bank.example' }
    const { messageId } = await written.receive(makeReply(mail!, 'Sounds good.', fields))
    await processDueReplies(app)
    await workAfterMinutes(30)
    const { draft } = await getClassification(written, messageId!)
    expect(draft).toMatchObject({ state: 'waiting', reason: 'other_sender' })
    const stored = await written.owner.call('getEmailMessage', { emailMessageId: draft.emailMessageId! })
    expect(stored.recipients).toEqual({ to: [expect.objectContaining({ email: written.emails[0] })] })
    expect(await written.sent()).toHaveLength(1)
  })
})
