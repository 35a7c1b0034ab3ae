import { useState } from 'react'
import { request } from '../../api.ts'
import { Button } from '../../ui/button.tsx'
import { type DisplayError, ErrorState } from '../../ui/error-state.tsx'

/** Authenticates with a passkey. Hidden when the browser doesn't support passkeys or the page uses plain HTTP. */
export function PasskeyButton({
  label,
  onAuthenticated,
}: {
  label: string
  onAuthenticated: (proof: { credential: object }) => Promise<void>
}) {
  const [isBusy, setBusy] = useState(false)
  const [error, setError] = useState<DisplayError>()
  if (!('PublicKeyCredential' in window)) return null
  const handleClick = async () => {
    setBusy(true)
    setError(undefined)
    await authenticate()
      .then(credential => onAuthenticated({ credential }))
      .catch(setError)
    setBusy(false)
  }
  return (
    <div className="mt-6 grid gap-4 border-line border-t pt-5 first:mt-0 first:border-0 first:pt-0">
      {error && <ErrorState error={error} />}
      <Button isBusy={isBusy} onClick={handleClick}>
        {label}
      </Button>
    </div>
  )
}

async function authenticate(): Promise<object> {
  const { startAuthentication } = await import('@simplewebauthn/browser')
  const optionsJSON = await request<Parameters<typeof startAuthentication>[0]['optionsJSON']>(
    'POST',
    '/session/passkey/options',
  )
  return startAuthentication({ optionsJSON }).catch(() => {
    throw new Error(
      'The passkey wasn’t used: the request was cancelled or timed out, or this device has no passkey for Overture.',
    )
  })
}
