import type { ReactNode } from 'react'
import { loadDialog } from './load-dialog.tsx'

export type DialogProps = { isOpen: boolean; onClose: () => void; title: string; children: ReactNode }

/** A modal dialog. Focuses its first field. If it contains a field, clicking outside doesn't close it. */
export const Dialog = loadDialog(async () => (await import('./dialog-popup.tsx')).DialogPopup)

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

/**
 * Asks before an action that can't be undone or that affects other people. Stays open and shows the error when the
 * action fails.
 */
export const ConfirmDialog = loadDialog(async () => (await import('./dialog-popup.tsx')).ConfirmDialogPopup)
