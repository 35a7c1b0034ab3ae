import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { anAnswer } from './support/answers.ts'
import { openPostOffice, type PostOffice, type Written } from './support/correspondence.ts'
import { environment } from './support/environment.ts'
import { LlmServer } from './support/llm-server.ts'
import { takeDueTurns } from './support/reply-turns.ts'
import { openTestServer, type TestServer } from './support/server.ts'

const root = join(import.meta.dirname, '..')

let server: TestServer
let post: PostOffice
let llm: LlmServer
let written: Written
beforeAll(async () => {
  server = await openTestServer({ ALLOW_PRIVATE_HOSTS: '127.0.0.1' })
  post = await openPostOffice(server.app)
  llm = await LlmServer.open()
  written = await post.write(1)
})
afterAll(async () => {
  await llm[Symbol.asyncDispose]()
  await post[Symbol.asyncDispose]()
  await server[Symbol.asyncDispose]()
})

/** The commands below a heading of the guide, block by block, as they are printed there. */
async function printedBelow(heading: string): Promise<string[]> {
  const guide = await readFile(join(root, 'docs/reply-agent.md'), 'utf8')
  const section = guide.split(/^## /m).find(text => text.startsWith(`${heading}\n`))
  return [...section!.matchAll(/^```sh\n([\s\S]*?)^```$/gm)].map(block => block[1]!)
}

/** The answers, one a line; only where the servers are and the keys differ from what is printed. */
async function run(block: string): Promise<Record<string, unknown>[]> {
  const readme = await readFile(join(root, 'README.md'), 'utf8')
  const api = /^api\(\) .*$/m.exec(readme)![0].replace('http://localhost:4400', server.url)
  const commands = block
    .replaceAll('http://localhost:11434/v1', llm.baseUrl)
    .replace(/"provider":"(openai|anthropic)"/g, `"provider":"$1","baseUrl":"${llm.baseUrl}"`)
    .replace(/"apiKey":"[^"]*"/g, `"apiKey":"${llm.apiKey}"`)
  const shell = spawn('/bin/sh', ['-eu', '-c', `${api}\n${commands}`], {
    env: environment({ TOKEN: await server.tokenOf(written.owner), CAMPAIGN: written.campaignId }),
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const said = Buffer.concat(await Array.fromAsync(shell.stdout)).toString('utf8')
  const [code] = shell.exitCode === null ? await once(shell, 'exit') : [shell.exitCode]
  expect(code, said).toBe(0)
  const answers = said.trim().split('\n')
  return answers.map(answer => JSON.parse(answer))
}

it('the guide connects each provider as it is printed, and leads to a draft', async () => {
  const [anthropic, openai, compatible] = await printedBelow('Connect a model')
  for (const [provider, block] of Object.entries({ anthropic, openai })) {
    const [, verified] = await run(block!)
    expect(verified, provider).toMatchObject({ provider, verifiedAt: expect.any(String) })
    expect(verified).not.toHaveProperty('problem')
  }
  // The one on one's own machine wants no key.
  const { apiKey } = llm
  llm.apiKey = ''
  const [, verified] = await run(compatible!)
  expect(verified).toMatchObject({ provider: 'openai_compatible', verifiedAt: expect.any(String) })
  llm.apiKey = apiKey
  await run(openai!)

  const [knowledge] = await printedBelow('Tell it about the campaign')
  expect(await run(knowledge!)).toMatchObject([
    { nextStep: expect.stringContaining('calendar.acme.example') },
  ])
  await written.receive(anAnswer((await written.sent())[0]!, 'How much is it?'))
  llm.answer = ({ told }) => ({ intent: 'question', draft: told.knowledge.offer! })
  await takeDueTurns(server.app)
  const [result] = await printedBelow('What comes of it')
  const [received, drafts, usage] = await run(result!)
  expect(received).toMatchObject({ data: [{ reply: { intentBy: 'model', draft: { state: 'waiting' } } }] })
  expect(drafts).toMatchObject({ data: [{ body: expect.stringContaining('4 EUR a person') }] })
  expect(usage).toMatchObject({ replies: 1, drafts: 1, intents: { question: 1 } })

  const [autopilot] = await printedBelow('Autopilot')
  expect(await run(autopilot!)).toMatchObject([
    { autopilot: { intents: ['question'], delayMinutes: 60, dailyCap: 10 } },
  ])
})
