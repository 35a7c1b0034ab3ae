import { getRouteApi, Link, useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { requestPasswordReset, resetPassword } from '../../../contract/sign-in.ts'
import { request } from '../../api.ts'
import { PasswordField, TextField } from '../../ui/field.tsx'
import { FormBody, useSchemaForm } from '../../ui/form.tsx'
import { CardPage } from '../../ui/page.tsx'
import { showToast } from '../../ui/toast.tsx'

const route = getRouteApi('/reset')

export function ResetPage() {
  const { token } = route.useSearch()
  return token ? <ChoosePassword token={token} /> : <AskForLink />
}

function AskForLink() {
  const [sentTo, setSentTo] = useState<string>()
  const form = useSchemaForm(requestPasswordReset, {
    values: { email: '' },
    onSubmit: async input => {
      await request('POST', '/password-reset', input)
      setSentTo(input.email)
    },
  })
  if (sentTo) {
    return (
      <CardPage
        title="Look into your mail"
        intro={`If ${sentTo} can sign in here, a link to a new password is on its way.`}
      >
        <p className="text-muted text-sm">
          Nothing came? Look among the unwanted mails. Where no server for such mails is set up, whoever runs
          Overture can give you a new password.
        </p>
        <SignInLink />
      </CardPage>
    )
  }
  return (
    <CardPage title="Forgot your password?" intro="We send you a link with which you choose a new one.">
      <FormBody form={form} submit="Send link" aside={<SignInLink />}>
        <TextField label="Email" type="email" autoComplete="username" autoFocus {...form.field('email')} />
      </FormBody>
    </CardPage>
  )
}

function ChoosePassword({ token }: { token: string }) {
  const navigate = useNavigate()
  const form = useSchemaForm(resetPassword, {
    values: { token, password: '' },
    onSubmit: async input => {
      await request('POST', '/password-reset/confirm', input)
      showToast('Your password is changed. Sign in with the new one.')
      await navigate({ to: '/sign-in' })
    },
  })
  return (
    <CardPage
      title="Choose a new password"
      intro="It signs you out everywhere and ends your API tokens, connected apps, passkeys and authenticator app."
    >
      <FormBody form={form} submit="Change password">
        <PasswordField
          label="New password"
          autoComplete="new-password"
          autoFocus
          help="At least 10 characters."
          {...form.field('password')}
        />
      </FormBody>
    </CardPage>
  )
}

const SignInLink = () => (
  <Link to="/sign-in" className="text-accent underline-offset-2 hover:underline">
    Back to signing in
  </Link>
)
