import { expect, it } from 'vitest'
import { parseInboxSearch } from './search-params.ts'

it('reads filters that the router parsed as booleans and numbers', () => {
  expect(parseInboxSearch({ unread: true, unassigned: true, query: 2026 })).toEqual({
    unread: 'true',
    unassigned: 'true',
    query: '2026',
  })
})

it('ignores unknown and invalid parameters', () => {
  expect(parseInboxSearch({ view: 'mine', unread: 'yes', color: 'red', channel: 'email' })).toEqual({
    channel: 'email',
  })
})
