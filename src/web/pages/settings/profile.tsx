import { useQueryClient } from '@tanstack/react-query'
import { changePassword } from '../../../contract/sign-in.ts'
import { updateUser } from '../../../contract/users.ts'
import { keepSession, request, type Session, sessionQuery, useChange, useSession } from '../../api.ts'
import { PasswordField, TextField } from '../../ui/field.tsx'
import { FormBody, useSchemaForm } from '../../ui/form.tsx'
import { Card, Page, Section } from '../../ui/page.tsx'
import { showToast } from '../../ui/toast.tsx'

export function ProfilePage() {
  return (
    <Page title="Profile" intro="You, in all accounts that you belong to.">
      <NameForm />
      <Section title="Password" intro="Everywhere else you are signed in, you are signed out.">
        <PasswordForm />
      </Section>
    </Page>
  )
}

function NameForm() {
  const { user } = useSession()
  const cache = useQueryClient()
  const update = useChange('updateUser')
  const form = useSchemaForm(updateUser.input, {
    values: { name: user.name },
    onSubmit: async input => {
      await update(input)
      await cache.invalidateQueries(sessionQuery)
      showToast('Your name is saved.')
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
          help="With it you sign in. It can't be changed here."
        />
      </FormBody>
    </Card>
  )
}

function PasswordForm() {
  const { user } = useSession()
  const cache = useQueryClient()
  const form = useSchemaForm(changePassword, {
    values: { currentPassword: '', newPassword: '' },
    isCleared: true,
    onSubmit: async input => {
      // The answer is a new session: the old one ended with all the others.
      const session = await request<Session>('POST', '/user/password', input)
      cache.setQueryData(sessionQuery.queryKey, keepSession(session))
      showToast('Your password is changed.')
    },
  })
  return (
    <Card>
      <FormBody form={form} submit="Change password" isGuarded isMinor>
        <input type="hidden" autoComplete="username" value={user.email} readOnly />
        <PasswordField
          label="Current password"
          autoComplete="current-password"
          {...form.field('currentPassword')}
        />
        <PasswordField
          label="New password"
          autoComplete="new-password"
          help="At least 10 characters. A few words that nobody would guess do well."
          {...form.field('newPassword')}
        />
      </FormBody>
    </Card>
  )
}
