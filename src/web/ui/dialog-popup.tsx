import { AlertDialog } from '@base-ui/react/alert-dialog'
import { Dialog as BaseDialog } from '@base-ui/react/dialog'
import { useCallback, useId, useLayoutEffect, useRef, useState, useSyncExternalStore } from 'react'
import { Button } from './button.tsx'
import type { ConfirmProps, DialogProps } from './dialog.tsx'
import { type DisplayError, ErrorState } from './error-state.tsx'
import { CloseIcon } from './icons.tsx'
import { type PreventClose, PreventCloseContext } from './prevent-close.ts'

const backdropClass = 'fixed inset-0 z-20 animate-appear bg-backdrop'
const popupClass =
  'fixed inset-x-4 top-[12dvh] z-20 mx-auto max-h-[80dvh] max-w-md animate-appear overflow-y-auto rounded-card border border-line bg-surface p-5 shadow-float outline-none'

/** IDs of the open dialogs, the topmost last. */
let openDialogs: readonly string[] = []
const listeners = new Set<() => void>()
const setOpenDialogs = (ids: readonly string[]): void => {
  openDialogs = ids
  for (const listener of listeners) listener()
}
const subscribe = (listener: () => void) => {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** Returns the classes of a dialog. A covered dialog is transparent but stays mounted, so focus can return. */
function usePopupClass(isOpen: boolean): string {
  const id = useId()
  useLayoutEffect(() => {
    if (!isOpen) return
    setOpenDialogs([...openDialogs, id])
    return () => setOpenDialogs(openDialogs.filter(open => open !== id))
  }, [id, isOpen])
  const isCovered = useSyncExternalStore(
    subscribe,
    () => openDialogs.includes(id) && openDialogs.at(-1) !== id,
  )
  return isCovered ? `${popupClass} opacity-0` : popupClass
}

export function DialogPopup({ isOpen, onClose, title, children }: DialogProps) {
  const popup = useRef<HTMLDivElement>(null)
  const className = usePopupClass(isOpen)
  const [prevented, setPrevented] = useState<Record<PreventClose, number>>({ always: 0, escape: 0 })
  const count = useCallback(
    (mode: PreventClose, change: 1 | -1) =>
      setPrevented(counts => ({ ...counts, [mode]: counts[mode] + change })),
    [],
  )
  const firstField = () => popup.current?.querySelector<HTMLElement>('input, select, textarea')
  const canClose = (reason: string): boolean => {
    if (prevented.always > 0) return false
    if (reason === 'outside-press') return !firstField()
    return reason !== 'escape-key' || prevented.escape === 0
  }
  return (
    <BaseDialog.Root
      open={isOpen}
      onOpenChange={(open, { reason }) => !open && canClose(reason) && onClose()}
    >
      <BaseDialog.Portal>
        <BaseDialog.Backdrop className={backdropClass} />
        <BaseDialog.Popup ref={popup} initialFocus={() => firstField() ?? true} className={className}>
          <div className="mb-4 flex items-start justify-between gap-4">
            <BaseDialog.Title className="font-semibold text-lg">{title}</BaseDialog.Title>
            <BaseDialog.Close
              aria-label="Close"
              disabled={prevented.always > 0}
              className="-m-1 rounded-control p-1 text-muted hover:bg-sunken hover:text-text disabled:invisible"
            >
              <CloseIcon size={18} />
            </BaseDialog.Close>
          </div>
          <PreventCloseContext value={count}>{children}</PreventCloseContext>
        </BaseDialog.Popup>
      </BaseDialog.Portal>
    </BaseDialog.Root>
  )
}

export function ConfirmDialogPopup({
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
  const [error, setError] = useState<DisplayError>()
  const className = usePopupClass(isOpen)
  const handleConfirm = async () => {
    setBusy(true)
    setError(undefined)
    await onConfirm().catch(setError)
    setBusy(false)
  }
  const handleCancel = () => {
    setError(undefined)
    onCancel()
  }
  return (
    <AlertDialog.Root open={isOpen} onOpenChange={open => !open && !isBusy && handleCancel()}>
      <AlertDialog.Portal>
        <AlertDialog.Backdrop className={backdropClass} />
        <AlertDialog.Popup className={className}>
          <AlertDialog.Title className="mb-2 font-semibold text-lg">{title}</AlertDialog.Title>
          <AlertDialog.Description className="mb-5 text-muted">{children}</AlertDialog.Description>
          {error && (
            <div className="mb-5">
              <ErrorState error={error} />
            </div>
          )}
          <div className="flex flex-wrap justify-end gap-2">
            <Button isBusy={isBusy} onClick={handleCancel}>
              {cancel}
            </Button>
            <Button look={look} isBusy={isBusy} onClick={handleConfirm}>
              {confirm}
            </Button>
          </div>
        </AlertDialog.Popup>
      </AlertDialog.Portal>
    </AlertDialog.Root>
  )
}
