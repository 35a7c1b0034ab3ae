import { getRouteApi, Link } from '@tanstack/react-router'
import { useState } from 'react'
import { signIn } from '../../../contract/sign-in.ts'
import { request } from '../../api.ts'
import { ErrorState } from '../../ui/error-state.tsx'
import { PasswordField, TextField } from '../../ui/field.tsx'
import { FormBody, useSchemaForm } from '../../ui/form.tsx'
import { CardPage } from '../../ui/page.tsx'
import { PasskeyButton } from './passkey-button.tsx'
import { problemTexts, SingleSignOn } from './single-sign-on.tsx'
import { useStartSession } from './use-start-session.ts'
import { VerificationCodePage } from './verification-code.tsx'

const route = getRouteApi('/sign-in')

/** Maximum length of the app's name, which comes from its registration or the URL and can be anything. */
const MAX_APP_LENGTH = 80

export function SignInPage() {
  const { next, step, problem = '', notice, app } = route.useSearch()
  const [isCodeNeeded, setCodeNeeded] = useState(step === 'code')
  const [ssoUser, setSsoUser] = useState<{ email: string; isDeclined?: true }>()
  const form = useSchemaForm(signIn, {
    values: { email: '', password: '' },
    onSubmit: useStartSession('/session', next, () => setCodeNeeded(true)),
  })
  const signInWithPasskey = useStartSession('/session/passkey', next)
  if (isCodeNeeded) return <VerificationCodePage next={next} onBack={() => setCodeNeeded(false)} />
  if (ssoUser && !ssoUser.isDeclined) {
    const { email } = ssoUser
    return <SingleSignOn email={email} next={next} onBack={() => setSsoUser({ email, isDeclined: true })} />
  }
  const checkSingleSignOn = async ({ target: { value: email } }: { target: { value: string } }) => {
    if (email.includes('@') && email !== ssoUser?.email && (await hasSingleSignOn(email)))
      setSsoUser({ email })
  }
  return (
    <CardPage
      title="Sign in"
      intro={app && `Sign in to connect “${app.slice(0, MAX_APP_LENGTH)}” to Overture.`}
    >
      {notice === 'password_changed' && (
        <p role="status" className="mb-5 rounded-card border border-green/40 bg-green-quiet p-4 text-green">
          Your password was changed. Sign in with the new one.
        </p>
      )}
      {problemTexts.has(problem) && (
        <div className="mb-5">
          <ErrorState error={new Error(problemTexts.get(problem))} />
        </div>
      )}
      <FormBody
        form={form}
        submit="Sign in"
        aside={
          <Link to="/reset" className="text-accent underline-offset-2 hover:underline">
            Forgot your password?
          </Link>
        }
      >
        <TextField
          label="Email"
          type="email"
          autoComplete="username"
          autoFocus
          {...form.field('email', { onBlur: checkSingleSignOn })}
        />
        <PasswordField label="Password" autoComplete="current-password" {...form.field('password')} />
      </FormBody>
      <PasskeyButton label="Sign in with a passkey" onAuthenticated={signInWithPasskey} />
    </CardPage>
  )
}

/** Checks the domain only, which doesn't reveal whether an address has a user. */
async function hasSingleSignOn(email: string): Promise<boolean> {
  const domain = encodeURIComponent(email.slice(email.lastIndexOf('@') + 1))
  const path = `/session/single-sign-on?domain=${domain}`
  // Ignore errors: signing in itself will report them.
  return request<{ isOffered: boolean }>('GET', path).then(
    ({ isOffered }) => isOffered,
    () => false,
  )
}
