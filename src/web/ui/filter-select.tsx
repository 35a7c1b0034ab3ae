import type { ReactNode } from 'react'

type Props = {
  label: string
  id?: string
  value: string
  onChange: (value: string) => void
  children: ReactNode
}

/** Shows a select above a list. */
export const FilterSelect = ({ label, id, value, onChange, children }: Props) => (
  <select
    id={id}
    aria-label={label}
    value={value}
    onChange={({ target }) => onChange(target.value)}
    className="h-9 min-w-0 max-w-full flex-1 basis-32 rounded-control border border-edge bg-surface px-3 pr-8 narrow:max-w-40 narrow:flex-none narrow:basis-auto triple:max-w-64"
  >
    {children}
  </select>
)

type GroupProps = { label: string; name: string; options: [value: string, text: string][] }

/** Renders the choices of one filter; the value of each is `name:value`. */
export const FilterGroup = ({ label, name, options }: GroupProps) =>
  options.length > 0 && (
    <optgroup label={label}>
      {options.map(([value, text]) => (
        <option key={value} value={`${name}:${value}`}>
          {text}
        </option>
      ))}
    </optgroup>
  )

/** Renders an option for each value, with its label. */
export const FilterOptions = ({ labels }: { labels: Record<string, string> }) =>
  Object.entries(labels).map(([value, label]) => (
    <option key={value} value={value}>
      {label}
    </option>
  ))
