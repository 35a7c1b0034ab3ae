import { getRouteApi, Link } from '@tanstack/react-router'
import { useState } from 'react'
import { signIn } from '../../../contract/sign-in.ts'
import { PasswordField, TextField } from '../../ui/field.tsx'
import { FormBody, useSchemaForm } from '../../ui/form.tsx'
import { CardPage } from '../../ui/page.tsx'
import { CodePage } from './code.tsx'
import { useEnter } from './enter.ts'
import { PasskeyButton } from './passkey-button.tsx'

const route = getRouteApi('/sign-in')

export function SignInPage() {
  const { next } = route.useSearch()
  const [isCodeNeeded, setCodeNeeded] = useState(false)
  const form = useSchemaForm(signIn, {
    values: { email: '', password: '' },
    onSubmit: useEnter('/session', next, () => setCodeNeeded(true)),
  })
  if (isCodeNeeded) return <CodePage next={next} onBack={() => setCodeNeeded(false)} />
  return (
    <CardPage title="Sign in">
      <FormBody
        form={form}
        submit="Sign in"
        aside={
          <Link to="/reset" className="text-accent underline-offset-2 hover:underline">
            Forgot your password?
          </Link>
        }
      >
        <TextField label="Email" type="email" autoComplete="username" autoFocus {...form.field('email')} />
        <PasswordField label="Password" autoComplete="current-password" {...form.field('password')} />
      </FormBody>
      <PasskeyButton next={next} />
    </CardPage>
  )
}
