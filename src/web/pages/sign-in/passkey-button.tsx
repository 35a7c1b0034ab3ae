import { useState } from 'react'
import { request } from '../../api.ts'
import { Button } from '../../ui/button.tsx'
import { type DisplayError, ErrorState } from '../../ui/error-state.tsx'

/** Nothing where the browser knows no passkeys, or the page comes over plain http. */
export function PasskeyButton({
  label,
  onShown,
}: {
  label: string
  onShown: (proof: { credential: object }) => Promise<void>
}) {
  const [isBusy, setBusy] = useState(false)
  const [error, setError] = useState<DisplayError>()
  if (!('PublicKeyCredential' in window)) return null
  const show = async () => {
    setBusy(true)
    setError(undefined)
    await showPasskey()
      .then(credential => onShown({ credential }))
      .catch(setError)
    setBusy(false)
  }
  return (
    <div className="mt-6 grid gap-4 border-line border-t pt-5 first:mt-0 first:border-0 first:pt-0">
      {error && <ErrorState error={error} />}
      <Button isBusy={isBusy} onClick={show}>
        {label}
      </Button>
    </div>
  )
}

async function showPasskey(): Promise<object> {
  const { startAuthentication } = await import('@simplewebauthn/browser')
  const optionsJSON = await request<Parameters<typeof startAuthentication>[0]['optionsJSON']>(
    'POST',
    '/session/passkey/options',
  )
  return startAuthentication({ optionsJSON }).catch(() => {
    throw new Error('No passkey was shown: it was cancelled, took too long, or there is none here.')
  })
}
