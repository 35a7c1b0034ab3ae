import type { ReactNode } from 'react'

/** Explains what will appear here and offers the next action. */
export const EmptyState = ({ title, children }: { title: string; children: ReactNode }) => (
  <div className="grid justify-items-center gap-3 rounded-card border border-line border-dashed px-4 py-12 text-center">
    <p className="font-medium">{title}</p>
    <div className="grid max-w-[56ch] justify-items-center gap-4 text-muted">{children}</div>
  </div>
)
