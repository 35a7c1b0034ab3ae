import { type KeyboardEvent, useState } from 'react'
import { useOperation } from '../../api.ts'
import { getPersonName } from '../../components/person-name.ts'
import { isSearchable } from '../../ui/is-searchable.ts'
import type { Contact } from './message.ts'
import { parseContacts } from './parse-contacts.ts'

const MAX_FOUND = 6
const MAX_LENGTH = 100

/** Finds colleagues and people whose names or addresses contain the typed words; colleagues come first. */
function useMatchingContacts(text: string): Contact[] {
  const query = text.trim().slice(0, MAX_LENGTH)
  const isEnabled = query.length > 1 && isSearchable(query) && !query.includes('<')
  const persons = useOperation('listPersons', { query, limit: MAX_FOUND }, { isEnabled })
  const members = useOperation('listMembers', { limit: 100 }, { isEnabled })
  const reps = useOperation('listReps', { limit: 100 }, { isEnabled })
  const mailboxes = useOperation('listMailboxes', { limit: 100 }, { isEnabled })
  if (!isEnabled) return []
  const findRepName = (repId: string) => reps.data?.data.find(({ id }) => id === repId)?.name ?? ''
  const colleagues = [
    ...(mailboxes.data?.data ?? []).map(({ repId, email }) => ({ name: findRepName(repId), email })),
    ...(members.data?.data ?? []).map(({ name, email }) => ({ name, email })),
  ].filter(({ name, email }) => containsWords(`${name} ${email}`, query))
  const people = (persons.data?.data ?? []).flatMap(person =>
    person.email ? [{ name: getPersonName(person), email: person.email }] : [],
  )
  const byEmail = new Map([...colleagues, ...people].map(contact => [contact.email.toLowerCase(), contact]))
  return [...byEmail.values()]
}

const containsWords = (text: string, query: string): boolean =>
  query
    .toLowerCase()
    .split(/\s+/)
    .every(word => text.toLowerCase().includes(word))

type Options = {
  id: string
  text: string
  /** Contacts that are not suggested. */
  chosen: readonly Contact[]
  onChoose: (contact: Contact) => void
}

/** Suggests contacts for the text of a field: ↓ and ↑ move, Enter and Tab choose, Escape closes. */
export function useSuggestions({ id, text, chosen, onChoose }: Options) {
  const [closedFor, setClosedFor] = useState('')
  const [moved, setMoved] = useState<{ text: string; index: number }>()
  const known = new Set(chosen.map(({ email }) => email.toLowerCase()))
  const found = useMatchingContacts(text)
    .filter(({ email }) => !known.has(email.toLowerCase()))
    .slice(0, MAX_FOUND)
  const isOpen = found.length > 0 && closedFor !== text
  // A complete address needs no suggestion, so none is preselected.
  const initial = parseContacts(text) ? -1 : 0
  const index = Math.min(moved?.text === text ? moved.index : initial, found.length - 1)
  const active = isOpen ? found[index] : undefined
  const close = () => setClosedFor(text)
  /** Handles a key that acts on the suggestions. Returns false for other keys. */
  const handleKey = (event: KeyboardEvent): boolean => {
    if (!isOpen) return false
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (step) setMoved({ text, index: (index + step + found.length) % found.length })
    else if (event.key === 'Escape') close()
    else if (
      active &&
      ['Enter', 'Tab'].includes(event.key) &&
      !event.shiftKey &&
      !event.ctrlKey &&
      !event.metaKey
    )
      onChoose(active)
    else return false
    event.preventDefault()
    event.stopPropagation()
    return true
  }
  return {
    handleKey,
    close,
    inputProps: {
      role: 'combobox',
      'aria-expanded': isOpen,
      'aria-autocomplete': 'list' as const,
      'aria-controls': isOpen ? `${id}-list` : undefined,
      'aria-activedescendant': active && `${id}-${index}`,
    },
    list: isOpen && <SuggestionList id={id} found={found} index={index} onChoose={onChoose} />,
  }
}

type ListProps = { id: string; found: Contact[]; index: number; onChoose: (contact: Contact) => void }

const SuggestionList = ({ id, found, index, onChoose }: ListProps) => (
  <div
    role="listbox"
    id={`${id}-list`}
    aria-label="Suggestions"
    className="absolute inset-x-0 top-full z-10 mt-1 rounded-card border border-line bg-surface p-1 shadow-float"
  >
    {found.map((contact, n) => (
      // The field keeps focus and handles the keys that choose a suggestion.
      // biome-ignore lint/a11y/useKeyWithClickEvents: the combobox handles the keys
      // biome-ignore lint/a11y/useFocusableInteractive: aria-activedescendant marks the active option
      <div
        key={contact.email}
        role="option"
        id={`${id}-${n}`}
        aria-selected={n === index}
        onMouseDown={event => event.preventDefault()}
        onClick={() => onChoose(contact)}
        className="flex flex-wrap gap-x-2 rounded-control px-2.5 py-1.5 text-sm hover:bg-sunken aria-selected:bg-accent-quiet"
      >
        <span className="wrap-anywhere min-w-0">{contact.name || contact.email}</span>
        {contact.name && <span className="wrap-anywhere min-w-0 text-muted">{contact.email}</span>}
      </div>
    ))}
  </div>
)
