import type { ReactNode } from 'react'

type Props = { label: string; value: string; onChange: (value: string) => void; children: ReactNode }

/** A compact select above a list. */
export const FilterSelect = ({ label, value, onChange, children }: Props) => (
  <select
    aria-label={label}
    value={value}
    onChange={({ target }) => onChange(target.value)}
    className="h-9 w-28 shrink-0 rounded-control border border-edge bg-surface px-3"
  >
    {children}
  </select>
)

type GroupProps = { label: string; name: string; options: [value: string, text: string][] }

/** Choices of one filter; the value of each is `name:value`. */
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
