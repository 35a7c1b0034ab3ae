import { useEffect } from 'react'
import { Dialog } from './dialog.tsx'

/** Keys of the whole page by what they are pressed as; none of them while somebody types. */
export function useKeys(actions: Record<string, () => void>): void {
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      const isCommand = event.ctrlKey || event.metaKey
      const isTyping =
        event.target instanceof Element &&
        event.target.closest('input, textarea, select, [role=dialog], [role=alertdialog]')
      const action = actions[isCommand ? `mod+${event.key.toLowerCase()}` : event.key]
      if (!action || event.altKey || (isTyping && !isCommand)) return
      event.preventDefault()
      action()
    }
    document.addEventListener('keydown', press)
    return () => document.removeEventListener('keydown', press)
  })
}

type Props = { isOpen: boolean; onClose: () => void; keys: [keys: string, what: string][] }

export function KeysDialog({ isOpen, onClose, keys }: Props) {
  return (
    <Dialog isOpen={isOpen} onClose={onClose} title="Keys">
      <dl className="grid grid-cols-[auto_1fr] items-center gap-x-5 gap-y-2.5">
        {keys.map(([pressed, what]) => (
          <div key={pressed} className="contents">
            <dt className="flex gap-1">
              {pressed.split(' ').map(key => (
                <kbd
                  key={key}
                  className="rounded-control border border-line bg-sunken px-1.5 font-mono text-sm"
                >
                  {key}
                </kbd>
              ))}
            </dt>
            <dd className="text-muted">{what}</dd>
          </div>
        ))}
      </dl>
    </Dialog>
  )
}
