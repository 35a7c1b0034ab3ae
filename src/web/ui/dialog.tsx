import { AlertDialog } from '@base-ui/react/alert-dialog'
import { Dialog as BaseDialog } from '@base-ui/react/dialog'
import { type ReactNode, useRef, useState } from 'react'
import { Button } from './button.tsx'
import { ErrorState, type Fault } from './error-state.tsx'
import { CloseIcon } from './icons.tsx'

const backdropClass = 'fixed inset-0 z-20 animate-appear bg-veil'
const popupClass =
  'fixed inset-x-4 top-[12dvh] z-30 mx-auto max-h-[80dvh] max-w-md animate-appear overflow-y-auto rounded-card border border-line bg-surface p-5 shadow-float outline-none'

type DialogProps = { isOpen: boolean; onClose: () => void; title: string; children: ReactNode }

/** The focus begins in its first field, where it has one. */
export function Dialog({ isOpen, onClose, title, children }: DialogProps) {
  const popup = useRef<HTMLDivElement>(null)
  const firstField = () => popup.current?.querySelector<HTMLElement>('input, select, textarea') ?? true
  return (
    <BaseDialog.Root open={isOpen} onOpenChange={open => !open && onClose()}>
      <BaseDialog.Portal>
        <BaseDialog.Backdrop className={backdropClass} />
        <BaseDialog.Popup ref={popup} initialFocus={firstField} className={popupClass}>
          <div className="mb-4 flex items-start justify-between gap-4">
            <BaseDialog.Title className="font-semibold text-lg">{title}</BaseDialog.Title>
            <BaseDialog.Close
              aria-label="Close"
              className="-m-1 rounded-control p-1 text-muted hover:bg-sunken hover:text-text"
            >
              <CloseIcon size={18} />
            </BaseDialog.Close>
          </div>
          {children}
        </BaseDialog.Popup>
      </BaseDialog.Portal>
    </BaseDialog.Root>
  )
}

type ConfirmProps = {
  isOpen: boolean
  title: string
  /** What follows from it. */
  children: ReactNode
  /** A verb and its object. */
  confirm: string
  look?: 'danger' | 'primary'
  cancel?: string
  onConfirm: () => Promise<unknown>
  onCancel: () => void
}

/** Before what can't be taken back, or goes out to others. Stays open, with what went wrong, when it didn't work. */
export function ConfirmDialog({
  isOpen,
  title,
  children,
  confirm,
  look = 'danger',
  cancel = 'Cancel',
  onConfirm,
  onCancel,
}: ConfirmProps) {
  const [isBusy, setBusy] = useState(false)
  const [fault, setFault] = useState<Fault>()
  const act = async () => {
    setBusy(true)
    setFault(undefined)
    await onConfirm().catch(setFault)
    setBusy(false)
  }
  return (
    <AlertDialog.Root open={isOpen} onOpenChange={open => !open && onCancel()}>
      <AlertDialog.Portal>
        <AlertDialog.Backdrop className={backdropClass} />
        <AlertDialog.Popup className={popupClass}>
          <AlertDialog.Title className="mb-2 font-semibold text-lg">{title}</AlertDialog.Title>
          <AlertDialog.Description className="mb-5 text-muted">{children}</AlertDialog.Description>
          {fault && (
            <div className="mb-5">
              <ErrorState error={fault} />
            </div>
          )}
          <div className="flex flex-wrap justify-end gap-2">
            <Button onClick={onCancel}>{cancel}</Button>
            <Button look={look} isBusy={isBusy} onClick={act}>
              {confirm}
            </Button>
          </div>
        </AlertDialog.Popup>
      </AlertDialog.Portal>
    </AlertDialog.Root>
  )
}
