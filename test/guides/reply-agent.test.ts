import { afterAll, beforeAll, expect, it } from 'vitest'
import { openTestServer, type TestServer } from '../support/http/server.ts'
import { LlmServer } from '../support/llm/llm-server.ts'
import { processDueReplies } from '../support/llm/reply-desk.ts'
import { makeReply } from '../support/mail/answers.ts'
import { openPostOffice, type PostOffice, type SentCampaign } from '../support/mail/correspondence.ts'
import { readShellBlocks, runPrinted } from '../support/processes/guide.ts'

let server: TestServer
let post: PostOffice
let llm: LlmServer
let written: SentCampaign
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

/** Runs the block as printed, except for the servers' addresses and keys. */
async function run(block: string): Promise<Record<string, unknown>[]> {
  const commands = block
    .replaceAll('http://localhost:11434/v1', llm.baseUrl)
    .replace(/--provider (openai|anthropic) /g, `--provider $1 --baseUrl ${llm.baseUrl} `)
    .replace(/--apiKey \S+/g, `--apiKey ${llm.apiKey}`)
  const variables = { token: await server.createToken(written.owner), CAMPAIGN: written.campaignId }
  return runPrinted(commands, server.url, variables)
}

it("the reply agent guide's commands connect each provider and produce a draft", async () => {
  const [anthropic, openai, compatible] = await readShellBlocks('reply-agent.md', 'Connect a model')
  for (const [provider, block] of Object.entries({ anthropic, openai })) {
    const [, verified] = await run(block!)
    expect(verified, provider).toMatchObject({ provider, verifiedAt: expect.any(String) })
    expect(verified).not.toHaveProperty('problem')
  }
  // The local provider needs no key.
  const { apiKey } = llm
  llm.apiKey = ''
  const [, verified] = await run(compatible!)
  expect(verified).toMatchObject({ provider: 'openai_compatible', verifiedAt: expect.any(String) })
  llm.apiKey = apiKey
  await run(openai!)

  const [knowledge] = await readShellBlocks('reply-agent.md', 'Campaign knowledge')
  expect(await run(knowledge!)).toMatchObject([
    { nextStep: expect.stringContaining('calendar.acme.example') },
  ])
  await written.receive(makeReply((await written.sent())[0]!, 'How much is it?'))
  llm.answer = ({ input }) => ({ intent: 'question', draft: input.knowledge.offer! })
  await processDueReplies(server.app)
  const [result] = await readShellBlocks('reply-agent.md', 'Results')
  const [received, drafts, usage] = await run(result!)
  expect(received).toMatchObject({ data: [{ reply: { intentBy: 'model', draft: { state: 'waiting' } } }] })
  expect(drafts).toMatchObject({ data: [{ body: expect.stringContaining('4 EUR per user') }] })
  expect(usage).toMatchObject({ replies: 1, drafts: 1, intents: { question: 1 } })

  const [autopilot] = await readShellBlocks('reply-agent.md', 'Autopilot')
  expect(await run(autopilot!)).toMatchObject([
    { autopilot: { intents: ['question'], delayMinutes: 60, dailyCap: 10 } },
  ])
})
