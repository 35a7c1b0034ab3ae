import type { ComponentProps } from 'react'
import { useOperation } from '../api.ts'
import { SelectField } from '../ui/field.tsx'

type Props = Omit<ComponentProps<typeof SelectField>, 'children'> & {
  /** Label of the choice of no rep. */
  none?: string
}

/** A choice of the account's reps. */
export function RepField({ none = 'Default', ...props }: Props) {
  const { data } = useOperation('listReps', { limit: 100 })
  return (
    <SelectField {...props}>
      <option value="">{none}</option>
      {data?.data.map(({ id, name }) => (
        <option key={id} value={id}>
          {name}
        </option>
      ))}
    </SelectField>
  )
}
