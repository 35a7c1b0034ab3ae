import { z } from 'zod'
import { findSendingLimits } from '../../../contract/mail-providers.ts'
import { useOperationMutation } from '../../api.ts'
import type { Mailbox } from '../../components/mailbox-state.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { CheckField, TextField } from '../../ui/field.tsx'
import { FormBody, getChangedValues, toNumber, useSchemaForm } from '../../ui/form.tsx'
import { formatNumber } from '../../ui/time.tsx'
import { showToast } from '../../ui/toast.tsx'

const limits = z.object({
  senderName: z.string().trim().max(200),
  dailyCap: z.int().min(1).max(100_000).optional(),
  minGapSeconds: z.int().min(0).max(86_400).optional(),
  isWarmingUp: z.boolean(),
  savesSentCopies: z.boolean(),
})

/** Limits of a new mailbox: providers suspend mailboxes whose volume jumps. */
export const startingLimits = { dailyCap: 50, minGapSeconds: 90, rampUp: { start: 10, increase: 5 } }

/** Returns a sentence about the limits of the mailbox's provider, after a space; empty if unknown. */
export function describeLimits({ email, smtp, connection }: Mailbox): string {
  const limits = findSendingLimits({ email, smtpHost: smtp?.host, signInProvider: connection?.provider })
  if (!limits) return ''
  const { name, perDay, perMinute } = limits
  return ` ${name} allows ${formatNumber(perDay)} a day${perMinute ? ` and ${perMinute} a minute` : ''}.`
}

export function MailboxLimitsDialog({
  mailbox,
  onClose,
}: {
  mailbox: Mailbox | undefined
  onClose: () => void
}) {
  return (
    <Dialog isOpen={mailbox !== undefined} onClose={onClose} title={`Limits of ${mailbox?.email ?? ''}`}>
      {mailbox && <LimitsForm mailbox={mailbox} onSaved={onClose} />}
    </Dialog>
  )
}

type LimitsFormProps = { mailbox: Mailbox; onSaved: (updated: Mailbox) => void }

/** Edits the sender name, limits and warm-up of a mailbox. */
export function LimitsForm({ mailbox, onSaved }: LimitsFormProps) {
  const update = useOperationMutation('updateMailbox', 'listMailboxes')
  const {
    id,
    email,
    senderName = '',
    dailyCap,
    minGapSeconds,
    rampUp,
    imap,
    savesSentCopies = false,
  } = mailbox
  const form = useSchemaForm(limits, {
    values: { senderName, dailyCap, minGapSeconds, isWarmingUp: rampUp !== undefined, savesSentCopies },
    onSubmit: async (input, initial) => {
      const { isWarmingUp, ...changed } = getChangedValues(input, initial)
      const updated = await update({
        ...{ ...changed, mailboxId: id },
        ...('senderName' in changed && { senderName: changed.senderName || null }),
        ...('dailyCap' in changed && { dailyCap: changed.dailyCap ?? null }),
        ...('minGapSeconds' in changed && { minGapSeconds: changed.minGapSeconds ?? 0 }),
        ...(isWarmingUp !== undefined && { rampUp: isWarmingUp ? startingLimits.rampUp : null }),
      })
      showToast(`Limits of ${email} saved.`)
      onSaved(updated)
    },
  })
  return (
    <FormBody form={form} submit="Save limits">
      <TextField
        label="Sender name"
        isOptional
        help="Defaults to the name of the rep."
        {...form.field('senderName')}
      />
      <TextField
        label="Emails a day"
        type="number"
        min={1}
        isOptional
        help={`In any 24 hours. Replies count but are never delayed. Leave empty for no limit; 50 is safe for most providers.${describeLimits(mailbox)}`}
        {...form.field('dailyCap', toNumber)}
      />
      <TextField
        label="Seconds between two emails"
        type="number"
        min={0}
        isOptional
        help="A random delay of up to half this time is added."
        {...form.field('minGapSeconds', toNumber)}
      />
      <CheckField
        label="Warm up"
        help={
          rampUp
            ? `Started at ${rampUp.start} a day and grows by ${rampUp.increase} each day.`
            : `Starts at ${startingLimits.rampUp.start} emails a day and adds ${startingLimits.rampUp.increase} each day.`
        }
        {...form.field('isWarmingUp')}
      />
      {imap && (
        <CheckField
          label="Save sent emails"
          help="Stores a copy in the Sent folder, unless the provider has stored one."
          {...form.field('savesSentCopies')}
        />
      )}
    </FormBody>
  )
}
