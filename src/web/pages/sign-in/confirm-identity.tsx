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
import { problems } from './single-sign-on.tsx'
import { useContinue } from './use-start-session.ts'

const route = getRouteApi('/confirm')

const title = 'Confirm it’s you'
const intro = 'You signed in a while ago. To protect your account, show once more that it is you.'

/** For what a page of the server asks, such as letting an application in: goes back there afterwards. */
export function ConfirmPage() {
  const { next, problem = '' } = route.useSearch()
  const goOn = useContinue(next)
  return (
    <CardPage title={title} intro={intro}>
      {problems.has(problem) && (
        <div className="mb-5">
          <ErrorState error={new Error(problems.get(problem))} />
        </div>
      )}
      <ConfirmationMethods next={next} onConfirmed={goOn} />
    </CardPage>
  )
}

/** Over the page on which something was refused: it goes on afterwards. */
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
      {({ confirmWays }) => <Methods ways={confirmWays} next={next} onConfirmed={onConfirmed} />}
    </Loaded>
  )
}

function Methods({ ways, next, onConfirmed }: Props & { ways: OwnSignIn['confirmWays'] }) {
  const cache = useQueryClient()
  const confirm = async (proof: object): Promise<void> => {
    const session = await request<Session>('POST', '/session/confirm', proof)
    cache.setQueryData(sessionQuery.queryKey, storeSession(session))
    onConfirmed()
  }
  if (ways.length === 0) {
    return <p>You have no password yet. Sign out, and choose “Forgot your password?” to set one.</p>
  }
  return (
    <>
      {ways.includes('password') ? (
        <PasswordForm onSubmit={confirm} />
      ) : (
        ways.includes('code') && <CodeForm onSubmit={confirm} />
      )}
      {ways.includes('passkey') && <PasskeyButton label="Use a passkey" onShown={confirm} />}
      {ways.includes('single_sign_on') && <CompanyButton next={next} />}
    </>
  )
}

type FormProps = { onSubmit: (proof: object) => Promise<void> }

function PasswordForm({ onSubmit }: FormProps) {
  const form = useSchemaForm(signIn.pick({ password: true }), { values: { password: '' }, onSubmit })
  return (
    <FormBody form={form} submit="Confirm" isDisposable>
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
    <FormBody form={form} submit="Confirm" isDisposable>
      <TextField
        label="Code that your authenticator app shows"
        autoComplete="one-time-code"
        autoFocus
        {...form.field('code')}
      />
    </FormBody>
  )
}

/** The page is left for it, and opened anew afterwards. */
function CompanyButton({ next }: { next: string | undefined }) {
  const [error, setError] = useState<DisplayError>()
  const [isBusy, setBusy] = useState(false)
  const leave = async () => {
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
      <Button isBusy={isBusy} onClick={leave}>
        Sign in with your company again
      </Button>
    </div>
  )
}
