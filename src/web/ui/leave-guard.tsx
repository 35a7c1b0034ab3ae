import { useBlocker } from '@tanstack/react-router'
import { ConfirmDialog } from './dialog.tsx'

type Props = {
  isDirty: boolean
  /** Saves instead of asking. Resolves to false if changes stay unsaved. */
  save?: () => Promise<boolean>
  title?: string
  /** Explains which changes are discarded. */
  children?: string
}

/**
 * Asks before the user leaves a page with unsaved changes. Within the app, a dialog asks; otherwise, the browser's own
 * prompt does.
 */
export function LeaveGuard({
  isDirty,
  save,
  title = 'Leave without saving?',
  children = 'Your unsaved changes on this page will be lost.',
}: Props) {
  const blocker = useBlocker({
    shouldBlockFn: async () => isDirty && !(await save?.()),
    enableBeforeUnload: isDirty,
    withResolver: true,
  })
  return (
    <ConfirmDialog
      isOpen={blocker.status === 'blocked'}
      title={title}
      confirm="Leave page"
      cancel="Stay on page"
      onCancel={() => blocker.reset?.()}
      onConfirm={async () => blocker.proceed?.()}
    >
      {children}
    </ConfirmDialog>
  )
}
