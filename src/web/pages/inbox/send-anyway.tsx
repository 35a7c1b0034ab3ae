import { ConfirmDialog } from '../../ui/dialog.tsx'
import { formatDateTime } from '../../ui/time.tsx'

/** Input fields by which a sender overrides a warning. */
const overrideFields = ['force', 'allowNewRecipients'] as const
export type Overrides = { [field in (typeof overrideFields)[number]]?: boolean }

/** A warning that kept a draft from being sent, and that the sender can override. */
export type SendWarning = { path: keyof Overrides; message: string }

export const getSendWarnings = (error: unknown): SendWarning[] =>
  ((error as { details?: { path: string; message: string }[] }).details ?? []).filter(
    (detail): detail is SendWarning => overrideFields.some(field => field === detail.path),
  )

type Props = {
  warnings: SendWarning[]
  onSend: (overrides: Overrides) => Promise<unknown>
  onCancel: () => void
}

/** Asks for confirmation before sending a draft when someone else has already replied or when it has new recipients. */
export function SendAnyway({ warnings, onSend, onCancel }: Props) {
  return (
    <ConfirmDialog
      isOpen={warnings.length > 0}
      title="Send anyway?"
      confirm="Send anyway"
      look="primary"
      cancel="Keep as draft"
      onConfirm={() => onSend(Object.fromEntries(warnings.map(({ path }) => [path, true])))}
      onCancel={onCancel}
    >
      {warnings.map(({ message }) => localizeTimes(message)).join(' ')}
    </ConfirmDialog>
  )
}

/** Replaces ISO timestamps in a message with local times. */
const localizeTimes = (message: string): string =>
  message.replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, at => formatDateTime(new Date(at)))
