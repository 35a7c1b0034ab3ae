import { afterAll, afterEach, describe, expect, it } from 'vitest'
import {
  anAnswered,
  getClassification,
  openReplyDesk,
  processDueReplies,
  setAgent,
} from '../../../../test/support/llm/reply-turns.ts'
import { anAnswer } from '../../../../test/support/mail/answers.ts'
import { setFailpoints } from '../../kernel/failpoints.ts'

const MINUTE_MS = 60_000
const autopilot = { intents: ['interested' as const], delayMinutes: 10, dailyCap: 5 }

const desk = await openReplyDesk()
const { app, post, llm } = desk
afterEach(() => {
  llm.answer = () => ({ intent: 'interested', draft: 'Happy to hear that.' })
})
afterAll(() => desk[Symbol.asyncDispose]())

/** Time passes, and whatever is due of replies and sends is done. */
async function pass(minutes: number): Promise<void> {
  app.setNow(new Date(app.now().getTime() + minutes * MINUTE_MS))
  await processDueReplies(app)
  await post.worker.work()
}

/** Somebody answered, and a draft is scheduled. */
async function aScheduled(people = 1, text = 'Sounds good.') {
  const written = await post.write(people)
  await setAgent(written.owner, llm, { autopilot })
  const { id } = await anAnswered(written, text)
  await processDueReplies(app)
  const draftId = (await getClassification(written, id)).draft.emailMessageId!
  return { written, id, draftId }
}

describe('autopilot', () => {
  it('sends nothing unless the account turned it on for what the reply means', async () => {
    const written = await post.write(1)
    await setAgent(written.owner, llm, { autopilot: { ...autopilot, intents: ['question'] } })
    const { id } = await anAnswered(written, 'Sounds good.')
    await processDueReplies(app)
    await pass(24 * 60)
    expect((await getClassification(written, id)).draft).toMatchObject({ state: 'waiting' })
    expect(await written.sent()).toHaveLength(1)
  })

  it('sends a draft once, after the delay, into its thread', async () => {
    const { written, id, draftId } = await aScheduled()
    const { draft } = await getClassification(written, id)
    expect(draft).toEqual({
      state: 'scheduled',
      emailMessageId: draftId,
      sendsAt: new Date(app.now().getTime() + 10 * MINUTE_MS).toISOString(),
    })
    await pass(9)
    expect(await written.sent()).toHaveLength(1)
    await pass(1)
    await pass(60)
    const mails = await written.sent()
    expect(mails).toHaveLength(2)
    expect(mails[1]!.mail.text).toContain('Happy to hear that.')
    expect(mails[1]!.mail.references).toContain(mails[0]!.mail.messageId)
    expect((await getClassification(written, id)).draft).toEqual({ state: 'sent', emailMessageId: draftId })
  })

  type Scheduled = Awaited<ReturnType<typeof aScheduled>>
  const stops: [reason: string, what: string, stop: (of: Scheduled) => Promise<unknown>][] = [
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
        await written.receive(anAnswer((await written.sent())[0]!, 'Wait, one more question.'))
      },
    ],
    [
      'newer_message',
      'a person begins an answer of their own',
      async ({ written, id }) => {
        const { prospectId } = await written.owner.call('getEmailMessage', { emailMessageId: id })
        const draft = { prospectId: prospectId!, emailMessageIdToReplyTo: id, body: 'Let me answer.' }
        await written.owner.call('createEmailDraft', draft)
      },
    ],
    ['turned_off', 'it is turned off', ({ written }) => setAgent(written.owner, llm)],
    [
      'turned_off',
      'the agent is switched off',
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
      'no mailbox of the rep works',
      ({ written }) => written.owner.call('deleteMailbox', { mailboxId: written.mailboxId }),
    ],
  ]
  it('leaves the draft to a person who sends one of their own that is older than the reply', async () => {
    const written = await post.write(1)
    await setAgent(written.owner, llm, { autopilot })
    const { data } = await written.owner.call('listEmailMessages', {})
    const { id: emailMessageIdToReplyTo, prospectId } = data[0]!
    const begun = { prospectId: prospectId!, emailMessageIdToReplyTo, body: 'One more thing.' }
    const { messageId } = await written.owner.call('createEmailDraft', begun)
    const { id } = await anAnswered(written, 'Sounds good.')
    await processDueReplies(app)
    await written.owner.call('sendEmailDraft', { emailMessageId: messageId })
    await pass(30)
    expect((await getClassification(written, id)).draft).toMatchObject({
      state: 'waiting',
      reason: 'newer_message',
    })
    expect(await written.sent()).toHaveLength(2)
  })

  it.each(stops)('leaves the draft to a person (%s) when %s', async (reason, _what, stop) => {
    const scheduled = await aScheduled()
    await stop(scheduled)
    await pass(30)
    const { written, id } = scheduled
    expect(await written.sent()).toHaveLength(1)
    expect((await getClassification(written, id)).draft).toMatchObject({
      reason,
      state: expect.stringMatching(/waiting|deleted/),
    })
  })

  it('leaves the draft to a person when it fails again and again', async () => {
    const { written, id } = await aScheduled()
    setFailpoints(name => (name === 'reply.leaving' ? { do: 'throw' } : undefined))
    for (let turn = 0; turn < 5; turn++) await expect(pass(60)).rejects.toThrow('reply.leaving')
    setFailpoints(undefined)
    await pass(60)
    expect((await getClassification(written, id)).draft).toMatchObject({ state: 'waiting', reason: 'fault' })
    expect(await written.sent()).toHaveLength(1)
  })

  it('sends no more in a day than its cap; the rest waits for a person', async () => {
    const written = await post.write(3)
    await setAgent(written.owner, llm, { autopilot: { ...autopilot, dailyCap: 2 } })
    for (const mail of await written.sent()) await written.receive(anAnswer(mail, 'Sounds good.'))
    await processDueReplies(app)
    await pass(30)
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
  ])('leaves a draft to a person that leads elsewhere: %s', async (draft, reason) => {
    llm.answer = () => ({ intent: 'interested', draft })
    const written = await post.write(1)
    const { owner, campaignId } = written
    await owner.call('updateCampaignKnowledge', { campaignId, nextStep: 'https://calendar.acme.example/ada' })
    await setAgent(owner, llm, { autopilot })
    const { id } = await anAnswered(written, 'Sounds good.')
    await processDueReplies(app)
    expect((await getClassification(written, id)).draft.reason).toBe(reason)
    await pass(30)
    expect(await written.sent()).toHaveLength(reason ? 1 : 2)
  })

  it('answers nobody but whom we wrote to, whoever writes and wherever they want the answer', async () => {
    const written = await post.write(1)
    await setAgent(written.owner, llm, { autopilot })
    const [mail] = await written.sent()
    const fields = { From: 'Mallory <mallory@evil.example>', 'Reply-To': 'victim@bank.example' }
    const { messageId } = await written.receive(anAnswer(mail!, 'Sounds good.', fields))
    await processDueReplies(app)
    await pass(30)
    const { draft } = await getClassification(written, messageId!)
    expect(draft).toMatchObject({ state: 'waiting', reason: 'other_sender' })
    const kept = await written.owner.call('getEmailMessage', { emailMessageId: draft.emailMessageId! })
    expect(kept.recipients).toEqual({ to: [expect.objectContaining({ email: written.emails[0] })] })
    expect(await written.sent()).toHaveLength(1)
  })
})
