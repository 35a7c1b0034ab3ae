import { randomUUIDv7 } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { makeCaller, openTestApp, type TestApp } from '../../../../test/support/app.ts'
import { makeBounce, makeReply } from '../../../../test/support/mail/answers.ts'
import { makeMailCampaign, openWorker } from '../../../../test/support/mail/mail-campaign.ts'
import { ScriptedSmtp } from '../../../../test/support/mail/scripted-smtp.ts'
import { readMails } from '../../../../test/support/mail/sent-mail.ts'
import type { RawInput } from '../../../contract/index.ts'
import { receiveMail } from '../../engine/receive/receive-mail.ts'

let app: TestApp
beforeAll(async () => {
  app = await openTestApp({ ALLOW_PRIVATE_HOSTS: '127.0.0.1' })
})
afterAll(() => app[Symbol.asyncDispose]())

describe('campaigns', () => {
  it('can be filtered by words in their name, archived state, rep and status, in combination and across pages', async () => {
    const owner = await makeCaller(app)
    const reps = [
      await owner.call('createRep', { name: 'Ada' }),
      await owner.call('createRep', { name: 'Ben' }),
    ]
    const create = async (name: string, rep: number) =>
      (await owner.call('createCampaign', { name, repIds: [reps[rep]!.id] })).id
    const ids = [
      await create('Spring trial', 0),
      await create('Spring follow-up', 1),
      await create('Été à Paris', 1),
      await create('Autumn trial', 0),
    ]
    await owner.call('archiveCampaign', { campaignId: ids[3]! })
    await app.owner`update campaigns set status = 'paused', launched_at = now() where id = ${ids[1]!}`
    const find = async (filters: RawInput<'listCampaigns'>) => {
      const found: number[] = []
      for (let cursor: string | undefined, isLast = false; !isLast; ) {
        const page = await owner.call('listCampaigns', { ...filters, limit: 1, cursor })
        found.push(...page.data.map(({ id }) => ids.indexOf(id)))
        cursor = page.next
        isLast = cursor === undefined
      }
      return found
    }
    expect(await find({})).toEqual([3, 2, 1, 0])
    expect(await find({ query: 'spring' })).toEqual([1, 0])
    expect(await find({ query: 'ete paris' })).toEqual([2])
    expect(await find({ query: 'autumm trial' })).toEqual([3])
    expect(await find({ isArchived: true })).toEqual([3])
    expect(await find({ isArchived: false })).toEqual([2, 1, 0])
    expect(await find({ repId: reps[1]!.id })).toEqual([2, 1])
    expect(await find({ query: 'trial', isArchived: false })).toEqual([0])
    expect(await find({ query: 'trial', status: ['paused'] })).toEqual([])
    expect(await find({ repId: reps[1]!.id, status: ['paused', 'draft'], query: 'spring' })).toEqual([1])
    await expect(find({ repId: randomUUIDv7() })).rejects.toMatchObject({
      code: 'NotFound',
      message: expect.stringContaining('repId'),
    })
  })

  it('can be sorted by name, creation or last activity in both directions, with every filter and across pages', async () => {
    const { call } = await makeCaller(app)
    const campaigns = new Map<string, string>()
    for (const name of ['beta trial', 'Alpha', 'alpha two', 'Gamma trial'])
      campaigns.set((await call('createCampaign', { name })).id, name)
    const [beta, alpha] = [...campaigns.keys()]
    const { id: repId } = await call('createRep', { name: 'Ada' })
    const write = async (campaignId: string, email: string, happenedAt: string) => {
      const { data } = await call('addProspectsToCampaign', { campaignId, data: [{ email }] })
      const { prospectId } = data[0]!
      await call('recordLinkedinMessage', {
        ...{ prospectId: prospectId!, repId, type: 'received', text: 'Hello', happenedAt },
      })
    }
    const inDays = (days: number) => new Date(app.now().getTime() + days * 86_400_000).toISOString()
    const lastActivityAt = inDays(-40)
    await write(beta!, 'ada@x.example', lastActivityAt)
    await write(alpha!, 'ben@x.example', inDays(-90))
    const list = async (filters: RawInput<'listCampaigns'>) => {
      const found: string[] = []
      let previous: string | undefined
      for (let cursor: string | undefined, isLast = false; !isLast; ) {
        const page = await call('listCampaigns', { ...filters, limit: 1, cursor })
        found.push(...page.data.map(({ id }) => campaigns.get(id)!))
        if (previous && page.previous)
          expect((await call('listCampaigns', { cursor: page.previous })).data[0]!.id).toBe(previous)
        previous = page.data[0]?.id
        cursor = page.next
        isLast = cursor === undefined
      }
      return found
    }
    const names = ['Alpha', 'alpha two', 'beta trial', 'Gamma trial']
    expect(await list({ sort: 'name' })).toEqual(names)
    expect(await list({ sort: 'name', order: 'desc' })).toEqual(names.toReversed())
    expect(await list({ sort: 'createdAt', order: 'asc' })).toEqual([...campaigns.values()])
    expect(await list({ order: 'desc' })).toEqual([...campaigns.values()].toReversed())
    const byActivity = ['Gamma trial', 'alpha two', 'beta trial', 'Alpha']
    expect(await list({ sort: 'lastActivityAt' })).toEqual(byActivity)
    expect(await list({ sort: 'lastActivityAt', order: 'asc' })).toEqual(byActivity.toReversed())
    const filters = { query: 'trial', status: ['draft' as const], isArchived: false }
    expect(await list({ sort: 'name', ...filters })).toEqual(['beta trial', 'Gamma trial'])
    const { data } = await call('listCampaigns', { numbers: true, query: 'beta' })
    expect(data[0]!.numbers!.lastActivityAt).toBe(lastActivityAt)
    await expect(call('listCampaigns', { sort: 'name', updatedSince: inDays(-1) })).rejects.toMatchObject({
      details: [{ path: 'updatedSince' }],
    })
  })

  it('include, on request, the same numbers as their statistics', async () => {
    await using server = await ScriptedSmtp.open()
    await using worker = openWorker(app)
    app.setNow('2026-11-20T09:00:00.000Z')
    const { owner, campaignId, mailboxIds } = await makeMailCampaign(app, [server], 4, [
      { subject: 'Hello', body: 'Hi' },
      { delay: { amount: 2, unit: 'days' }, body: 'Still there?' },
    ])
    await worker.work()
    const emails = await readMails(server)
    const receive = (raw: Buffer) =>
      receiveMail(app, {
        ...{ accountId: owner.accountId, mailboxId: mailboxIds[0]! },
        ...{ raw, receivedAt: app.now(), folder: 'inbox' as const },
      })
    await receive(makeReply(emails[0]!, 'Tuesday suits me.'))
    await receive(makeReply(emails[0]!, 'Or Wednesday.'))
    await receive(makeBounce(emails[1]!, { status: '5.1.1', diagnostic: '550 5.1.1 user unknown' }))
    await app.owner`update prospects set intent = 'interested' where campaign_id = ${campaignId} and status = 'replied'`
    const { id: draftId } = await owner.call('createCampaign', { name: 'Autumn' })
    const { data } = await owner.call('listCampaigns', { numbers: true })
    expect(data.map(({ id }) => id)).toEqual([draftId, campaignId])
    expect(data[0]!.numbers).toEqual({ prospects: 0, contacted: 0, replied: 0, positive: 0, bounced: 0 })
    expect(data[1]!.numbers).toEqual({
      ...{ prospects: 4, contacted: 4, replied: 1, replyRate: 0.25, positive: 1, bounced: 1 },
      lastActivityAt: expect.stringMatching(/^2026-11-20T09:00/),
      nextSendAt: '2026-11-22T09:00:00.000Z',
    })
    const stats = await owner.call('getCampaignStats', { campaignId })
    expect(stats).toMatchObject({ enrolled: 4, sent: 4, replied: 1, bouncedHard: 1 })
    const { total } = await owner.call('getReport', { from: '2026-11-20', to: '2026-11-24', campaignId })
    expect(total).toMatchObject({ contacted: 4, replied: 1, positive: 1 })
    expect((await owner.call('listCampaigns', {})).data[0]).not.toHaveProperty('numbers')
    // A cursor includes the parameter `numbers`.
    const first = await owner.call('listCampaigns', { numbers: true, limit: 1 })
    expect((await owner.call('listCampaigns', { cursor: first.next! })).data[0]!.numbers).toMatchObject({
      prospects: 4,
    })
  })
})
