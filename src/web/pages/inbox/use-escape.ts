import { getRouteApi, useNavigate, useParams } from '@tanstack/react-router'
import type { Selection } from '../../ui/selection.tsx'
import { useShortcuts } from '../../ui/use-shortcuts.ts'

const route = getRouteApi('/shell/inbox')

/** Makes Escape clear the selection, then close the pane beside the list, then clear the search. */
export function useEscape(selection: Selection<unknown>, close: () => void): void {
  const navigate = useNavigate()
  const { query, ...search } = route.useSearch()
  const { emailThreadId, linkedinConversationId, personId } = useParams({ strict: false })
  const isOpen = [emailThreadId, linkedinConversationId, personId].some(id => id !== undefined)
  const clearSearch = query ? () => void navigate({ to: '.', search, replace: true }) : undefined
  const action = selection.rows.length > 0 ? selection.clear : isOpen ? close : clearSearch
  useShortcuts(action ? { Escape: action } : {})
}
