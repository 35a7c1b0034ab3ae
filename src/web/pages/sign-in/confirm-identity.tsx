import { useQuery, useQueryClient } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { useState } from 'react'
import { signIn, signInCode } from '../../../contract/sign-in.ts'
import {
  type OwnSignIn,
  ownSignInQuery,
  request,
  type Session,
  sessionQuery,
  storeSession,
} from '../../api.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { type DisplayError, ErrorState } from '../../ui/error-state.tsx'
import { PasswordField, TextField } from '../../ui/field.tsx'
import { FormBody, useSchemaForm } from '../../ui/form.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import { CardPage } from '../../ui/page.tsx'
import { FormSkeleton } from '../../ui/skeleton.tsx'
import { PasskeyButton } from './passkey-button.tsx'
import { problemTexts } from './single-sign-on.tsx'
import { useContinue } from './use-start-session.ts'

const route = getRouteApi('/confirm')

const title = 'Confirm it’s you'
const intro = 'You signed in a while ago. To protect your account, confirm your identity again.'

/** Confirms the user's identity for a server-rendered page, such as OAuth consent, then returns there. */
export function ConfirmPage() {
  const { next, problem = '' } = route.useSearch()
  const continueToNext = useContinue(next)
  return (
    <CardPage title={title} intro={intro}>
      {problemTexts.has(problem) && (
        <div className="mb-5">
          <ErrorState error={new Error(problemTexts.get(problem))} />
        </div>
      )}
      <ConfirmationMethods next={next} onConfirmed={continueToNext} />
    </CardPage>
  )
}

/** Confirms the user's identity in a dialog over the page whose request needs it. */
export function ConfirmIdentity({ onEnd }: { onEnd: (isConfirmed: boolean) => void }) {
  return (
    <Dialog isOpen onClose={() => onEnd(false)} title={title}>
      <p className="mb-5 text-muted">{intro}</p>
      <ConfirmationMethods next={location.pathname + location.search} onConfirmed={() => onEnd(true)} />
    </Dialog>
  )
}

type Props = { next: string | undefined; onConfirmed: () => void }

function ConfirmationMethods({ next, onConfirmed }: Props) {
  const query = useQuery(ownSignInQuery)
  return (
    <Loaded query={query} skeleton={<FormSkeleton fields={1} />}>
      {({ confirmWays }) => <Methods methods={confirmWays} next={next} onConfirmed={onConfirmed} />}
    </Loaded>
  )
}

function Methods({ methods, next, onConfirmed }: Props & { methods: OwnSignIn['confirmWays'] }) {
  const cache = useQueryClient()
  const confirm = async (proof: object): Promise<void> => {
    const session = await request<Session>('POST', '/session/confirm', proof)
    cache.setQueryData(sessionQuery.queryKey, storeSession(session))
    onConfirmed()
  }
  if (methods.length === 0) {
    return <p>You don’t have a password yet. Sign out and choose “Forgot your password?” to set one.</p>
  }
  return (
    <>
      {methods.includes('password') ? (
        <PasswordForm onSubmit={confirm} />
      ) : (
        methods.includes('code') && <CodeForm onSubmit={confirm} />
      )}
      {methods.includes('passkey') && <PasskeyButton label="Use a passkey" onAuthenticated={confirm} />}
      {methods.includes('single_sign_on') && <SingleSignOnButton next={next} />}
    </>
  )
}

type FormProps = { onSubmit: (proof: object) => Promise<void> }

function PasswordForm({ onSubmit }: FormProps) {
  const form = useSchemaForm(signIn.pick({ password: true }), { values: { password: '' }, onSubmit })
  return (
    <FormBody form={form} submit="Confirm" allowsDiscard>
      <PasswordField
        label="Your password"
        autoComplete="current-password"
        autoFocus
        {...form.field('password')}
      />
    </FormBody>
  )
}

function CodeForm({ onSubmit }: FormProps) {
  const form = useSchemaForm(signInCode, { values: { code: '' }, onSubmit })
  return (
    <FormBody form={form} submit="Confirm" allowsDiscard>
      <TextField
        label="Code from your authenticator app"
        autoComplete="one-time-code"
        autoFocus
        {...form.field('code')}
      />
    </FormBody>
  )
}

/** Redirects to the identity provider, which returns to the page. */
function SingleSignOnButton({ next }: { next: string | undefined }) {
  const [error, setError] = useState<DisplayError>()
  const [isBusy, setBusy] = useState(false)
  const handleClick = async () => {
    setBusy(true)
    setError(undefined)
    await request<{ url: string }>('POST', '/session/confirm/single-sign-on', { next })
      .then(({ url }) => location.assign(url))
      .catch(setError)
    setBusy(false)
  }
  return (
    <div className="mt-6 grid gap-4 border-line border-t pt-5 first:mt-0 first:border-0 first:pt-0">
      {error && <ErrorState error={error} />}
      <Button isBusy={isBusy} onClick={handleClick}>
        Sign in with your company again
      </Button>
    </div>
  )
}
