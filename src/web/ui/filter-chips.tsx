import { Button } from './button.tsx'
import { CloseIcon } from './icons.tsx'

/** ID of the field that adds filters. */
export const ADD_FILTER_ID = 'add-filter'

type Props<Name extends string> = {
  /** The labels of the active filters. Inactive filters have no label. */
  labels: { [N in Name]?: string | false | 0 | undefined }
  onRemove: (...names: Name[]) => void
}

/** Shows the active filters of a list, each with a button that removes it. */
export function FilterChips<Name extends string>({ labels, onRemove }: Props<Name>) {
  const active = Object.entries(labels).filter((entry): entry is [Name, string] => !!entry[1])
  if (active.length === 0) return null
  return (
    <ul aria-label="Filters" className="flex flex-wrap items-center gap-2">
      {active.map(([name, label]) => (
        <li
          key={name}
          className="flex min-w-0 items-center gap-1 rounded-full bg-accent-quiet py-0.5 pr-1 pl-3 text-accent text-sm"
        >
          <span className="wrap-anywhere min-w-0">{label}</span>
          <button
            type="button"
            data-chip
            aria-label={`Remove filter ${label}`}
            onClick={({ currentTarget }) => {
              focusNeighbor(currentTarget)
              onRemove(name)
            }}
            className="rounded-full p-1 hover:bg-sunken"
          >
            <CloseIcon size={14} />
          </button>
        </li>
      ))}
      {active.length > 1 && (
        <li>
          <Button
            look="quiet"
            size="small"
            onClick={() => {
              document.getElementById(ADD_FILTER_ID)?.focus()
              onRemove(...active.map(([name]) => name))
            }}
          >
            Clear filters
          </Button>
        </li>
      )}
    </ul>
  )
}

/** Moves the focus from a chip that is about to be removed to another chip, or to the field that adds filters. */
function focusNeighbor(button: HTMLButtonElement): void {
  const buttons = [...(button.closest('ul')?.querySelectorAll<HTMLElement>('[data-chip]') ?? [])]
  const index = buttons.indexOf(button)
  const next = buttons[index + 1] ?? buttons[index - 1] ?? document.getElementById(ADD_FILTER_ID)
  next?.focus()
}
