import type { ReactNode } from 'react'
import { CopyButton } from './copy-button.tsx'
import { usePreventClose } from './dialog.tsx'

/** What is shown this once, with a line of what to do with it; its dialog stays until a button there closes it. */
export function SecretBox({
  secret,
  label,
  isReplaceable = false,
  children,
}: {
  secret: string
  label: string
  /** Nothing is lost with it: the next one will do as well. */
  isReplaceable?: boolean
  children: ReactNode
}) {
  usePreventClose(isReplaceable ? undefined : 'open')
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
