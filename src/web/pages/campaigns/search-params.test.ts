import { expect, it } from 'vitest'
import { parseCampaignsSearch } from './search-params.ts'

it('searches for digits, which the router parsed as a number', () => {
  expect(parseCampaignsSearch({ query: 2026 })).toEqual({ query: '2026' })
})

it('ignores unknown and invalid parameters', () => {
  expect(parseCampaignsSearch({ query: ' ', sort: 'color', state: 'active' })).toEqual({ state: 'active' })
})
