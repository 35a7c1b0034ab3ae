import { AlertDialog } from '@base-ui/react/alert-dialog'
import { Dialog as BaseDialog } from '@base-ui/react/dialog'
import {
  createContext,
  type ReactNode,
  useCallback,
  useContext,
  useId,
  useLayoutEffect,
  useRef,
  useState,
  useSyncExternalStore,
} from 'react'
import { Button } from './button.tsx'
import { type DisplayError, ErrorState } from './error-state.tsx'
import { CloseIcon } from './icons.tsx'

const backdropClass = 'fixed inset-0 z-20 animate-appear bg-veil'
const popupClass =
  'fixed inset-x-4 top-[12dvh] z-20 mx-auto max-h-[80dvh] max-w-md animate-appear overflow-y-auto rounded-card border border-line bg-surface p-5 shadow-float outline-none'

type DialogProps = { isOpen: boolean; onClose: () => void; title: string; children: ReactNode }

/** `open`: nothing but what stands in the dialog closes it; `typed`: Escape, which is pressed in passing, doesn't. */
type Hold = 'open' | 'typed'
type Holds = Record<Hold, number>

const DialogHolds = createContext<((hold: Hold, more: 1 | -1) => void) | undefined>(undefined)

/** Keeps the dialog around this, if there is one, as long as something would be lost with it. */
export function usePreventClose(hold: Hold | undefined): void {
  const change = useContext(DialogHolds)
  useLayoutEffect(() => {
    if (!hold || !change) return
    change(hold, 1)
    return () => change(hold, -1)
  }, [hold, change])
}

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

/** Returns the classes of a dialog. One with another on top is transparent, and keeps its place for the focus. */
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

/** The focus begins in its first field, where it has one; then a press beside it doesn't close it. */
export function Dialog({ isOpen, onClose, title, children }: DialogProps) {
  const popup = useRef<HTMLDivElement>(null)
  const className = usePopupClass(isOpen)
  const [holds, setHolds] = useState<Holds>({ open: 0, typed: 0 })
  const change = useCallback(
    (hold: Hold, more: 1 | -1) => setHolds(before => ({ ...before, [hold]: before[hold] + more })),
    [],
  )
  const firstField = () => popup.current?.querySelector<HTMLElement>('input, select, textarea')
  const canClose = (reason: string): boolean => {
    if (holds.open > 0) return false
    if (reason === 'outside-press') return !firstField()
    return reason !== 'escape-key' || holds.typed === 0
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
              disabled={holds.open > 0}
              className="-m-1 rounded-control p-1 text-muted hover:bg-sunken hover:text-text disabled:invisible"
            >
              <CloseIcon size={18} />
            </BaseDialog.Close>
          </div>
          <DialogHolds value={change}>{children}</DialogHolds>
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
  const [error, setError] = useState<DisplayError>()
  const className = usePopupClass(isOpen)
  const act = async () => {
    setBusy(true)
    setError(undefined)
    await onConfirm().catch(setError)
    setBusy(false)
  }
  return (
    <AlertDialog.Root open={isOpen} onOpenChange={open => !open && !isBusy && onCancel()}>
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
            <Button isBusy={isBusy} onClick={onCancel}>
              {cancel}
            </Button>
            <Button look={look} isBusy={isBusy} onClick={act}>
              {confirm}
            </Button>
          </div>
        </AlertDialog.Popup>
      </AlertDialog.Portal>
    </AlertDialog.Root>
  )
}
