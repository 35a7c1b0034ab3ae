import { useBlocker } from '@tanstack/react-router'
import { ConfirmDialog } from './dialog.tsx'

/** Leaving with changes asks: in the app with a dialog, out of it by the browser's own. */
export function LeaveGuard({ isDirty }: { isDirty: boolean }) {
  const blocker = useBlocker({
    shouldBlockFn: () => isDirty,
    enableBeforeUnload: isDirty,
    withResolver: true,
  })
  return (
    <ConfirmDialog
      isOpen={blocker.status === 'blocked'}
      title="Leave without saving?"
      confirm="Leave"
      cancel="Stay"
      onCancel={() => blocker.reset?.()}
      onConfirm={async () => blocker.proceed?.()}
    >
      What you changed on this page is not saved yet.
    </ConfirmDialog>
  )
}
