import type { ReactNode } from 'react'
import { CopyButton } from './copy-button.tsx'
import { usePreventClose } from './prevent-close.ts'

/** Shows a secret or another value to copy. The dialog around it closes only with its own buttons. */
export function CopyBox({
  value,
  label,
  isReplaceable = false,
  children,
}: {
  value: string
  label: string
  /** The value can be generated again, so the dialog may close at any time. */
  isReplaceable?: boolean
  children: ReactNode
}) {
  usePreventClose(isReplaceable ? undefined : 'always')
  return (
    <div className="grid gap-2">
      <div className="flex items-start gap-2 rounded-control border border-line bg-sunken p-2 pl-3">
        <output
          aria-label={label}
          className="min-w-0 flex-1 select-all self-center whitespace-pre-line break-all font-mono text-sm"
        >
          {value}
        </output>
        <CopyButton text={value} />
      </div>
      <p className="text-muted text-sm">{children}</p>
    </div>
  )
}
