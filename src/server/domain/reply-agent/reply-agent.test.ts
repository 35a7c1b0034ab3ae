import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { makeCaller, openTestApp, type TestApp } from '../../../../test/support/app.ts'
import { privateHosts } from '../../../../test/support/http/private-hosts.ts'
import { LlmServer } from '../../../../test/support/llm/llm-server.ts'
import { setAgent } from '../../../../test/support/llm/reply-desk.ts'

let app: TestApp
let llm: LlmServer
beforeAll(async () => {
  app = await openTestApp({ ALLOW_PRIVATE_HOSTS: '127.0.0.1' })
  llm = await LlmServer.open()
})
afterAll(async () => {
  await llm[Symbol.asyncDispose]()
  await app[Symbol.asyncDispose]()
})

describe('the key of a reply agent', () => {
  it('is never returned, and is stored encrypted', async () => {
    const owner = await makeCaller(app)
    const responses = [
      await setAgent(owner, llm),
      await owner.call('getReplyAgent', {}),
      await owner.call('verifyReplyAgent', {}),
      await owner.call('listAuditLog', {}),
    ]
    expect(responses[1]).toMatchObject({ intentBy: 'model', replyAgent: { hasApiKey: true } })
    expect(JSON.stringify(responses)).not.toContain(llm.apiKey)
    const [row] =
      await app.owner`select reply_agents::text as text from reply_agents where account_id = ${owner.accountId}`
    expect(row!.text).not.toContain(llm.apiKey)
    expect(row!.text).not.toContain(Buffer.from(llm.apiKey).toString('hex'))
  })

  it('is kept when it is omitted, but never sent to another server', async () => {
    const owner = await makeCaller(app)
    await setAgent(owner, llm)
    const again = { provider: 'openai_compatible' as const, model: 'another', baseUrl: llm.baseUrl }
    expect(await owner.call('setReplyAgent', again)).toMatchObject({ model: 'another', hasApiKey: true })
    for (const otherServer of [
      { ...again, provider: 'anthropic' as const },
      { provider: 'openai' as const, model: 'x' },
    ]) {
      await expect(owner.call('setReplyAgent', otherServer)).rejects.toThrow('apiKey: is required again')
    }
    const otherServer = { ...again, baseUrl: 'https://llm.elsewhere.example/v1' }
    expect(await owner.call('setReplyAgent', otherServer)).toMatchObject({ hasApiKey: false })
  })

  it('is required for providers that always need one', async () => {
    const owner = await makeCaller(app)
    for (const provider of ['openai', 'anthropic'] as const) {
      await expect(owner.call('setReplyAgent', { provider, model: 'x' })).rejects.toThrow(
        'apiKey: is required',
      )
    }
    await expect(owner.call('setReplyAgent', { provider: 'openai_compatible', model: 'x' })).rejects.toThrow(
      'baseUrl: is required',
    )
  })
})

describe('the base URL of a model', () => {
  it('must not be a private address unless the operator allowed it', async () => {
    const owner = await makeCaller(app)
    const input = { provider: 'openai_compatible' as const, model: 'x' }
    for (const host of privateHosts.filter(each => each !== '127.0.0.1' && URL.canParse(`http://${each}/`))) {
      for (const scheme of ['http', 'https']) {
        const baseUrl = `${scheme}://${host}/v1`
        if (new URL(baseUrl).hostname === '127.0.0.1') continue
        await expect(owner.call('setReplyAgent', { ...input, baseUrl }), baseUrl).rejects.toThrow('baseUrl')
      }
    }
    await expect(owner.call('setReplyAgent', { ...input, baseUrl: 'http://llm.example/v1' })).rejects.toThrow(
      'https://',
    )
  })
})

describe('verifying a model', () => {
  it.each(['openai', 'openai_compatible', 'anthropic'] as const)(
    'succeeds for %s when the model works',
    async provider => {
      const owner = await makeCaller(app)
      await setAgent(owner, llm, { provider })
      const verified = await owner.call('verifyReplyAgent', {})
      expect(verified.problem).toBeUndefined()
      expect(verified.verifiedAt).toBeDefined()
    },
  )

  it('reports the problem without the key', async () => {
    const owner = await makeCaller(app)
    for (const provider of ['openai', 'anthropic'] as const) {
      await setAgent(owner, llm, { provider, apiKey: 'sk-wrong-one' })
      const { problem, verifiedAt } = await owner.call('verifyReplyAgent', {})
      expect(problem).toMatch(/returned status 401: /)
      expect(problem).not.toContain('wrong-one')
      expect(verifiedAt).toBeUndefined()
    }
    await setAgent(owner, llm, { baseUrl: 'http://127.0.0.1:9/v1' })
    expect((await owner.call('verifyReplyAgent', {})).problem).toBe(
      'The model could not be reached: ECONNREFUSED.',
    )
  })
})

describe("a campaign's knowledge", () => {
  it('is updated field by field, within its maximum size', async () => {
    const owner = await makeCaller(app)
    const { id: campaignId } = await owner.call('createCampaign', { name: 'Spring' })
    expect(await owner.call('getCampaignKnowledge', { campaignId })).toEqual({
      objectType: 'campaign_knowledge',
      campaignId,
    })
    await owner.call('updateCampaignKnowledge', { campaignId, offer: 'Shifts', tone: 'Warm' })
    await owner.call('updateCampaignKnowledge', { campaignId, answers: 'Yes', tone: null })
    expect(await owner.call('getCampaignKnowledge', { campaignId })).toEqual({
      objectType: 'campaign_knowledge',
      campaignId,
      updatedAt: expect.any(String),
      offer: 'Shifts',
      answers: 'Yes',
    })
    await expect(
      owner.call('updateCampaignKnowledge', { campaignId, offer: 'x'.repeat(10_001) }),
    ).rejects.toThrow('offer')
  })
})
