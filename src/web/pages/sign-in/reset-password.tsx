import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import type { z } from 'zod'
import {
  type passwordReset,
  type passwordResetLink,
  requestPasswordReset,
  resetPassword,
} from '../../../contract/sign-in.ts'
import { request } from '../../api.ts'
import { PasswordField, TextField } from '../../ui/field.tsx'
import { FormBody, useSchemaForm } from '../../ui/form.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import { CardPage } from '../../ui/page.tsx'
import { FormSkeleton } from '../../ui/skeleton.tsx'

const route = getRouteApi('/reset')
const linkClass = 'text-accent underline-offset-2 hover:underline'

export function ResetPage() {
  const { token } = route.useSearch()
  return token ? <ChoosePassword token={token} /> : <RequestLink />
}

function RequestLink() {
  const query = useQuery({
    queryKey: ['password-reset'],
    queryFn: () => request<z.output<typeof passwordReset>>('GET', '/password-reset'),
  })
  const [sentTo, setSentTo] = useState<string>()
  if (sentTo) return <LinkSent to={sentTo} />
  return (
    <CardPage
      title="Forgot your password?"
      intro={query.data?.isMailed && 'We’ll email you a link to choose a new one.'}
    >
      <Loaded query={query} skeleton={<FormSkeleton fields={1} />}>
        {({ isMailed }) => (isMailed ? <RequestForm onSent={setSentTo} /> : <NoEmailNotice />)}
      </Loaded>
    </CardPage>
  )
}

function RequestForm({ onSent }: { onSent: (email: string) => void }) {
  const form = useSchemaForm(requestPasswordReset, {
    values: { email: '' },
    onSubmit: async input => {
      await request('POST', '/password-reset', input)
      onSent(input.email)
    },
  })
  return (
    <FormBody form={form} submit="Send link" aside={<SignInLink />}>
      <TextField label="Email" type="email" autoComplete="username" autoFocus {...form.field('email')} />
    </FormBody>
  )
}

const NoEmailNotice = () => (
  <div className="grid gap-4">
    <p>
      This server does not send email. Ask its administrator for a link to choose a new password. They can
      create one with this command:
    </p>
    <p className="wrap-anywhere rounded-control bg-sunken px-3 py-2">
      <code className="font-mono text-sm">
        <span className="whitespace-nowrap">overture user reset-password</span>{' '}
        <span className="whitespace-nowrap">--email YOUR-ADDRESS</span>
      </code>
    </p>
    <SignInLink />
  </div>
)

const LinkSent = ({ to }: { to: string }) => (
  <CardPage
    title="Check your email"
    intro={`If ${to} belongs to a user, we sent a link to choose a new password. The link works for one hour.`}
  >
    <p className="mb-4 text-muted text-sm">
      No email? Check your spam folder, or ask the server’s administrator for a link.
    </p>
    <SignInLink />
  </CardPage>
)

function ChoosePassword({ token }: { token: string }) {
  const query = useQuery({
    queryKey: ['password-reset', token],
    queryFn: () =>
      request<z.output<typeof passwordResetLink>>(
        'GET',
        `/password-reset/confirm?token=${encodeURIComponent(token)}`,
      ),
  })
  return (
    <CardPage
      title="Choose a new password"
      intro={
        query.data &&
        `For ${query.data.email}. This signs you out everywhere and removes your API tokens, connected apps, passkeys and authenticator app.`
      }
    >
      <Loaded query={query} skeleton={<FormSkeleton fields={1} />}>
        {({ email }) => <PasswordForm token={token} email={email} />}
      </Loaded>
      {query.error && (
        <p className="mt-4">
          <Link to="/reset" className={linkClass}>
            Request a new link
          </Link>
        </p>
      )}
    </CardPage>
  )
}

function PasswordForm({ token, email }: { token: string; email: string }) {
  const navigate = useNavigate()
  const form = useSchemaForm(resetPassword, {
    values: { token, password: '' },
    onSubmit: async input => {
      await request('POST', '/password-reset/confirm', input)
      await navigate({ to: '/sign-in', search: { notice: 'password_changed' } })
    },
  })
  return (
    <FormBody form={form} submit="Change password">
      {/* Password managers store the new password under this name. */}
      <input type="email" autoComplete="username" value={email} readOnly hidden />
      <PasswordField
        label="New password"
        autoComplete="new-password"
        autoFocus
        help="At least 10 characters."
        {...form.field('password')}
      />
    </FormBody>
  )
}

const SignInLink = () => (
  <Link to="/sign-in" className={linkClass}>
    Back to sign-in
  </Link>
)
