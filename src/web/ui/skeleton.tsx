/** Stands where something will; shown only when it takes longer than a moment. */
export const Skeleton = ({ className = '' }: { className?: string }) => (
  <span className={`block animate-late rounded-control bg-sunken ${className}`} />
)

const labels = ['w-24', 'w-32', 'w-20', 'w-28', 'w-36', 'w-24']

export function FormSkeleton({ fields }: { fields: number }) {
  return (
    <Waiting>
      <div className="grid max-w-lg gap-5">
        {labels.slice(0, fields).map((label, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: they never change
          <div key={index} className="grid gap-1.5">
            <Skeleton className={`h-4 ${label}`} />
            <Skeleton className="h-9" />
          </div>
        ))}
      </div>
    </Waiting>
  )
}

export function TableSkeleton({ rows = 6 }: { rows?: number }) {
  return (
    <Waiting>
      <div className="overflow-hidden rounded-card border border-line bg-surface">
        {Array.from({ length: rows }, (_, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: they never change
          <div key={index} className="flex h-10 items-center gap-6 border-line border-b px-3 last:border-0">
            <Skeleton className={`h-3.5 ${labels[index % labels.length]}`} />
            <Skeleton className="ml-auto h-3.5 w-16" />
          </div>
        ))}
      </div>
    </Waiting>
  )
}

const Waiting = ({ children }: { children: React.ReactNode }) => (
  <div role="status" aria-label="Loading">
    {children}
  </div>
)
