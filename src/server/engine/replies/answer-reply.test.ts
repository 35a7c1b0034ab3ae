import { afterAll, afterEach, describe, expect, it } from 'vitest'
import { makeCaller } from '../../../../test/support/app.ts'
import { usage } from '../../../../test/support/llm/llm-server.ts'
import {
  getClassification,
  listAgentMessages,
  openReplyDesk,
  processDueReplies,
  replyToFirstEmail,
  setAgent,
} from '../../../../test/support/llm/reply-desk.ts'
import { makeReply } from '../../../../test/support/mail/answers.ts'

const desk = await openReplyDesk()
const { app, post, llm } = desk
afterEach(() => {
  llm.fault = undefined
  llm.answer = () => ({ intent: 'interested', draft: 'Happy to hear that.' })
  llm.requests.length = 0
})
afterAll(() => desk[Symbol.asyncDispose]())

describe.each(['openai', 'openai_compatible', 'anthropic'] as const)('the model of %s', provider => {
  it('classifies a reply and drafts one answer in its thread for a person', async () => {
    const written = await post.write(1)
    const { owner, campaignId } = written
    await setAgent(owner, llm, { provider, inputPrice: 2, outputPrice: 10 })
    await owner.call('updateCampaignKnowledge', { campaignId, offer: 'Four euros a month.', tone: 'Warm' })
    llm.answer = () => ({ intent: 'question', draft: 'It is four euros a month.' })
    const reply = await replyToFirstEmail(written, 'What does it cost?')
    expect(reply.reply).toMatchObject({ intentBy: 'rules', intent: 'question', draft: { state: 'pending' } })
    await processDueReplies(app)
    const read = await getClassification(written, reply.id)
    const [draft, ...others] = await listAgentMessages(written)
    expect(others).toEqual([])
    expect(read).toEqual({
      intent: 'question',
      intentBy: 'model',
      draft: { state: 'waiting', emailMessageId: draft!.id },
      usage: { model: 'recorded', ...usage, costUsd: 0.0014 },
    })
    expect(draft).toMatchObject({
      type: 'reply_agent',
      status: 'draft',
      body: 'It is four euros a month.',
      subject: 'Re: Hello',
      emailThreadId: reply.emailThreadId,
      prospectId: reply.prospectId,
      recipients: { to: [{ email: written.emails[0] }] },
    })
    expect(llm.requests).toHaveLength(1)
    expect(llm.requests[0]!.input).toMatchObject({
      today: '2026-11-20',
      knowledge: { offer: 'Four euros a month.', tone: 'Warm', answers: null },
      thread: [{ from: 'rep', text: expect.stringMatching(/^Hi Person0\s/) }],
      reply: { text: 'What does it cost?' },
    })
    // The unsubscribe link works without a sign-in, so the model must not see it.
    expect(llm.requests[0]!.body).not.toMatch(/\/u\/[\w-]{20}/)
    expect(await processDueReplies(app)).toBe(0)
  })
})

describe('a draft of the agent', () => {
  it('can be edited, sent and deleted like any other', async () => {
    const written = await post.write(2)
    const { owner } = written
    await setAgent(owner, llm)
    const [first, second] = await written.sent()
    for (const mail of [first!, second!]) await written.receive(makeReply(mail, 'Sounds good.'))
    await processDueReplies(app)
    const [one, two] = await listAgentMessages(written)
    await owner.call('updateEmailDraft', { emailMessageId: one!.id, body: 'Gladly, on Monday.' })
    await owner.call('sendEmailDraft', { emailMessageId: one!.id })
    await owner.call('deleteEmailDraft', { emailMessageId: two!.id })
    await post.workAfter(0)
    const { data } = await owner.call('listEmailMessages', { type: 'received' })
    expect(data.map(({ reply }) => reply!.draft.state).sort()).toEqual(['deleted', 'sent'])
    expect((await written.sent()).at(-1)!.mail.text).toContain('Gladly, on Monday.')
  })

  it('keeps tags as text, so that the model cannot write HTML', async () => {
    const written = await post.write(1)
    await setAgent(written.owner, llm)
    llm.answer = () => ({ intent: 'interested', draft: '<img src="https://x.example/pixel"> Hi' })
    await replyToFirstEmail(written, 'Sounds good.')
    await processDueReplies(app)
    const [draft] = await listAgentMessages(written)
    await written.owner.call('sendEmailDraft', { emailMessageId: draft!.id })
    await post.workAfter(0)
    expect((await written.sent()).at(-1)!.mail.html).not.toMatch(/<img/i)
  })

  it('is not written for a reply that a newer message supersedes', async () => {
    const written = await post.write(1)
    await setAgent(written.owner, llm)
    const first = await replyToFirstEmail(written, 'Sounds good.')
    const second = await replyToFirstEmail(written, 'And what does it cost?')
    await processDueReplies(app)
    expect((await getClassification(written, first.id)).draft).toEqual({
      state: 'none',
      reason: 'newer_message',
    })
    expect((await getClassification(written, second.id)).draft.state).toBe('waiting')
    expect(llm.requests).toHaveLength(1)
  })
})

describe('a model', () => {
  it('can return only a plausible date and a contact named in the reply', async () => {
    const classify = async (text: string, answer: object) => {
      const written = await post.write(1)
      await setAgent(written.owner, llm)
      llm.answer = () => ({ intent: 'not_now', draft: 'Fine.', ...answer })
      const { id } = await replyToFirstEmail(written, text)
      await processDueReplies(app)
      const { notNowUntil, referral } = await getClassification(written, id)
      return { notNowUntil, referral }
    }
    const inSpring = new Date(app.now().getTime() + 100 * 86_400_000).toISOString().slice(0, 10)
    expect(await classify('In spring, please.', { notNowUntil: inSpring })).toEqual({ notNowUntil: inSpring })
    expect(await classify('In spring, please.', { notNowUntil: '2020-03-01' })).toEqual({})
    expect(await classify('In spring, please.', { notNowUntil: 'soon' })).toEqual({})
    const referral = { name: 'Grace', email: 'grace@navy.example' }
    expect(await classify('Ask Grace, grace@navy.example.', { intent: 'wrong_person', referral })).toEqual({
      referral,
    })
    expect(await classify('Ask somebody else.', { intent: 'wrong_person', referral })).toEqual({})
  })

  it.each([
    ['mark', 'asks_to_unsubscribe', 0],
    ['opt_out', undefined, 1],
  ] as const)(
    'triggers the account’s setting when it detects an opt-out request: %s',
    async (words, statusReason, entries) => {
      const written = await post.write(1)
      await written.owner.call('updateAccount', { unsubscribeWords: words })
      await setAgent(written.owner, llm)
      llm.answer = () => ({ intent: 'opt_out' })
      const { id } = await replyToFirstEmail(written, 'I would rather this whole thing ended here and now.')
      await processDueReplies(app)
      expect(await getClassification(written, id)).toMatchObject({
        intent: 'opt_out',
        intentBy: 'model',
        draft: { state: 'none', reason: 'intent' },
      })
      expect((await written.prospects())[0]).toMatchObject({ status: 'replied' })
      expect((await written.prospects())[0]!.statusReason).toBe(statusReason)
      expect((await written.owner.call('listOptOuts', {})).data).toHaveLength(entries)
    },
  )

  it('does not get more replies a day than the account’s limit', async () => {
    const written = await post.write(2)
    await setAgent(written.owner, llm, { dailyReplies: 1 })
    for (const mail of await written.sent()) await written.receive(makeReply(mail, 'Sounds good.'))
    await processDueReplies(app)
    expect(llm.requests).toHaveLength(1)
    const { data } = await written.owner.call('listEmailMessages', { type: 'received' })
    expect(data.map(({ reply }) => reply!.draft.reason ?? reply!.draft.state).sort()).toEqual([
      'daily_replies',
      'waiting',
    ])
  })
})

describe('without a model', () => {
  it('replies are classified by rules and get no draft', async () => {
    const written = await post.write(1)
    const { owner } = written
    expect(await owner.call('getReplyAgent', {})).toEqual({ intentBy: 'rules' })
    const { reply } = await replyToFirstEmail(written, 'Wir haben kein Interesse, danke.')
    expect(reply).toEqual({
      intent: 'objection',
      intentBy: 'rules',
      draft: { state: 'none', reason: 'no_agent' },
    })
    expect(await processDueReplies(app)).toBe(0)
  })

  it('pending replies end when the model is removed', async () => {
    const written = await post.write(1)
    await setAgent(written.owner, llm)
    const { id } = await replyToFirstEmail(written, 'Sounds good.')
    await written.owner.call('deleteReplyAgent', {})
    expect(await processDueReplies(app)).toBe(0)
    expect((await getClassification(written, id)).draft).toEqual({ state: 'none', reason: 'no_agent' })
  })
})

describe('reply usage', () => {
  it('is summed for the account and for a campaign', async () => {
    const written = await post.write(2)
    const { owner, campaignId } = written
    await setAgent(owner, llm, { inputPrice: 2, outputPrice: 10 })
    for (const mail of await written.sent()) await written.receive(makeReply(mail, 'Sounds good.'))
    await processDueReplies(app)
    const { id: otherId } = await owner.call('createCampaign', { name: 'Other' })
    expect(await owner.call('getCampaignReplyUsage', { campaignId })).toEqual({
      objectType: 'reply_usage',
      replies: 2,
      byModel: 2,
      drafts: 2,
      autopilotSent: 0,
      failed: 0,
      inputTokens: 800,
      outputTokens: 120,
      costUsd: 0.0028,
      intents: { interested: 2 },
    })
    expect(await owner.call('getCampaignReplyUsage', { campaignId: otherId })).toMatchObject({ replies: 0 })
    expect(await owner.call('getReplyAgentUsage', {})).toMatchObject({ replies: 2, costUsd: 0.0028 })
    const stranger = await makeCaller(app)
    expect(await stranger.call('getReplyAgentUsage', {})).toMatchObject({ replies: 0, costUsd: 0 })
  })
})
