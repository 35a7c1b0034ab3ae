import { Dialog } from '@base-ui/react/dialog'
import { type KeyboardEvent, useId, useState } from 'react'

export type Command = { label: string; hint?: string; run: () => void }

type Props = { isOpen: boolean; onClose: () => void; commands: Command[] }

/** Pages and actions by their names: type some letters, arrows choose, Enter goes. */
export function CommandPalette(props: Props) {
  return (
    <Dialog.Root open={props.isOpen} onOpenChange={open => !open && props.onClose()}>
      <Dialog.Portal>
        <Dialog.Backdrop className="fixed inset-0 z-20 bg-veil" />
        <Dialog.Popup
          aria-label="Commands"
          className="fixed inset-x-4 top-[12dvh] z-30 mx-auto max-w-lg animate-appear overflow-hidden rounded-card border border-line bg-surface shadow-float outline-none"
        >
          <Choices {...props} />
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  )
}

function Choices({ commands, onClose }: Props) {
  const id = useId()
  const [text, setText] = useState('')
  const [at, setAt] = useState(0)
  const words = text.toLowerCase().split(/\s+/)
  const found = commands.filter(({ label }) => words.every(word => label.toLowerCase().includes(word)))
  const run = (command: Command | undefined) => {
    if (!command) return
    onClose()
    command.run()
  }
  const press = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (step) setAt((at + step + found.length) % found.length)
    else if (event.key === 'Enter') run(found[at])
    else return
    event.preventDefault()
  }
  return (
    <>
      <input
        role="combobox"
        aria-label="Search pages and actions"
        aria-expanded
        aria-controls={id}
        aria-activedescendant={found[at] ? `${id}-${at}` : undefined}
        autoComplete="off"
        placeholder="Where to, or what to do?"
        value={text}
        onChange={event => {
          setText(event.target.value)
          setAt(0)
        }}
        onKeyDown={press}
        className="h-12 w-full border-line border-b bg-surface px-4 text-lg outline-none placeholder:text-muted"
      />
      <div role="listbox" id={id} aria-label="Pages and actions" className="max-h-80 overflow-y-auto p-1.5">
        {found.map((command, index) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the input has the keys
          <div
            key={command.label}
            id={`${id}-${index}`}
            role="option"
            tabIndex={-1}
            aria-selected={index === at}
            onClick={() => run(command)}
            onMouseMove={() => setAt(index)}
            className="flex h-9 cursor-pointer items-center justify-between gap-4 rounded-control px-2.5 aria-selected:bg-sunken"
          >
            <span className="truncate">{command.label}</span>
            {command.hint && <span className="text-muted text-sm">{command.hint}</span>}
          </div>
        ))}
      </div>
      {found.length === 0 && <p className="px-4 pb-4 text-muted">Nothing is called that.</p>}
    </>
  )
}
