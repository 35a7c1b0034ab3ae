import { afterAll, beforeAll, expect, it } from 'vitest'
import { makeTaskCampaign, type TaskCampaign } from '../support/campaigns/task-campaign.ts'
import { openTestServer, type TestServer } from '../support/http/server.ts'
import { messageEvent, toMemberId, UnipileServer } from '../support/linkedin/unipile-server.ts'
import { readShellBlocks, runPrinted } from '../support/processes/guide.ts'

let server: TestServer
let unipile: UnipileServer
let campaign: TaskCampaign
beforeAll(async () => {
  server = await openTestServer({ ALLOW_PRIVATE_HOSTS: '127.0.0.1' })
  unipile = await UnipileServer.open()
  unipile.members.push({ memberId: toMemberId(1), publicIdentifier: 'ada-byron' })
  campaign = await makeTaskCampaign(server.app, [{ channel: 'linkedin_view' }])
})
afterAll(async () => {
  await unipile[Symbol.asyncDispose]()
  await server[Symbol.asyncDispose]()
})

const run = async (block: string, variables = {}) =>
  runPrinted(block, server.url, {
    ...{ token: await server.createToken(campaign.owner), REP: campaign.repId },
    ...{ PROSPECT: campaign.prospectIds[0]!, DSN: unipile.url },
    ...{ UNIPILE_KEY: unipile.apiKey, UNIPILE_ACCOUNT: unipile.accountId, ...variables },
  })

it("the LinkedIn guide's commands connect Unipile and record messages in one conversation", async () => {
  const [byHand] = await readShellBlocks('linkedin.md', 'By hand')
  expect(await run(byHand!)).toMatchObject([{ type: 'manual' }, { type: 'received', text: 'Yes, we are.' }])
  const [webhook] = await readShellBlocks('linkedin.md', 'Signed webhooks')
  expect(await run(webhook!)).toMatchObject([
    { provider: 'webhook', secret: expect.stringMatching(/^whsec_/) },
  ])

  const [connect, register] = await readShellBlocks('linkedin.md', 'Unipile')
  const [account] = await run(connect!)
  await run(register!, { INBOUND_URL: account!.inboundUrl, SECRET: account!.secret })
  expect(unipile.webhooks.map(({ source }) => source)).toEqual(['messaging', 'users', 'account_status'])
  const event = messageEvent(unipile, { member: 1, n: 1, at: server.app.now(), text: 'Yes, we are.' })
  const { request_url: to, headers } = unipile.webhooks[0]!
  const response = await server.request('POST', new URL(to).pathname, {
    body: event,
    headers: Object.fromEntries(headers!.map(({ key, value }) => [key.toLowerCase(), value])),
  })
  expect(response).toMatchObject({ status: 200, body: { outcome: 'duplicate' } })
  const { data } = await campaign.owner.call('listLinkedinMessages', {})
  expect(data.map(({ conversationId }) => conversationId)).toEqual(['2-chat1', '2-chat1'])
})
