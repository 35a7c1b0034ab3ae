import type { ReactNode } from 'react'
import { Button } from './button.tsx'
import { CopyButton } from './copy-button.tsx'

export type DisplayError = Error & {
  code?: string
  requestId?: string | undefined
  details?: readonly { path: string; message: string }[]
}

/** Codes of errors that the message fully explains: retrying doesn't help and support needs no request ID. */
const explained = new Set(['ValidationError', 'Unauthorized', 'Forbidden', 'NotFound', 'Conflict'])

type Props = { error: DisplayError; onRetry?: () => void; children?: ReactNode }

/**
 * Shows an error message and, for unexpected errors, a retry button and the request ID for support. `children` explain
 * what else to do.
 */
export function ErrorState({ error, onRetry, children }: Props) {
  const { code = '', message, requestId } = error
  const isExplained = explained.has(code)
  return (
    <div
      role="alert"
      className="grid w-full grid-cols-1 justify-items-start gap-3 rounded-card border border-red/40 bg-red-quiet p-4"
    >
      <p className="max-w-full break-words font-medium text-red">{message}</p>
      {!isExplained && (onRetry || requestId) && (
        <div className="flex w-full flex-wrap items-center gap-2">
          {onRetry && (
            <Button size="small" onClick={onRetry}>
              Try again
            </Button>
          )}
          {requestId && (
            <span className="flex min-w-0 items-center gap-2 text-muted text-sm">
              Request ID
              <code className="min-w-0 truncate font-mono" title={requestId}>
                {requestId}
              </code>
              <CopyButton text={requestId} label="Copy ID" />
            </span>
          )}
        </div>
      )}
      {children}
    </div>
  )
}
