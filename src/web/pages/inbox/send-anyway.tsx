import { ConfirmDialog } from '../../ui/dialog.tsx'
import { formatMoment } from '../../ui/time.tsx'

/** Fields of a send by which its sender overrules a refusal. */
const overruling = ['force', 'allowNewRecipients'] as const
export type Overrides = { [field in (typeof overruling)[number]]?: boolean }

/** Why a draft was not sent, though it can be. */
export type Objection = { path: keyof Overrides; message: string }

export const objectionsIn = (error: unknown): Objection[] =>
  ((error as { details?: { path: string; message: string }[] }).details ?? []).filter(
    (detail): detail is Objection => overruling.some(field => field === detail.path),
  )

type Props = {
  objections: Objection[]
  onSend: (accepted: Overrides) => Promise<unknown>
  onCancel: () => void
}

/** Asks whoever sends a draft that somebody else has answered before, or that goes to strangers. */
export function SendAnyway({ objections, onSend, onCancel }: Props) {
  return (
    <ConfirmDialog
      isOpen={objections.length > 0}
      title="Send it anyway?"
      confirm="Send anyway"
      look="primary"
      cancel="Keep as draft"
      onConfirm={() => onSend(Object.fromEntries(objections.map(({ path }) => [path, true])))}
      onCancel={onCancel}
    >
      {objections.map(({ message }) => withOwnTimes(message)).join(' ')}
    </ConfirmDialog>
  )
}

/** Times as the reader's clock shows them. */
const withOwnTimes = (message: string): string =>
  message.replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, at => formatMoment(new Date(at)))
