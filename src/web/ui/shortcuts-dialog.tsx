import { Dialog } from './dialog.tsx'

type Props = { isOpen: boolean; onClose: () => void; keys: [keys: string, what: string][] }

export function ShortcutsDialog({ isOpen, onClose, keys }: Props) {
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
