import type { ComponentProps } from 'react'
import { SelectField } from './field.tsx'

const names = new Intl.DisplayNames('en', { type: 'region' })

type Props = Omit<ComponentProps<typeof SelectField>, 'label' | 'children'> & {
  /** By their two letters. */
  countries: string[]
}

export function CountryField({ countries, ...props }: Props) {
  const choices = countries
    .map(code => ({ code, name: names.of(code) ?? code }))
    .sort((a, b) => a.name.localeCompare(b.name))
  return (
    <SelectField label="Country" {...props}>
      <option value="">None</option>
      {choices.map(({ code, name }) => (
        <option key={code} value={code}>
          {name}
        </option>
      ))}
    </SelectField>
  )
}

/** Where this time zone is kept; nothing in browsers that don't tell it. */
export const findCountryByTimezone = (zone: string, countries: string[]): string | undefined =>
  countries.find(code => new Intl.Locale('und', { region: code }).getTimeZones?.()?.includes(zone))
