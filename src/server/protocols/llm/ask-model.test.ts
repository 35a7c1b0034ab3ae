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
  schema: { name: 'record_reply', description: 'Takes it down', json },
  maxTokens: 100,
}

describe.each(['openai', 'openai_compatible', 'anthropic'] as const)('a model of %s', provider => {
  const ask = (limits: Partial<Parameters<typeof askModel>[2]> = {}) =>
    askModel({ provider, model: 'recorded', baseUrl: llm.baseUrl, apiKey: llm.apiKey }, question, {
      allowPrivate: ['127.0.0.1'],
      ...limits,
    })
  const getError = (asked: Promise<unknown>): Promise<ModelError> =>
    asked.then(
      () => expect.unreachable('it answered'),
      fault => fault,
    )

  it('is asked through its API and returns the object and its usage', async () => {
    const { value, usage: took } = await ask()
    expect(value).toMatchObject({ intent: 'interested' })
    expect(took).toEqual(usage)
    expect(llm.asked.at(-1)).toMatchObject({ system: 'Read it.', told: { reply: 'Hello' } })
  })

  it.each(llmFaults.filter(([, , expected]) => !/intent|schema|draft|long$|large/.test(expected.source)))(
    'that %s causes an error that says so',
    async (_what, fault, expected) => {
      llm.fault = fault
      const thrown = await getError(ask())
      expect(thrown).toBeInstanceOf(ModelError)
      expect(thrown.message).toMatch(expected)
      expect(thrown.retryAfterMs).toBe(/429/.test(expected.source) ? 3_600_000 : 0)
    },
  )

  it.each([
    ['hangs', hangs],
    ['drips', drips],
  ])('that %s times out', async (_what, fault) => {
    llm.fault = fault
    expect((await getError(ask({ timeoutMs: 200 }))).message).toBe(
      'The model did not answer within 0.2 seconds.',
    )
  })

  it('is aborted by the signal', async () => {
    llm.fault = hangs
    const stop = new AbortController()
    const asked = getError(ask({ signal: stop.signal }))
    stop.abort(new Error('the engine stops'))
    expect((await asked).message).toBe('the engine stops')
  })

  it('is not contacted at a private address that is not allowed', async () => {
    const asked = llm.asked.length
    expect((await getError(ask({ allowPrivate: [] }))).message).toMatch(/private or reserved/)
    expect(llm.asked).toHaveLength(asked)
  })
})
