import { useNavigate } from '@tanstack/react-router'
import { useOperation, useOperationMutation, usePermission } from '../../api.ts'
import { getPersonName } from '../../components/person-name.ts'
import { type Command, CommandPalette, type CommandResults } from '../../ui/command-palette.tsx'
import { isSearchable } from '../../ui/is-searchable.ts'
import { showToast } from '../../ui/toast.tsx'

const MAX_FOUND = 20
const emailPattern = /^[^\s@]+@[^\s@]+\.[^\s@]+$/

/** Finds the person to write to, and opens a new email. An unknown address creates a person. */
export function PersonPicker({ onClose }: { onClose: () => void }) {
  const navigate = useNavigate()
  const create = useOperationMutation('createPerson', 'listPersons')
  const canCreate = usePermission('Prospect.EditProspect')
  const write = (personId: string) =>
    void navigate({ to: '/inbox/new/$personId', params: { personId }, search: true })
  const toNewPerson = (email: string): Command => ({
    label: email,
    hint: 'New person',
    run: () =>
      void create({ email }).then(
        ({ id }) => write(id),
        error => showToast(error.message),
      ),
  })
  const usePeople = (text: string): CommandResults => {
    const query = text.trim().slice(0, 100)
    const { data, error } = useOperation('listPersons', {
      limit: MAX_FOUND,
      excludeOptedOut: true,
      ...(isSearchable(query) && { query }),
    })
    const people = data?.data.filter(({ email }) => email) ?? []
    const isUnknown = emailPattern.test(query) && data?.data.length === 0
    const found = people.map(person => ({
      key: person.id,
      label: getPersonName(person),
      hint: person.email ?? undefined,
      run: () => write(person.id),
    }))
    return {
      commands: canCreate && isUnknown ? [toNewPerson(query)] : found,
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
      useResults={usePeople}
    />
  )
}
