import { useSyncExternalStore } from 'react'
import { Button } from './button.tsx'
import { CloseIcon } from './icons.tsx'
import { useShortcuts } from './use-shortcuts.ts'

/** How long a toast is shown. */
const DURATION_MS = 6_000
/** How long undo is offered by default. */
const UNDO_MS = 10_000

type Toast = { text: string; undo?: (() => void) | undefined }

let current: Toast | undefined
let timer: ReturnType<typeof setTimeout> | undefined
const listeners = new Set<() => void>()

/** Shows a toast, replacing the previous one. */
export function showToast(text: string, undo?: () => void, durationMs = undo ? UNDO_MS : DURATION_MS): void {
  set({ text, undo })
  timer = setTimeout(() => set(undefined), durationMs)
}

function set(toast: Toast | undefined): void {
  clearTimeout(timer)
  current = toast
  for (const listener of listeners) listener()
}

const subscribe = (listener: () => void): (() => void) => {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** Moves the toast to the top or, on wide screens, over the list, where it doesn't cover the composer's buttons. */
const besideComposer = [
  'max-wide:[:root:has([data-composer])_&]:top-4 max-wide:[:root:has([data-composer])_&]:bottom-auto',
  'wide:[:root:has([data-composer])_&]:right-auto wide:[:root:has([data-composer])_&]:left-56',
  'wide:[:root:has([data-composer]):has([data-collapsed])_&]:left-18 wide:[:root:has([data-composer])_&]:max-w-80',
].join(' ')

export function Toasts() {
  const toast = useSyncExternalStore(subscribe, () => current)
  const undo = () => {
    toast?.undo?.()
    set(undefined)
  }
  useShortcuts({ z: toast?.undo ? undo : () => showToast('There is nothing left to undo.') })
  return (
    <div
      role="status"
      className={`pointer-events-none fixed inset-x-4 bottom-18 z-40 grid justify-items-center narrow:bottom-5 [:root:has([data-selection-bar])_&]:bottom-42 narrow:[:root:has([data-selection-bar])_&]:bottom-19 print:hidden ${besideComposer}`}
    >
      {toast && (
        <div className="pointer-events-auto flex max-w-full animate-appear items-center gap-2 rounded-card border border-line bg-surface py-1.5 pr-1.5 pl-4 shadow-float">
          <span className="min-w-0">{toast.text}</span>
          {toast.undo && (
            <Button look="quiet" size="small" title="Key: z" onClick={undo}>
              Undo
            </Button>
          )}
          <button
            type="button"
            aria-label="Dismiss"
            onClick={() => set(undefined)}
            className="rounded-control p-1.5 text-muted hover:bg-sunken hover:text-text"
          >
            <CloseIcon size={16} />
          </button>
        </div>
      )}
    </div>
  )
}
