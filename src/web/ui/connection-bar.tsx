import { onlineManager } from '@tanstack/react-query'
import { useSyncExternalStore } from 'react'

const subscribe = (listener: () => void) => onlineManager.subscribe(listener)

/** Shows that the server can't be reached. Overlays the page so that nothing shifts. */
export function ConnectionBar() {
  const isOnline = useSyncExternalStore(subscribe, () => onlineManager.isOnline())
  return (
    <div
      role="status"
      className="pointer-events-none fixed inset-x-4 top-3 z-50 grid justify-items-center print:hidden"
    >
      {!isOnline && (
        <p className="max-w-full animate-late rounded-card border border-amber/40 bg-amber-quiet px-4 py-2 text-amber shadow-float">
          <b className="font-medium">
            {navigator.onLine ? 'Overture can’t be reached.' : 'You are offline.'}
          </b>{' '}
          Your changes are kept. Overture reconnects automatically.
        </p>
      )}
    </div>
  )
}
