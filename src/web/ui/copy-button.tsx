import { useState } from 'react'
import { Button } from './button.tsx'
import { copyText } from './copy-text.ts'
import { CheckIcon, CopyIcon } from './icons.tsx'
import { showToast } from './toast.tsx'

const FEEDBACK_MS = 2_000

export function CopyButton({ text, label = 'Copy' }: { text: string; label?: string }) {
  const [isCopied, setCopied] = useState(false)
  const copy = async ({ currentTarget }: React.MouseEvent) => {
    if (!(await copyText(text, currentTarget)))
      return showToast('The text could not be copied. Select and copy it manually.')
    setCopied(true)
    setTimeout(() => setCopied(false), FEEDBACK_MS)
  }
  return (
    <Button size="small" onClick={copy}>
      {isCopied ? <CheckIcon size={14} /> : <CopyIcon size={14} />}
      <span aria-live="polite">{isCopied ? 'Copied' : label}</span>
    </Button>
  )
}
