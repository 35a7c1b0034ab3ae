import { useNavigate } from '@tanstack/react-router'
import { useOperation } from '../../api.ts'
import { getPersonName } from '../../components/person-name.ts'
import { CommandPalette, type Found } from '../../ui/command-palette.tsx'
import { isSearchable } from '../../ui/is-searchable.ts'

const MAX_FOUND = 20

/** Asks whom to write to, and opens a new email. */
export function PersonPicker({ onClose }: { onClose: () => void }) {
  const navigate = useNavigate()
  const usePeople = (text: string): Found => {
    const query = text.trim().slice(0, 100)
    const { data, error } = useOperation('listPersons', {
      limit: MAX_FOUND,
      excludeOptedOut: true,
      ...(isSearchable(query) && { query }),
    })
    const people = data?.data.filter(({ email }) => email) ?? []
    return {
      commands: people.map(person => ({
        key: person.id,
        label: getPersonName(person),
        hint: person.email ?? undefined,
        run: () =>
          void navigate({ to: '/inbox/new/$personId', params: { personId: person.id }, search: true }),
      })),
      isCurrent: data !== undefined || error !== null,
    }
  }
  return (
    <CommandPalette
      isOpen
      onClose={onClose}
      title="New email"
      placeholder="Write to"
      commands={[]}
      useFound={usePeople}
    />
  )
}
