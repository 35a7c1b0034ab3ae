import type { ComponentProps } from 'react'
import { SelectField } from './field.tsx'

const zones = ['UTC', ...Intl.supportedValuesOf('timeZone').filter(zone => zone !== 'UTC')]

type Props = Omit<ComponentProps<typeof SelectField>, 'label' | 'children'> & {
  label?: string
  /** Label of the choice of no time zone. */
  none?: string
}

export function TimezoneField({ none, ...props }: Props) {
  return (
    <SelectField label="Time zone" {...props}>
      {none && <option value="">{none}</option>}
      {zones.map(zone => (
        <option key={zone} value={zone}>
          {zone.replaceAll('_', ' ')}
        </option>
      ))}
    </SelectField>
  )
}
