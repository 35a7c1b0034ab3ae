import { hashKey } from '@tanstack/react-query'
import type { Output } from '../../../contract/index.ts'
import { useOperation } from '../../api.ts'
import { type PeopleSearch, parsePeopleSearch } from './search-params.ts'

export type SavedView = Output<'listSavedViews'>['data'][number]

const sortByName = (views: SavedView[] = []): SavedView[] =>
  views.toSorted((a, b) => a.name.localeCompare(b.name))

/** Returns the user's own views and the shared ones, by name. */
export function useSavedViews(): { own: SavedView[]; shared: SavedView[] } {
  const { data: own } = useOperation('listSavedViews', { kind: 'people', isShared: false, limit: 100 })
  const { data: shared } = useOperation('listSavedViews', { kind: 'people', isShared: true, limit: 100 })
  return { own: sortByName(own?.data), shared: sortByName(shared?.data) }
}

/** Returns the search parameters that open a view with its filters and columns. */
export const toSearch = ({ id, filters, columns }: SavedView): PeopleSearch =>
  parsePeopleSearch({ ...filters, view: id, columns: columns?.join(',') })

/** Reports whether the list shows the view as it is saved. */
export const isSameView = (view: SavedView, { addTo, ...search }: PeopleSearch): boolean =>
  hashKey([toSearch(view)]) === hashKey([search])
