import type { RawInput } from '../../../contract/index.ts'
import { isSearchable } from '../../ui/is-searchable.ts'

// Separate from the page, so that the router can prefetch without loading it.

export type SnippetsSearch = { query?: string; owner?: 'team' | 'me' }

export const parseSnippetsSearch = ({ query, owner }: Record<string, unknown>): SnippetsSearch => ({
  ...(query ? { query: String(query) } : {}),
  ...(owner === 'team' || owner === 'me' ? { owner } : {}),
})

export const toListSnippetsInput = ({ query, owner }: SnippetsSearch): RawInput<'listSnippets'> => ({
  ...(query && isSearchable(query) && { query }),
  ...(owner && { isShared: owner === 'team' }),
})
