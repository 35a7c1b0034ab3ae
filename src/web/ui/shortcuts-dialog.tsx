import { Dialog } from './dialog.tsx'

type Props = { isOpen: boolean; onClose: () => void; shortcuts: [keys: string, action: string][] }

export function ShortcutsDialog({ isOpen, onClose, shortcuts }: Props) {
  return (
    <Dialog isOpen={isOpen} onClose={onClose} title="Keyboard shortcuts">
      <dl className="grid grid-cols-[auto_1fr] items-center gap-x-5 gap-y-2.5">
        {shortcuts.map(([keys, action]) => (
          <div key={action} className="contents">
            <dt className="flex items-baseline gap-1">{keys.split(' ').map(renderKey)}</dt>
            <dd className="text-muted">{action}</dd>
          </div>
        ))}
      </dl>
    </Dialog>
  )
}

/** Renders a key, or the separator between two keys. */
const renderKey = (part: string, index: number) =>
  ['or', 'then', '+'].includes(part) ? (
    <span key={index} className="text-muted text-sm">
      {part}
    </span>
  ) : (
    <kbd key={index} className="rounded-control border border-line bg-sunken px-1.5 font-mono text-sm">
      {part}
    </kbd>
  )
