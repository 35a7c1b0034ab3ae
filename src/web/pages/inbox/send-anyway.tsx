import { ConfirmDialog } from '../../ui/dialog.tsx'
import { formatDateTime } from '../../ui/time.tsx'

/** Input fields by which a sender overrides an objection. */
const overrideFields = ['force', 'allowNewRecipients'] as const
export type Overrides = { [field in (typeof overrideFields)[number]]?: boolean }

/** A reason why a draft was not sent, which the sender can override. */
export type Objection = { path: keyof Overrides; message: string }

export const getObjections = (error: unknown): Objection[] =>
  ((error as { details?: { path: string; message: string }[] }).details ?? []).filter(
    (detail): detail is Objection => overrideFields.some(field => field === detail.path),
  )

type Props = {
  objections: Objection[]
  onSend: (overrides: Overrides) => Promise<unknown>
  onCancel: () => void
}

/** Asks for confirmation before sending a draft when someone else has already replied or when it has new recipients. */
export function SendAnyway({ objections, onSend, onCancel }: Props) {
  return (
    <ConfirmDialog
      isOpen={objections.length > 0}
      title="Send anyway?"
      confirm="Send anyway"
      look="primary"
      cancel="Keep as draft"
      onConfirm={() => onSend(Object.fromEntries(objections.map(({ path }) => [path, true])))}
      onCancel={onCancel}
    >
      {objections.map(({ message }) => localizeTimes(message)).join(' ')}
    </ConfirmDialog>
  )
}

/** Replaces ISO timestamps in a message with local times. */
const localizeTimes = (message: string): string =>
  message.replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, at => formatDateTime(new Date(at)))
