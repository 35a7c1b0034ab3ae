import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { REPLY_LEASE_MS } from '../../src/server/engine/replies/answer-reply.ts'
import type { Failpoint } from '../../src/server/kernel/failpoints.ts'
import { openTestApp, type TestApp } from '../support/app.ts'
import { LlmServer } from '../support/llm/llm-server.ts'
import { setAgent } from '../support/llm/reply-desk.ts'
import { makeReply } from '../support/mail/answers.ts'
import { openPostOffice, type PostOffice } from '../support/mail/correspondence.ts'
import { EngineProcesses } from './engine-processes.ts'

const REPLIES = 12
const failpointNames: Failpoint[] = ['reply.claimed', 'reply.answered', 'reply.recorded']

let app: TestApp
let post: PostOffice
let llm: LlmServer
beforeAll(async () => {
  app = await openTestApp({ ALLOW_PRIVATE_HOSTS: '127.0.0.1' })
  post = await openPostOffice(app)
  llm = await LlmServer.open()
})
afterAll(async () => {
  await llm[Symbol.asyncDispose]()
  await post[Symbol.asyncDispose]()
  await app[Symbol.asyncDispose]()
})

it('each reply gets one draft, wherever engines are killed', async () => {
  const { owner, sent, receive } = await post.write(REPLIES)
  await setAgent(owner, llm)
  const groups: Record<string, string> = {}
  for (const [at, mail] of (await sent()).entries()) {
    const { messageId } = await receive(makeReply(mail, 'Sounds good.'))
    groups[messageId!] = String(at)
  }
  // An engine dies once at each failpoint, each time at a different reply.
  const arm = failpointNames.map((name, at) => ({
    name,
    group: String(at),
    failure: { do: 'exit' as const },
  }))
  await using engines = await EngineProcesses.open(app, 2, { groups, arm })
  const listClassifications = async () => {
    const { data } = await owner.call('listEmailMessages', { type: 'received', limit: 100 })
    return data.map(({ reply }) => reply!)
  }
  const isOver = async () =>
    engines.armed.length === 0 &&
    (await listClassifications()).every(({ draft }) => draft.state !== 'pending')
  while (!(await isOver())) {
    await sleep(500)
    // Ends the leases of the killed engines, and also those of the others.
    if (engines.deaths > 0) await engines.clock.advance(REPLY_LEASE_MS)
  }
  // Two engines may reach a failpoint at the same reply before either is disarmed.
  await engines.waitForReplacements(failpointNames.length)
  expect((await listClassifications()).map(({ intentBy, draft }) => [intentBy, draft.state])).toEqual(
    Array(REPLIES).fill(['model', 'waiting']),
  )
  const { data } = await owner.call('listEmailMessages', { type: 'reply_agent', limit: 100 })
  expect(new Set(data.map(({ emailThreadId }) => emailThreadId)).size).toBe(REPLIES)
  expect(data).toHaveLength(REPLIES)
})
