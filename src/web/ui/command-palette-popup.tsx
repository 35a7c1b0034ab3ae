import { Dialog } from '@base-ui/react/dialog'
import { type KeyboardEvent, useEffect, useId, useState } from 'react'
import type { Command, CommandPaletteProps, CommandResults } from './command-palette.tsx'

const nothing: CommandResults = { commands: [], isCurrent: true }
const findNothing = (): CommandResults => nothing

export function CommandPalettePopup(props: CommandPaletteProps) {
  return (
    <Dialog.Root open={props.isOpen} onOpenChange={open => !open && props.onClose()}>
      <Dialog.Portal>
        <Dialog.Backdrop className="fixed inset-0 z-20 bg-backdrop" />
        <Dialog.Popup
          aria-label={props.title}
          className="fixed inset-x-4 top-[12dvh] z-30 mx-auto max-w-lg animate-appear overflow-hidden rounded-card border border-line bg-surface shadow-float outline-none"
        >
          {props.isTitled && (
            <p aria-hidden="true" className="truncate px-4 pt-3 text-muted text-sm">
              {props.title}
            </p>
          )}
          <Choices {...props} />
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  )
}

function Choices({
  placeholder,
  commands,
  onClose,
  emptyText = 'No results.',
  useResults = findNothing,
}: CommandPaletteProps) {
  const id = useId()
  const [text, setText] = useState('')
  const [selected, setSelected] = useState(0)
  const [isEnterPending, setEnterPending] = useState(false)
  const words = text.toLowerCase().split(/\s+/)
  const matching = commands.filter(({ label }) => words.every(word => label.toLowerCase().includes(word)))
  const found = useResults(text)
  const results = [...matching, ...found.commands]
  const isOutdated = selected >= matching.length && !found.isCurrent
  const run = (command: Command | undefined) => {
    if (!command) return
    onClose()
    command.run()
  }
  // Enter waits until the results for the current text have arrived, so that it never opens an earlier result.
  useEffect(() => {
    if (!isEnterPending || isOutdated) return
    setEnterPending(false)
    run(results[selected])
  })
  const handleKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (step && results.length > 0) setSelected((selected + step + results.length) % results.length)
    else if (event.key === 'Enter') setEnterPending(true)
    else return
    event.preventDefault()
  }
  return (
    <>
      <input
        role="combobox"
        aria-label={placeholder}
        aria-expanded
        aria-controls={id}
        aria-activedescendant={results[selected] ? `${id}-${selected}` : undefined}
        autoComplete="off"
        placeholder={placeholder}
        value={text}
        onChange={event => {
          setText(event.target.value)
          setSelected(0)
          setEnterPending(false)
        }}
        onKeyDown={handleKeyDown}
        className="h-12 w-full border-line border-b bg-surface px-4 text-lg outline-none placeholder:text-muted"
      />
      <div role="listbox" id={id} aria-label="Results" className="max-h-80 overflow-y-auto p-1.5">
        {results.map((command, index) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the input handles the keys
          <div
            key={command.key ?? command.label}
            id={`${id}-${index}`}
            role="option"
            tabIndex={-1}
            aria-selected={index === selected}
            onClick={() => run(command)}
            onMouseMove={() => setSelected(index)}
            className="flex h-9 cursor-pointer items-center justify-between gap-4 rounded-control px-2.5 aria-selected:bg-sunken"
          >
            <span className="min-w-0 truncate">{command.label}</span>
            {command.hint && (
              <span className="max-w-[50%] shrink-0 truncate text-muted text-sm">{command.hint}</span>
            )}
          </div>
        ))}
      </div>
      {results.length === 0 && (
        <p className="px-4 pb-4 text-muted">{found.isCurrent ? emptyText : 'Searching…'}</p>
      )}
    </>
  )
}
