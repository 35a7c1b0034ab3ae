import type { ReactNode } from 'react'
import { CopyButton } from './copy-button.tsx'

/** What is shown this once, with a line of what to do with it. */
export function SecretBox({
  secret,
  label,
  children,
}: {
  secret: string
  label: string
  children: ReactNode
}) {
  return (
    <div className="grid gap-2">
      <div className="flex items-start gap-2 rounded-control border border-line bg-sunken p-2 pl-3">
        <output
          aria-label={label}
          className="min-w-0 flex-1 select-all self-center whitespace-pre-line break-all font-mono text-sm"
        >
          {secret}
        </output>
        <CopyButton text={secret} />
      </div>
      <p className="text-muted text-sm">{children}</p>
    </div>
  )
}
