import { afterAll, afterEach, describe, expect, it } from 'vitest'
import { hangs, llmFaults } from '../../../../test/support/llm/llm-faults.ts'
import {
  getClassification,
  listAgentMessages,
  openReplyDesk,
  processDueReplies,
  replyToFirstEmail,
  setAgent,
} from '../../../../test/support/llm/reply-desk.ts'
import { claimReplies } from '../../domain/reply-agent/claim-replies.ts'
import { type Failpoint, setFailpoints } from '../../kernel/failpoints.ts'
import { REPLY_LEASE_MS } from './answer-reply.ts'
import { openReplyWorker, processReply } from './reply-worker.ts'

const DAY_MS = 86_400_000

const desk = await openReplyDesk()
const { app, post, llm } = desk
afterEach(() => {
  setFailpoints(undefined)
  llm.fault = undefined
})
afterAll(() => desk[Symbol.asyncDispose]())

const advance = (ms: number) => app.setNow(new Date(app.now().getTime() + ms))

async function receiveReply() {
  const written = await post.write(1)
  await setAgent(written.owner, llm)
  const { id } = await replyToFirstEmail(written, 'What does it cost?')
  return { written, id }
}

describe('a reply', () => {
  it.each(llmFaults)(
    'waits with a reason if the model %s, and gets one draft once the model answers',
    async (_what, error, reason) => {
      const { written, id } = await receiveReply()
      llm.fault = error
      await processDueReplies(app)
      expect(await getClassification(written, id)).toMatchObject({
        intent: 'question',
        intentBy: 'rules',
        draft: { state: 'pending', reason: expect.stringMatching(reason) },
      })
      expect(await processDueReplies(app)).toBe(0)
      llm.fault = undefined
      advance(3_600_000)
      await processDueReplies(app)
      expect(await getClassification(written, id)).toMatchObject({
        intentBy: 'model',
        draft: { state: 'waiting' },
      })
      expect((await getClassification(written, id)).draft.reason).toBeUndefined()
      expect(await listAgentMessages(written)).toHaveLength(1)
    },
  )

  it('ends as failed and keeps the intent detected by rules if the model never answers', async () => {
    const { written, id } = await receiveReply()
    llm.fault = llmFaults.find(([name]) => name === 'returns 500')![1]
    let requests = 0
    for (let hours = 0; hours < 24; hours++, advance(3_600_000)) requests += await processDueReplies(app)
    expect(requests).toBe(10)
    expect(await getClassification(written, id)).toMatchObject({
      intent: 'question',
      intentBy: 'rules',
      draft: { state: 'failed', reason: 'The model’s server returned status 500.' },
    })
    expect(await written.owner.call('getReplyAgentUsage', {})).toMatchObject({ failed: 1, drafts: 0 })
  })

  it('gets a draft even if the model does not answer for three hours', async () => {
    const { written, id } = await receiveReply()
    llm.fault = llmFaults.find(([name]) => name === 'returns 500')![1]
    for (let minutes = 0; minutes < 180; minutes++, advance(60_000)) await processDueReplies(app)
    llm.fault = undefined
    advance(3 * 3_600_000)
    await processDueReplies(app)
    expect((await getClassification(written, id)).draft.state).toBe('waiting')
  })

  it('waits until the time in the model’s Retry-After header', async () => {
    const { written, id } = await receiveReply()
    llm.fault = llmFaults.find(([name]) => name === 'returns 429')![1]
    await processDueReplies(app)
    llm.fault = undefined
    advance(3_590_000)
    expect(await processDueReplies(app)).toBe(0)
    advance(20_000)
    await processDueReplies(app)
    expect((await getClassification(written, id)).draft.state).toBe('waiting')
  })

  it('counts the usage of an unusable answer', async () => {
    const { written } = await receiveReply()
    llm.fault = llmFaults.find(([name]) => name === 'omits a key')![1]
    await processDueReplies(app)
    llm.fault = undefined
    advance(DAY_MS)
    await processDueReplies(app)
    expect(await written.owner.call('getReplyAgentUsage', {})).toMatchObject({
      inputTokens: 410,
      outputTokens: 65,
    })
  })
})

describe('a draft', () => {
  it.each(['reply.answered', 'reply.recorded'] as const)(
    'is created once when the engine dies at %s',
    async point => {
      const { written, id } = await receiveReply()
      setFailpoints((name: Failpoint, key) => (name === point && key === id ? { do: 'throw' } : undefined))
      await expect(processDueReplies(app)).rejects.toThrow(point)
      setFailpoints(undefined)
      advance(REPLY_LEASE_MS + 1)
      await processDueReplies(app)
      expect((await getClassification(written, id)).draft.state).toBe('waiting')
      expect(await listAgentMessages(written)).toHaveLength(1)
    },
  )

  it('is created once when another engine takes over during the model request', async () => {
    const { written, id } = await receiveReply()
    const answered = Promise.withResolvers<void>()
    const requested = Promise.withResolvers<void>()
    llm.answer = async () => {
      llm.answer = () => ({ intent: 'question', draft: 'The second one.' })
      requested.resolve()
      await answered.promise
      return { intent: 'interested', draft: 'The first one.' }
    }
    const limits = { now: app.now(), limit: 10, perAccount: 10, leaseMs: REPLY_LEASE_MS, busy: [] }
    const [claim] = await claimReplies(app.db.engine, limits)
    const first = processReply(app, claim!, new AbortController().signal)
    await requested.promise
    advance(REPLY_LEASE_MS + 1)
    await processDueReplies(app)
    answered.resolve()
    await first
    expect(await getClassification(written, id)).toMatchObject({
      intent: 'question',
      draft: { state: 'waiting' },
    })
    expect((await listAgentMessages(written)).map(({ body }) => body)).toEqual(['The second one.'])
  })

  it('is created immediately by the next engine when one is stopped during the model request', async () => {
    const { written, id } = await receiveReply()
    llm.answer = () => ({ intent: 'interested', draft: 'Gladly.' })
    const reached = Promise.withResolvers<void>()
    llm.fault = (response, request) => {
      reached.resolve()
      hangs(response, request)
    }
    const worker = openReplyWorker(app)
    await reached.promise
    await worker[Symbol.asyncDispose]()
    llm.fault = undefined
    expect(await processDueReplies(app)).toBe(1)
    expect((await getClassification(written, id)).draft.state).toBe('waiting')
    expect(await listAgentMessages(written)).toHaveLength(1)
  })
})
