import { getRouteApi } from '@tanstack/react-router'
import { countries } from '../../../contract/countries.ts'
import { setUp } from '../../../contract/sign-in.ts'
import { CountryField, findCountryByTimezone } from '../../ui/country-field.tsx'
import { LongTextField, PasswordField, TextField } from '../../ui/field.tsx'
import { FormBody, useSchemaForm } from '../../ui/form.tsx'
import { CardPage } from '../../ui/page.tsx'
import { TimezoneField } from '../../ui/timezone-field.tsx'
import { toCanonicalTimezone } from '../../ui/timezones.ts'
import { useStartSession } from './use-start-session.ts'

const route = getRouteApi('/setup')

export function SetupPage() {
  const { code } = route.useSearch()
  if (code) return <Setup code={code} />
  return (
    <CardPage title="Set up Overture" intro="Create the first user to get started.">
      <p>
        Open the link that Overture printed in the terminal or its log when it started. It begins with{' '}
        <code className="wrap-anywhere inline-block font-mono text-sm">{location.origin}/setup?code=</code>
      </p>
    </CardPage>
  )
}

function Setup({ code }: { code: string }) {
  const { timeZone } = Intl.DateTimeFormat().resolvedOptions()
  const form = useSchemaForm(setUp, {
    values: {
      code,
      name: '',
      email: '',
      password: '',
      accountName: '',
      timezone: toCanonicalTimezone(timeZone),
      defaultCountry: findCountryByTimezone(timeZone, countries),
      postalAddress: '',
      optOutLine: 'If this is not for you, tell us here.',
    },
    onSubmit: useStartSession('/setup'),
  })
  return (
    <CardPage
      title="Set up Overture"
      intro="You will be the owner of the first account. You can change all settings later."
    >
      <FormBody form={form} submit="Create account">
        <TextField label="Your name" autoComplete="name" autoFocus {...form.field('name')} />
        <TextField label="Email" type="email" autoComplete="username" {...form.field('email')} />
        <PasswordField
          label="Password"
          autoComplete="new-password"
          help="At least 10 characters. A few unrelated words work well."
          {...form.field('password')}
        />
        <hr className="border-line" />
        <TextField
          label="Company"
          autoComplete="organization"
          help="The name of the account."
          {...form.field('accountName')}
        />
        <TimezoneField help="Used for working hours and daily limits." {...form.field('timezone')} />
        <CountryField
          countries={countries}
          isOptional
          help="Default country for phone numbers without a country code."
          {...form.field('defaultCountry', { setValueAs: value => value || undefined })}
        />
        <LongTextField
          label="Postal address"
          isOptional
          autoComplete="street-address"
          help="Added below every campaign email, as most countries require by law."
          {...form.field('postalAddress')}
        />
        <TextField
          label="Opt-out line"
          isOptional
          help="Added below every campaign email, with the opt-out link. Campaigns need a postal address and an opt-out line to launch."
          {...form.field('optOutLine')}
        />
      </FormBody>
    </CardPage>
  )
}
