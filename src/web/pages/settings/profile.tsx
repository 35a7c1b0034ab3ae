import { useQuery, useQueryClient } from '@tanstack/react-query'
import { changePassword } from '../../../contract/sign-in.ts'
import { updateUser } from '../../../contract/users.ts'
import {
  type OwnSignIn,
  ownSignInQuery,
  request,
  type Session,
  sessionQuery,
  useOperationMutation,
  useSession,
} from '../../api.ts'
import { CheckField, PasswordField, TextField } from '../../ui/field.tsx'
import { FormBody, useSchemaForm } from '../../ui/form.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import { Card, Page, Section } from '../../ui/page.tsx'
import { FormSkeleton } from '../../ui/skeleton.tsx'
import { showToast } from '../../ui/toast.tsx'
import { useStoreSession } from './use-store-session.ts'

export function ProfilePage() {
  const query = useQuery(ownSignInQuery)
  return (
    <Page title="Profile" intro="Your name and password in all your accounts.">
      <NameForm />
      <Section title="Password" intro="Changing your password signs you out everywhere else.">
        <Loaded query={query} skeleton={<FormSkeleton fields={2} />}>
          {own => <PasswordForm key={String(own.hasPassword)} own={own} />}
        </Loaded>
      </Section>
    </Page>
  )
}

function NameForm() {
  const { user } = useSession()
  const cache = useQueryClient()
  const update = useOperationMutation('updateUser')
  const form = useSchemaForm(updateUser.input.pick({ name: true }).required(), {
    values: { name: user.name },
    onSubmit: async input => {
      await update(input)
      await cache.invalidateQueries(sessionQuery)
      showToast('Name saved.')
    },
  })
  return (
    <Card>
      <FormBody form={form} submit="Save name" isGuarded>
        <TextField label="Name" autoComplete="name" {...form.field('name')} />
        <TextField
          label="Email"
          value={user.email}
          readOnly
          help="The email address you sign in with. It can’t be changed here."
        />
      </FormBody>
    </Card>
  )
}

function PasswordForm({ own: { hasPassword } }: { own: OwnSignIn }) {
  const { user } = useSession()
  const storeNewSession = useStoreSession()
  const form = useSchemaForm(changePassword, {
    values: { ...(hasPassword && { currentPassword: '' }), newPassword: '', revokeTokensAndApps: false },
    isCleared: true,
    onSubmit: async input => {
      // The response is a new session: the change ended all existing ones.
      await storeNewSession(await request<Session>('POST', '/user/password', input))
      showToast(hasPassword ? 'Password changed.' : 'Password set.')
    },
  })
  return (
    <Card>
      <FormBody form={form} submit={hasPassword ? 'Change password' : 'Set password'} isGuarded isMinor>
        <input type="hidden" autoComplete="username" value={user.email} readOnly />
        {hasPassword && (
          <PasswordField
            label="Current password"
            autoComplete="current-password"
            {...form.field('currentPassword')}
          />
        )}
        <PasswordField
          label="New password"
          autoComplete="new-password"
          help="At least 10 characters. A few unrelated words work well."
          {...form.field('newPassword')}
        />
        <CheckField
          label="Also revoke API tokens and connected apps"
          help="Choose this if someone else may know your password. Scripts and assistants that act on your behalf stop working."
          {...form.field('revokeTokensAndApps')}
        />
      </FormBody>
    </Card>
  )
}
