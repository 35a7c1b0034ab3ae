import { Outlet } from '@tanstack/react-router'
import { lazy, Suspense } from 'react'
import { endConfirmation, useIsConfirmationAsked } from './confirmation.ts'

const ConfirmIdentity = lazy(async () => ({
  default: (await import('./pages/sign-in/confirm.tsx')).ConfirmIdentity,
}))

/** Every page, and what any of them may have to ask first. */
export function Root() {
  const isConfirmationAsked = useIsConfirmationAsked()
  return (
    <>
      <Outlet />
      {isConfirmationAsked && (
        <Suspense>
          <ConfirmIdentity onEnd={endConfirmation} />
        </Suspense>
      )}
    </>
  )
}
