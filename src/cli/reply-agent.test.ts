import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { makeCaller, openTestApp, type TestApp } from '../../test/support/app.ts'
import { LlmServer } from '../../test/support/llm/llm-server.ts'
import { databaseSettings, runCli } from '../../test/support/processes/command-line.ts'

let app: TestApp
let dir: string
let llm: LlmServer
beforeAll(async () => {
  app = await openTestApp()
  dir = await mkdtemp(join(tmpdir(), 'overture-cli-'))
  llm = await LlmServer.open()
})
afterAll(async () => {
  await llm[Symbol.asyncDispose]()
  await app[Symbol.asyncDispose]()
  await rm(dir, { recursive: true, force: true })
})

it('reply-agent commands set up, verify, show and delete the reply agent, with the key from a pipe', async () => {
  const owner = await makeCaller(app)
  const settings = {
    ...databaseSettings(app.connection),
    OVERTURE_DATA: dir,
    ALLOW_PRIVATE_HOSTS: '127.0.0.1',
  }
  const cli = (args: string[], input = '') =>
    runCli(['reply-agent', ...args, '--account', owner.accountId], settings, input)
  const provider = ['--provider', 'openai_compatible', '--model', 'recorded', '--base-url', llm.baseUrl]

  expect((await cli(['show'])).stdout).toMatch(/^No reply agent is set up/)
  expect(await cli(['verify'])).toMatchObject({ code: 1, stdout: '' })
  expect(await cli(['set', ...provider, '--delay-minutes', '5'])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('--autopilot'),
  })
  expect(await cli(['set', ...provider.slice(0, 4)])).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('baseUrl'),
  })

  const more = ['--key-stdin', '--input-price', '0.25', '--daily-replies', '50']
  const autopilot = ['--autopilot', 'question', 'not_now', '--delay-minutes', '60', '--daily-cap', '10']
  const set = await cli(['set', ...provider, ...more, ...autopilot], `${llm.apiKey}\n`)
  expect(set.code, set.stderr).toBe(0)
  expect(set.stdout).toContain('autopilot answers question, not_now after 60 minutes, up to 10 in 24 hours')
  expect((await owner.call('getReplyAgent', {})).replyAgent).toMatchObject({
    ...{ provider: 'openai_compatible', model: 'recorded', inputPrice: 0.25, dailyReplies: 50 },
    ...{ hasApiKey: true, autopilot: { intents: ['question', 'not_now'], delayMinutes: 60, dailyCap: 10 } },
  })

  expect(await cli(['verify'])).toMatchObject({ code: 0, stdout: 'recorded works.\n' })
  expect(llm.requests[0]!.headers.authorization).toBe(`Bearer ${llm.apiKey}`)
  const shown = await cli(['show'])
  expect(shown.stdout).toContain('verified at 20')
  llm.fault = response => response.writeHead(500).end()
  expect(await cli(['verify'])).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('returned status 500'),
  })

  expect(set.stdout + shown.stdout).not.toContain(llm.apiKey)
  expect(await cli(['delete'])).toMatchObject({ code: 0, stdout: 'Deleted the reply agent.\n' })
  expect(await owner.call('getReplyAgent', {})).toEqual({ intentBy: 'rules' })
})
