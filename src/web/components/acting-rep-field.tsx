import { useState } from 'react'
import type { Permission } from '../../contract/permissions.ts'
import { SelectField } from '../ui/field.tsx'
import { useLoadedValue } from '../ui/use-loaded-value.ts'
import type { Person } from './person-name.ts'
import { useOwnRep, usePersonRep } from './use-person-rep.ts'

/** Holds the rep that the user acts for. Defaults to the person's rep or, without one, to the user's own rep. */
export function useActingRep(person: Person, permission: Permission, preferredId?: string) {
  const { reps, personRep, isLoading } = usePersonRep(person, permission)
  const own = useOwnRep(reps)
  const [chosenId, setChosenId] = useState(preferredId)
  const repId = chosenId ?? (isLoading ? undefined : (personRep ?? own)?.id)
  const waitForRepId = useLoadedValue(repId, isLoading && !chosenId)
  return { repId, waitForRepId, reps, choose: setChosenId }
}

/** Shows a field for choosing the rep of `useActingRep`. */
export const ActingRepField = ({ repId, reps, choose }: ReturnType<typeof useActingRep>) => (
  <SelectField
    label="Rep"
    value={repId ?? ''}
    disabled={reps.length === 0}
    onChange={({ target }) => choose(target.value)}
  >
    {reps.every(({ id }) => id !== repId) && <option value={repId ?? ''} />}
    {reps.map(({ id, name }) => (
      <option key={id} value={id}>
        {name}
      </option>
    ))}
  </SelectField>
)
