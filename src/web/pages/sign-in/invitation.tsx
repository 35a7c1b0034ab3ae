import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import type { z } from 'zod'
import { acceptInvitation, type invitation } from '../../../contract/sign-in.ts'
import { request, sessionQuery } from '../../api.ts'
import { buttonClass } from '../../ui/button.tsx'
import { PasswordField, TextField } from '../../ui/field.tsx'
import { FormBody, useSchemaForm } from '../../ui/form.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import { CardPage } from '../../ui/page.tsx'
import { FormSkeleton } from '../../ui/skeleton.tsx'
import { useEnter } from './enter.ts'

type Invitation = z.output<typeof invitation>

const route = getRouteApi('/invitation')

export function InvitationPage() {
  const { token = '' } = route.useSearch()
  const query = useQuery({
    queryKey: ['invitation', token],
    queryFn: () => request<Invitation>('GET', `/invitations/accept?token=${encodeURIComponent(token)}`),
  })
  // Also because a write needs its token when there is one, whoever it is of.
  const session = useQuery({ ...sessionQuery, retry: false })
  const { data } = query
  return (
    <CardPage
      title={data ? `Join ${data.accountName}` : 'Your invitation'}
      intro={data && `You are invited as ${data.role}, with the address ${data.email}.`}
    >
      <Loaded query={query} skeleton={<FormSkeleton fields={2} />}>
        {found => {
          if (session.isPending) return <FormSkeleton fields={2} />
          if (!found.hasUser) return <JoinAsNew token={token} />
          return <Join token={token} email={found.email} signedInAs={session.data?.user.email} />
        }}
      </Loaded>
    </CardPage>
  )
}

/** Somebody who has a password here shows it first. */
function Join({
  token,
  email,
  signedInAs,
}: {
  token: string
  email: string
  signedInAs: string | undefined
}) {
  const form = useSchemaForm(acceptInvitation.pick({ token: true }), {
    values: { token },
    onSubmit: useEnter('/invitations/accept'),
  })
  if (signedInAs === email) {
    return (
      <FormBody form={form} submit="Join">
        {null}
      </FormBody>
    )
  }
  return (
    <div className="grid justify-items-start gap-4">
      <p>
        {signedInAs && `You are signed in as ${signedInAs}. `}Sign in as <b>{email}</b> to join.
      </p>
      <Link
        to="/sign-in"
        search={{ next: `/invitation?token=${encodeURIComponent(token)}` }}
        className={buttonClass('primary')}
      >
        Sign in
      </Link>
    </div>
  )
}

function JoinAsNew({ token }: { token: string }) {
  const form = useSchemaForm(acceptInvitation.required(), {
    values: { token, name: '', password: '' },
    onSubmit: useEnter('/invitations/accept'),
  })
  return (
    <FormBody form={form} submit="Join">
      <TextField label="Your name" autoComplete="name" autoFocus {...form.field('name')} />
      <PasswordField
        label="Password"
        autoComplete="new-password"
        help="At least 10 characters. A few words that nobody would guess do well."
        {...form.field('password')}
      />
    </FormBody>
  )
}
