import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { useState } from 'react'
import type { z } from 'zod'
import {
  acceptInvitation,
  createInvitedUser,
  type invitation,
  type totpRequired,
} from '../../../contract/sign-in.ts'
import { request, type Session, sessionQuery, storeSession } from '../../api.ts'
import { PasswordField, TextField } from '../../ui/field.tsx'
import { FormBody, useSchemaForm } from '../../ui/form.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import { CardPage } from '../../ui/page.tsx'
import { FormSkeleton } from '../../ui/skeleton.tsx'
import { useStartSession } from './use-start-session.ts'

type Invitation = z.output<typeof invitation>

const passwordHelp = 'At least 10 characters. A few unrelated words work well.'

const route = getRouteApi('/invitation')

export function InvitationPage() {
  const { token = '' } = route.useSearch()
  const query = useQuery({
    queryKey: ['invitation', token],
    queryFn: () => request<Invitation>('GET', `/invitations/accept?token=${encodeURIComponent(token)}`),
  })
  // Also loads the CSRF token of the browser's session, if any.
  const session = useQuery({ ...sessionQuery, retry: false })
  const [isPasswordNeeded, setPasswordNeeded] = useState(false)
  const { data } = query
  const onPasswordNeeded = () => setPasswordNeeded(true)
  return (
    <CardPage
      title={data ? `Join ${data.accountName}` : 'Your invitation'}
      intro={data && `You are invited as ${data.email} with the role ${data.role}.`}
    >
      <Loaded query={query} skeleton={<FormSkeleton fields={2} />}>
        {({ email }) => {
          if (session.isPending) return <FormSkeleton fields={2} />
          if (isPasswordNeeded) return <JoinWithNewPassword token={token} />
          const signedInAs = session.data?.user.email
          if (signedInAs === email) return <Join {...{ token, onPasswordNeeded }} />
          return <CreateUser {...{ token, email, signedInAs, onPasswordNeeded }} />
        }}
      </Loaded>
      {query.error && (
        <Link to="/sign-in" className="mt-4 inline-block text-accent underline-offset-2 hover:underline">
          Go to sign-in
        </Link>
      )}
    </CardPage>
  )
}

type JoinProps = { token: string; onPasswordNeeded: () => void }

/** Returns a function that joins the account as the signed-in user. */
function useJoin({ token, onPasswordNeeded }: JoinProps): () => Promise<void> {
  const accept = useStartSession('/invitations/accept')
  return () =>
    accept({ token }).catch((error: { details?: { path: string }[] }) => {
      if (!error.details?.some(({ path }) => path === 'password')) throw error
      onPasswordNeeded()
    })
}

function Join(props: JoinProps) {
  const form = useSchemaForm(acceptInvitation, { values: { token: props.token }, onSubmit: useJoin(props) })
  return (
    <FormBody form={form} submit="Join account">
      {null}
    </FormBody>
  )
}

/**
 * Joins with a new password. Someone else may have created this user, so joining revokes everything that could give
 * that person access to the account.
 */
function JoinWithNewPassword({ token }: { token: string }) {
  const form = useSchemaForm(acceptInvitation.required(), {
    values: { token, password: '' },
    onSubmit: useStartSession('/invitations/accept'),
  })
  return (
    <FormBody form={form} submit="Join account">
      <p>
        Your email address was never confirmed, so choose a new password to join. This signs you out
        everywhere else and removes your API tokens, connected apps, passkeys and authenticator app.
      </p>
      <PasswordField
        label="New password"
        autoComplete="new-password"
        autoFocus
        help={passwordHelp}
        {...form.field('password')}
      />
    </FormBody>
  )
}

type CreateUserProps = JoinProps & { email: string; signedInAs: string | undefined }

/** Looks the same for new and existing users, so that the link doesn't reveal whether the address has a user. */
function CreateUser({ token, email, signedInAs, onPasswordNeeded }: CreateUserProps) {
  const join = useJoin({ token, onPasswordNeeded })
  const currentUrl = `/invitation?token=${encodeURIComponent(token)}`
  const form = useSchemaForm(createInvitedUser, {
    values: { token, name: '', password: '' },
    onSubmit: async input => {
      await request('POST', '/invitations/user', input)
      const result = await signInAs({ email, password: input.password })
      if ('isCodeNeeded' in result)
        return location.assign(`/sign-in?step=code&next=${encodeURIComponent(currentUrl)}`)
      storeSession(result)
      await join()
    },
  })
  return (
    <FormBody
      form={form}
      submit="Join account"
      aside={
        <Link
          to="/sign-in"
          search={{ next: currentUrl }}
          className="text-accent underline-offset-2 hover:underline"
        >
          I already have a password
        </Link>
      }
    >
      {signedInAs && (
        <p>
          You are signed in as {signedInAs}. To join, continue as <b>{email}</b>.
        </p>
      )}
      <TextField label="Your name" autoComplete="name" autoFocus {...form.field('name')} />
      <PasswordField
        label="Password"
        autoComplete="new-password"
        help={passwordHelp}
        {...form.field('password')}
      />
    </FormBody>
  )
}

const signInAs = (user: {
  email: string
  password: string
}): Promise<Session | z.output<typeof totpRequired>> =>
  request<Session | z.output<typeof totpRequired>>('POST', '/session', user).catch((error: unknown) => {
    if ((error as { code?: string }).code !== 'Unauthorized') throw error
    throw new Error(
      `Incorrect password for ${user.email}. If you have used Overture before, sign in with your existing password, or choose “Forgot your password?” on the sign-in page.`,
    )
  })
