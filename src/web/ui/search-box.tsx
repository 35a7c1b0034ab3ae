import { useEffect, useId, useRef, useState } from 'react'
import { useShortcuts } from './use-shortcuts.ts'

const SEARCH_DELAY_MS = 250

type Props = {
  label: string
  placeholder: string
  query: string | undefined
  /** Called when the user pauses typing; undefined for an empty box. */
  onSearch: (query: string | undefined) => void
}

/** A box to search a list. `/` focuses it, and Enter returns to the list's keys. */
export function SearchBox({ label, placeholder, query, onSearch }: Props) {
  const id = useId()
  const [text, setText] = useState(query ?? '')
  const sent = useRef(query)
  useShortcuts({ '/': () => document.getElementById(id)?.focus() })
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
    const timer = setTimeout(() => {
      sent.current = typed || undefined
      onSearch(sent.current)
    }, SEARCH_DELAY_MS)
    return () => clearTimeout(timer)
  }, [text])
  return (
    <input
      id={id}
      type="search"
      aria-label={label}
      placeholder={placeholder}
      maxLength={100}
      value={text}
      onChange={({ target }) => setText(target.value)}
      onKeyDown={({ key, currentTarget }) => key === 'Enter' && currentTarget.blur()}
      className="h-9 min-w-0 flex-1 basis-36 rounded-control border border-edge bg-surface px-3 placeholder:text-muted"
    />
  )
}
