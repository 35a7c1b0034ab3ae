import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { drips, hangs, llmFaults } from '../../../../test/support/llm/llm-faults.ts'
import { LlmServer, usage } from '../../../../test/support/llm/llm-server.ts'
import { askModel } from './ask-model.ts'
import { ModelError, type Question } from './model.ts'

let llm: LlmServer
beforeAll(async () => {
  llm = await LlmServer.open()
})
afterEach(() => {
  llm.fault = undefined
})
afterAll(() => llm[Symbol.asyncDispose]())

const json = { type: 'object', properties: {}, required: [], additionalProperties: false }
const question: Question = {
  system: 'Read it.',
  user: '{"reply":"Hello"}',
  schema: { name: 'record_reply', description: 'Records the reply', json },
  maxTokens: 100,
}

describe.each(['openai', 'openai_compatible', 'anthropic'] as const)('a model from %s', provider => {
  const ask = (limits: Partial<Parameters<typeof askModel>[2]> = {}) =>
    askModel({ provider, model: 'recorded', baseUrl: llm.baseUrl, apiKey: llm.apiKey }, question, {
      allowPrivate: ['127.0.0.1'],
      ...limits,
    })
  const getError = (pending: Promise<unknown>): Promise<ModelError> =>
    pending.then(
      () => expect.unreachable('it answered'),
      error => error,
    )

  it('is called through its API and returns the requested object and the token usage', async () => {
    const { value, usage: reportedUsage } = await ask()
    expect(value).toMatchObject({ intent: 'interested' })
    expect(reportedUsage).toEqual(usage)
    expect(llm.requests.at(-1)).toMatchObject({ system: 'Read it.', input: { reply: 'Hello' } })
  })

  it.each(llmFaults.filter(([, , expected]) => !/intent|schema|draft|long$|large/.test(expected.source)))(
    'causes an error that names the problem when it %s',
    async (_what, error, expected) => {
      llm.fault = error
      const thrown = await getError(ask())
      expect(thrown).toBeInstanceOf(ModelError)
      expect(thrown.message).toMatch(expected)
      expect(thrown.retryAfterMs).toBe(/429/.test(expected.source) ? 3_600_000 : 0)
    },
  )

  it.each([
    ['hangs', hangs],
    ['responds too slowly', drips],
  ])('times out when it %s', async (_what, error) => {
    llm.fault = error
    expect((await getError(ask({ timeoutMs: 200 }))).message).toBe(
      'The model did not answer within 0.2 seconds.',
    )
  })

  it('is aborted by the signal', async () => {
    llm.fault = hangs
    const stop = new AbortController()
    const failing = getError(ask({ signal: stop.signal }))
    stop.abort(new Error('the engine stops'))
    expect((await failing).message).toBe('the engine stops')
  })

  it('is not contacted at a private address that is not allowed', async () => {
    const before = llm.requests.length
    expect((await getError(ask({ allowPrivate: [] }))).message).toMatch(/private or reserved/)
    expect(llm.requests).toHaveLength(before)
  })
})
