import { useState } from 'react'
import { useOperation } from '../api.ts'
import { CommandPalette, type CommandResults } from '../ui/command-palette.tsx'
import { isSearchable } from '../ui/is-searchable.ts'
import { getCompanyName, getPersonName, type Person } from './person-name.ts'

const LIMIT = 8
const MAX_LENGTH = 100

type Props = { title: string; onChoose: (person: Person) => void; onClose: () => void }

/** Finds a person by part of their name, email address, phone number or company. */
export function PersonPicker({ title, onChoose, onClose }: Props) {
  const useResults = (text: string) => usePersons(text, onChoose)
  return (
    <CommandPalette
      isOpen
      onClose={onClose}
      title={title}
      placeholder="Find a person"
      commands={[]}
      useResults={useResults}
    />
  )
}

/** Returns the people who match the text, or the newest people if it is empty. */
function usePersons(text: string, onChoose: (person: Person) => void): CommandResults {
  const query = text.trim().slice(0, MAX_LENGTH)
  const search = useOperation('listPersons', { limit: LIMIT, ...(isSearchable(query) && { query }) })
  // Shown until the results for the current text arrive, so that the list doesn't flicker.
  const [previous, setPrevious] = useState(search.data)
  if (search.data && search.data !== previous) setPrevious(search.data)
  const persons = (search.data ?? previous)?.data ?? []
  return {
    commands: persons.map(person => ({
      key: person.id,
      label: getPersonName(person),
      hint: person.email || person.company ? getCompanyName(person) : undefined,
      run: () => onChoose(person),
    })),
    isCurrent: search.data !== undefined || search.error !== null,
  }
}
