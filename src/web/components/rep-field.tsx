import type { ComponentProps } from 'react'
import { useOperation } from '../api.ts'
import { SelectField } from '../ui/field.tsx'

type Props = Omit<ComponentProps<typeof SelectField>, 'children'> & {
  /** Label of the option without a rep. */
  none?: string
}

/** Shows a field for choosing one of the account's reps. */
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
