import { randomUUIDv7 } from 'node:crypto'
import { afterAll, beforeAll, expect, it } from 'vitest'
import {
  expectCursors,
  expectInvalid,
  expectLimit,
  expectNewestFirst,
  expectNotFound,
  getBody,
  getIds,
  getItems,
  openSpecificationServer,
  type SpecificationServer,
} from '../support/contract/specification-server.ts'

let specified: SpecificationServer
beforeAll(async () => {
  specified = await openSpecificationServer()
  const { activeCampaignId, pausedCampaignId } = specified.world
  for (const [campaignId, count] of [
    [activeCampaignId, 10],
    [pausedCampaignId, 2],
  ] as const) {
    const data = Array.from({ length: count }, () => ({ email: `${randomUUIDv7()}@many.example` }))
    await specified.caller.call('addProspectsToCampaign', { campaignId, data })
  }
})
afterAll(() => specified[Symbol.asyncDispose]())

it('4.3.list: returns the prospects of all campaigns', async () => {
  const { world, get } = specified
  const campaignIds = [world.campaignId, world.activeCampaignId, world.pausedCampaignId]
  const pages = await Promise.all(campaignIds.map(id => get(`/prospects?limit=100&campaignId=${id}`)))
  const items = getItems(await get('/prospects?limit=100'))
  expect(new Set(items)).toEqual(new Set(pages.flatMap(getItems)))
  expect(new Set(items.map(item => item.campaignId))).toEqual(new Set(campaignIds))
})

it('4.3.newest-first: sorts by creation time, newest first', () =>
  expectNewestFirst(specified, '/prospects', 'createdAt'))

it('4.3.limit: defaults to 10 and is at most 100', () => expectLimit(specified, '/prospects'))

it('4.3.cursor: leads to the next page and back', () => expectCursors(specified, '/prospects'))

it('4.3.campaign: returns only prospects of the campaign', async () => {
  const { world, get } = specified
  const found = await get(`/prospects?campaignId=${world.campaignId}`)
  expect(getIds(found)).toEqual(expect.arrayContaining([world.prospectId, world.pausedProspectId]))
  expect(new Set(getItems(found).map(({ campaignId }) => campaignId))).toEqual(new Set([world.campaignId]))
})

it('4.3.campaign-id: rejects an invalid ID', async () => {
  expectInvalid(await specified.get('/prospects?campaignId=1'), 'campaignId')
})

it('4.4.get: returns the same prospect as the list', async () => {
  const { world, get } = specified
  const { next, ...prospect } = getBody(await get(`/prospects/${world.prospectId}`))
  expect(next).toMatchObject({ step: 1 })
  expect(prospect).toMatchObject({
    id: world.prospectId,
    personId: world.personId,
    campaignId: world.campaignId,
  })
  expect(getItems(await get(`/prospects?campaignId=${world.campaignId}`))).toContainEqual(prospect)
})

it('4.4.not-found: returns NotFound for an unknown ID', async () => {
  expectNotFound(await specified.get(`/prospects/${randomUUIDv7()}`), 'prospect')
})
