import { Outlet } from '@tanstack/react-router'
import { lazy, Suspense } from 'react'
import { resolveConfirmation, useIsConfirmationPending } from './confirmation.ts'

const ConfirmIdentity = lazy(async () => ({
  default: (await import('./pages/sign-in/confirm-identity.tsx')).ConfirmIdentity,
}))

/** Renders the current page and, when a request needs it, the dialog that confirms the user's identity. */
export function Root() {
  const isConfirmationPending = useIsConfirmationPending()
  return (
    <>
      <Outlet />
      {isConfirmationPending && (
        <Suspense>
          <ConfirmIdentity onEnd={resolveConfirmation} />
        </Suspense>
      )}
    </>
  )
}
