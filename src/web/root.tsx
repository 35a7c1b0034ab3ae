import { Outlet } from '@tanstack/react-router'
import { lazy, Suspense } from 'react'
import { resolveConfirmation, useIsConfirmationPending } from './confirmation.ts'

const ConfirmIdentity = lazy(async () => ({
  default: (await import('./pages/sign-in/confirm-identity.tsx')).ConfirmIdentity,
}))

/** Every page, and what any of them may have to ask first. */
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
