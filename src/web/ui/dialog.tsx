import { lazy, type ReactNode, Suspense } from 'react'
import { useWasOpen } from './use-was-open.ts'

export const loadDialogs = () => import('./dialog-popup.tsx')
const DialogPopup = lazy(async () => ({ default: (await loadDialogs()).DialogPopup }))
const ConfirmDialogPopup = lazy(async () => ({ default: (await loadDialogs()).ConfirmDialogPopup }))

export type DialogProps = { isOpen: boolean; onClose: () => void; title: string; children: ReactNode }

/** A modal dialog. Focuses its first field; with a field, clicks outside don't close it. */
export const Dialog = (props: DialogProps) =>
  useWasOpen(props.isOpen) && (
    <Suspense>
      <DialogPopup {...props} />
    </Suspense>
  )

export type ConfirmProps = {
  isOpen: boolean
  title: string
  /** The consequences of confirming. */
  children: ReactNode
  /** Label of the confirm button: a verb and its object. */
  confirm: string
  look?: 'danger' | 'primary'
  cancel?: string
  onConfirm: () => Promise<unknown>
  onCancel: () => void
}

/** Asks before an action that can't be undone or that reaches other people. Stays open and shows the error when it fails. */
export const ConfirmDialog = (props: ConfirmProps) =>
  useWasOpen(props.isOpen) && (
    <Suspense>
      <ConfirmDialogPopup {...props} />
    </Suspense>
  )
