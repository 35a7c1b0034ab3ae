import { type KeyboardEvent, useEffect, useId, useRef, useState } from 'react'
import { focusSoon } from './focus-on-navigation.ts'
import { focusFirstRow } from './roving-focus.ts'
import { useShortcuts } from './use-shortcuts.ts'

const SEARCH_DELAY_MS = 250

type Props = {
  label: string
  placeholder: string
  query: string | undefined
  /** Called when the user pauses typing; undefined for an empty box. */
  onSearch: (query: string | undefined) => void
}

/**
 * Shows a box for searching a list. `/` focuses it, Enter goes to the first row found, and Escape clears and leaves it.
 */
export function SearchBox({ label, placeholder, query, onSearch }: Props) {
  const id = useId()
  const [text, setText] = useState(query ?? '')
  const sent = useRef(query)
  useShortcuts({ '/': () => document.getElementById(id)?.focus() })
  const isEntered = useRef(false)
  const send = (typed: string) => {
    if ((typed || undefined) === sent.current) return
    sent.current = typed || undefined
    onSearch(sent.current)
  }
  // Follows the query when something other than typing changes it.
  useEffect(() => {
    if (query === sent.current) return
    sent.current = query
    setText(query ?? '')
  }, [query])
  // biome-ignore lint/correctness/useExhaustiveDependencies: only typing sends a query
  useEffect(() => {
    const typed = text.trim()
    if (typed === (query ?? '')) return
    const timer = setTimeout(() => send(typed), SEARCH_DELAY_MS)
    return () => clearTimeout(timer)
  }, [text])
  // After Enter, moves the focus once the rows match the query.
  useEffect(() => {
    if (!isEntered.current || query !== sent.current) return
    isEntered.current = false
    focusSoon(focusFirstRow)
  }, [query])
  const handleKeyDown = ({ key, currentTarget }: KeyboardEvent<HTMLInputElement>) => {
    if (key !== 'Enter' && key !== 'Escape') return
    const typed = key === 'Enter' ? text.trim() : ''
    currentTarget.blur()
    setText(key === 'Enter' ? text : '')
    if (key === 'Enter' && typed === (query ?? '')) focusSoon(focusFirstRow)
    else {
      isEntered.current = key === 'Enter'
      send(typed)
    }
  }
  return (
    <input
      id={id}
      type="search"
      aria-label={label}
      placeholder={placeholder}
      maxLength={100}
      value={text}
      onChange={({ target }) => setText(target.value)}
      onKeyDown={handleKeyDown}
      // Wide enough for the placeholder where there is room.
      style={{ flexBasis: `min(100%, ${placeholder.length / 2}em + 1.75rem)` }}
      className="h-9 min-w-0 flex-1 rounded-control border border-edge bg-surface px-3 placeholder:text-muted"
    />
  )
}
