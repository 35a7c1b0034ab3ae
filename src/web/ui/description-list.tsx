import type { ReactNode } from 'react'

/** Label-value rows. Rows without a value are omitted. */
export const DescriptionList = ({ items }: { items: Record<string, ReactNode> }) => (
  <dl className="grid grid-cols-1 gap-x-6 narrow:grid-cols-[minmax(8rem,auto)_minmax(0,1fr)] narrow:gap-y-1.5">
    {Object.entries(items)
      .filter(([, value]) => value !== undefined && value !== null && value !== false && value !== '')
      .map(([label, value]) => (
        <div key={label} className="contents">
          <dt className="break-words text-muted">{label}</dt>
          <dd className="mb-2 min-w-0 break-words narrow:mb-0">{value}</dd>
        </div>
      ))}
  </dl>
)
