/** Shows a placeholder for content that is loading. Fades in after a short delay. */
export const Skeleton = ({ className = '' }: { className?: string }) => (
  <span className={`block animate-late rounded-control bg-sunken ${className}`} />
)

const widths = ['w-24', 'w-32', 'w-20', 'w-28', 'w-36', 'w-24']

export function FormSkeleton({ fields }: { fields: number }) {
  return (
    <LoadingRegion>
      <div className="grid max-w-lg gap-5">
        {widths.slice(0, fields).map((width, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the order never changes
          <div key={index} className="grid gap-1.5">
            <Skeleton className={`h-4 ${width}`} />
            <Skeleton className="h-9" />
          </div>
        ))}
      </div>
    </LoadingRegion>
  )
}

export function TableSkeleton({ rows = 6 }: { rows?: number }) {
  return (
    <LoadingRegion>
      <div className="overflow-hidden rounded-card border border-line bg-surface">
        {Array.from({ length: rows }, (_, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the order never changes
          <div key={index} className="flex h-10 items-center gap-6 border-line border-b px-3 last:border-0">
            <Skeleton className={`h-3.5 ${widths[index % widths.length]}`} />
            <Skeleton className="ml-auto h-3.5 w-16" />
          </div>
        ))}
      </div>
    </LoadingRegion>
  )
}

const LoadingRegion = ({ children }: { children: React.ReactNode }) => (
  <div role="status" aria-label="Loading">
    {children}
  </div>
)
