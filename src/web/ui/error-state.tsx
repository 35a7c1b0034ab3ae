import { Button } from './button.tsx'
import { CopyButton } from './copy-button.tsx'

export type Fault = Error & { requestId?: string | undefined }

/** What failed and what to do, with what support asks for. */
export function ErrorState({ error, onRetry }: { error: Fault; onRetry?: () => void }) {
  return (
    <div
      role="alert"
      className="grid w-full grid-cols-1 justify-items-start gap-3 rounded-card border border-red/40 bg-red-quiet p-4"
    >
      <p className="max-w-full break-words font-medium text-red">{error.message}</p>
      <div className="flex flex-wrap items-center gap-2">
        {onRetry && (
          <Button size="small" onClick={onRetry}>
            Try again
          </Button>
        )}
        {error.requestId && (
          <>
            <span className="text-muted text-sm">
              Request <code className="break-all font-mono">{error.requestId}</code>
            </span>
            <CopyButton text={error.requestId} label="Copy id" />
          </>
        )}
      </div>
    </div>
  )
}
