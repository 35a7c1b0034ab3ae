import type { ComponentProps } from 'react'
import { SelectField } from './field.tsx'

const names = new Intl.DisplayNames('en', { type: 'region' })

type Props = Omit<ComponentProps<typeof SelectField>, 'label' | 'children'> & {
  /** ISO 3166-1 alpha-2 codes. */
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

/** Returns the country that uses a time zone; undefined in browsers without this data. */
export const findCountryByTimezone = (zone: string, countries: string[]): string | undefined =>
  countries.find(code => new Intl.Locale('und', { region: code }).getTimeZones?.()?.includes(zone))
