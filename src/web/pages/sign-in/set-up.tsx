import { getRouteApi } from '@tanstack/react-router'
import { countries } from '../../../contract/countries.ts'
import { setUp } from '../../../contract/sign-in.ts'
import { CountryField, findCountryByTimezone } from '../../ui/country-field.tsx'
import { LongTextField, PasswordField, TextField } from '../../ui/field.tsx'
import { FormBody, useSchemaForm } from '../../ui/form.tsx'
import { CardPage } from '../../ui/page.tsx'
import { TimezoneField } from '../../ui/timezone-field.tsx'
import { useStartSession } from './use-start-session.ts'

const route = getRouteApi('/setup')

export function SetUpPage() {
  const { code } = route.useSearch()
  if (code) return <SetUp code={code} />
  return (
    <CardPage title="Set up Overture" intro="Nobody can sign in here yet.">
      <p>
        Open the link that Overture printed when it started, in the terminal or in its log. It begins with{' '}
        <code className="break-all font-mono text-sm">{location.origin}/setup?code=</code>
      </p>
    </CardPage>
  )
}

function SetUp({ code }: { code: string }) {
  const { timeZone } = Intl.DateTimeFormat().resolvedOptions()
  const form = useSchemaForm(setUp, {
    values: {
      code,
      name: '',
      email: '',
      password: '',
      accountName: '',
      timezone: timeZone,
      defaultCountry: findCountryByTimezone(timeZone, countries),
      postalAddress: '',
      optOutLine: 'If this is not for you, tell us here.',
    },
    onSubmit: useStartSession('/setup'),
  })
  return (
    <CardPage
      title="Set up Overture"
      intro="You become the owner of the first account. All of this can be changed later."
    >
      <FormBody form={form} submit="Create account">
        <TextField label="Your name" autoComplete="name" autoFocus {...form.field('name')} />
        <TextField label="Email" type="email" autoComplete="username" {...form.field('email')} />
        <PasswordField
          label="Password"
          autoComplete="new-password"
          help="At least 10 characters. A few words that nobody would guess do well."
          {...form.field('password')}
        />
        <hr className="border-line" />
        <TextField
          label="Company"
          autoComplete="organization"
          help="What the account is called."
          {...form.field('accountName')}
        />
        <TimezoneField help="Working hours and days are counted in it." {...form.field('timezone')} />
        <CountryField
          countries={countries}
          isOptional
          help="Phone numbers without the code of a country are read as numbers of this one."
          {...form.field('defaultCountry', { setValueAs: value => value || undefined })}
        />
        <LongTextField
          label="Postal address"
          isOptional
          autoComplete="street-address"
          help="Stands below every campaign email, as the law of most countries asks for."
          {...form.field('postalAddress')}
        />
        <TextField
          label="Opt-out line"
          isOptional
          help="Stands there too, with the link by which somebody opts out. A campaign needs both."
          {...form.field('optOutLine')}
        />
      </FormBody>
    </CardPage>
  )
}
