import type { ReactNode } from 'react'

/** Shows labels with their values. Rows without a value are omitted, and so is a list without rows. */
export function DescriptionList({ items }: { items: Record<string, ReactNode> }) {
  const rows = Object.entries(items).filter(
    ([, value]) => value !== undefined && value !== null && value !== false && value !== '',
  )
  if (rows.length === 0) return null
  return (
    <dl className="grid grid-cols-1 gap-x-6 narrow:grid-cols-[minmax(8rem,auto)_minmax(0,1fr)] narrow:gap-y-1.5">
      {rows.map(([label, value]) => (
        <div key={label} className="contents">
          <dt className="break-words text-muted">{label}</dt>
          <dd className="mb-2 min-w-0 break-words narrow:mb-0">{value}</dd>
        </div>
      ))}
    </dl>
  )
}
