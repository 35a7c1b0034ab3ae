import { Button } from './button.tsx'
import { CloseIcon } from './icons.tsx'

type Props<Name extends string> = {
  /** The labels of the active filters; others are empty. */
  labels: { [N in Name]?: string | false | undefined }
  onRemove: (name: Name) => void
  onClear: () => void
}

/** The active filters of a list, each with a button that removes it. */
export function FilterChips<Name extends string>({ labels, onRemove, onClear }: Props<Name>) {
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
            aria-label={`Remove filter ${label}`}
            onClick={() => onRemove(name)}
            className="rounded-full p-1 hover:bg-sunken"
          >
            <CloseIcon size={14} />
          </button>
        </li>
      ))}
      {active.length > 1 && (
        <li>
          <Button look="quiet" size="small" onClick={onClear}>
            Clear filters
          </Button>
        </li>
      )}
    </ul>
  )
}
