import { afterAll, beforeAll, expect, it } from 'vitest'
import {
  expectCursors,
  expectInvalid,
  expectLimit,
  expectNewestFirst,
  getIds,
  getItems,
  openSpecificationServer,
  type SpecificationServer,
} from '../support/contract/specification-server.ts'

let specified: SpecificationServer
beforeAll(async () => {
  specified = await openSpecificationServer()
  for (let n = 0; n < 10; n++) await specified.caller.call('createCampaign', { name: `Campaign ${n}` })
})
afterAll(() => specified[Symbol.asyncDispose]())

it("4.1.list: returns the account's campaigns, including archived ones", async () => {
  const { world, get } = specified
  const ids = getIds(await get('/campaigns?limit=100'))
  expect(ids).toHaveLength(15)
  expect(ids).toEqual(expect.arrayContaining([world.campaignId, world.archivedCampaignId]))
})

it('4.1.newest-first: sorts by creation time, newest first', () =>
  expectNewestFirst(specified, '/campaigns', 'createdAt'))

it('4.1.limit: defaults to 10 and is at most 100', () => expectLimit(specified, '/campaigns'))

it('4.1.cursor: leads to the next page and back', () => expectCursors(specified, '/campaigns'))

it.each(['draft', 'active', 'paused', 'completed'])(
  '4.1.status: returns only campaigns with the status (%s)',
  async status => {
    const { world, get, server } = specified
    await server.app.owner`
      update campaigns set status = 'completed', launched_at = now() where id = ${world.archivedCampaignId}`
    const items = getItems(await get(`/campaigns?limit=100&status=${status}`))
    expect(new Set(items.map(item => item.status))).toEqual(new Set([status]))
  },
)

it.each([
  'status=active&status=paused',
  'status[]=active&status[]=paused',
  'status%5B%5D=active&status%5B%5D=paused',
  'status=active,paused',
])('4.1.several-statuses: returns campaigns with any of the statuses (%s)', async query => {
  const { world, get } = specified
  const ids = getIds(await get(`/campaigns?${query}`))
  expect(ids.toSorted()).toEqual([world.activeCampaignId, world.pausedCampaignId].toSorted())
})

it.each(['status=archived', 'status=Draft', 'status=', 'status=draft,nonsense'])(
  '4.1.status-values: rejects an unknown status (%s)',
  async query => {
    const response = await specified.get(`/campaigns?${query}`)
    expect([response.status, response.body]).toMatchObject([
      400,
      { message: expect.stringMatching(/^status\.\d: /) },
    ])
  },
)

it('4.1.cursor-text: rejects an empty cursor', async () => {
  expectInvalid(await specified.get('/campaigns?cursor='), 'cursor')
})
