import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { useState } from 'react'
import type { z } from 'zod'
import {
  acceptInvitation,
  type codeNeeded,
  createInvitedUser,
  type invitation,
} from '../../../contract/sign-in.ts'
import { request, type Session, sessionQuery, storeSession } from '../../api.ts'
import { PasswordField, TextField } from '../../ui/field.tsx'
import { FormBody, useSchemaForm } from '../../ui/form.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import { CardPage } from '../../ui/page.tsx'
import { FormSkeleton } from '../../ui/skeleton.tsx'
import { useStartSession } from './use-start-session.ts'

type Invitation = z.output<typeof invitation>

const passwordHelp = 'At least 10 characters. A few words that nobody would guess do well.'

const route = getRouteApi('/invitation')

export function InvitationPage() {
  const { token = '' } = route.useSearch()
  const query = useQuery({
    queryKey: ['invitation', token],
    queryFn: () => request<Invitation>('GET', `/invitations/accept?token=${encodeURIComponent(token)}`),
  })
  // Also because a write needs its token when there is one, whoever it is of.
  const session = useQuery({ ...sessionQuery, retry: false })
  const [isPasswordNeeded, setPasswordNeeded] = useState(false)
  const { data } = query
  const onPasswordNeeded = () => setPasswordNeeded(true)
  return (
    <CardPage
      title={data ? `Join ${data.accountName}` : 'Your invitation'}
      intro={data && `You are invited as ${data.role}, with the address ${data.email}.`}
    >
      <Loaded query={query} skeleton={<FormSkeleton fields={2} />}>
        {({ email }) => {
          if (session.isPending) return <FormSkeleton fields={2} />
          if (isPasswordNeeded) return <JoinWithNewPassword token={token} />
          const signedInAs = session.data?.user.email
          if (signedInAs === email) return <Join {...{ token, onPasswordNeeded }} />
          return <Enter {...{ token, email, signedInAs, onPasswordNeeded }} />
        }}
      </Loaded>
    </CardPage>
  )
}

type JoinProps = { token: string; onPasswordNeeded: () => void }

/** Joins as who is signed in. */
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
    <FormBody form={form} submit="Join">
      {null}
    </FormBody>
  )
}

/** Somebody else may have made this user, so all that could open the new account to them ends. */
function JoinWithNewPassword({ token }: { token: string }) {
  const form = useSchemaForm(acceptInvitation.required(), {
    values: { token, password: '' },
    onSubmit: useStartSession('/invitations/accept'),
  })
  return (
    <FormBody form={form} submit="Join">
      <p>
        Your address was never confirmed, so choose a new password to join. It signs you out everywhere else
        and ends your API tokens, connected apps, passkeys and authenticator app.
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

type EnterProps = JoinProps & { email: string; signedInAs: string | undefined }

/** The same whether or not the address has a user: nobody is told by the link alone. */
function Enter({ token, email, signedInAs, onPasswordNeeded }: EnterProps) {
  const join = useJoin({ token, onPasswordNeeded })
  const here = `/invitation?token=${encodeURIComponent(token)}`
  const form = useSchemaForm(createInvitedUser, {
    values: { token, name: '', password: '' },
    onSubmit: async input => {
      await request('POST', '/invitations/user', input)
      const answer = await signInAs({ email, password: input.password })
      if ('isCodeNeeded' in answer)
        return location.assign(`/sign-in?step=code&next=${encodeURIComponent(here)}`)
      storeSession(answer)
      await join()
    },
  })
  return (
    <FormBody
      form={form}
      submit="Join"
      aside={
        <Link
          to="/sign-in"
          search={{ next: here }}
          className="text-accent underline-offset-2 hover:underline"
        >
          I already have a password here
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
}): Promise<Session | z.output<typeof codeNeeded>> =>
  request<Session | z.output<typeof codeNeeded>>('POST', '/session', user).catch((error: unknown) => {
    if ((error as { code?: string }).code !== 'Unauthorized') throw error
    throw new Error(
      `This is not the password of ${user.email}. If you have used Overture before, sign in with the password you have here, or choose “Forgot your password?” there.`,
    )
  })
