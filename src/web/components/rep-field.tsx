import type { ComponentProps } from 'react'
import { useOperation } from '../api.ts'
import { SelectField } from '../ui/field.tsx'

type Props = Omit<ComponentProps<typeof SelectField>, 'children'> & {
  /** Label of the option without a rep. */
  none?: string
  /** ID of the current rep, who may be missing from the loaded list. */
  storedId?: string | undefined
}

/** Shows a field for choosing one of the account's reps. */
export function RepField({ none = 'Default', storedId = '', ...props }: Props) {
  const { data } = useOperation('listReps', { limit: 100 })
  const { data: stored } = useOperation('getRep', { repId: storedId }, { isEnabled: storedId !== '' })
  const reps = data?.data ?? []
  const isListed = storedId === '' || reps.some(({ id }) => id === storedId)
  const options = isListed ? reps : [{ id: storedId, name: stored?.name ?? 'Current rep' }, ...reps]
  return (
    <SelectField {...props}>
      <option value="">{none}</option>
      {options.map(({ id, name }) => (
        <option key={id} value={id}>
          {name}
        </option>
      ))}
    </SelectField>
  )
}
