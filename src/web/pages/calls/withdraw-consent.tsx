import { withdrawConsent } from '../../../contract/consents.ts'
import { useOperationMutation } from '../../api.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { LongTextField } from '../../ui/field.tsx'
import { FormBody, useSchemaForm } from '../../ui/form.tsx'
import { showToast } from '../../ui/toast.tsx'
import type { Consent } from './consent-rules.tsx'

export function WithdrawDialog({ consent, onClose }: { consent: Consent; onClose: () => void }) {
  const { id: consentId, phoneNumber, name } = consent
  const withdraw = useOperationMutation('withdrawConsent', 'listConsents')
  const form = useSchemaForm(withdrawConsent.input, {
    values: { consentId, reason: '' },
    onSubmit: async input => {
      await withdraw(input)
      showToast(`The consent of ${name ?? phoneNumber} is withdrawn.`)
      onClose()
    },
  })
  return (
    <Dialog isOpen onClose={onClose} title={`Withdraw the consent of ${name ?? phoneNumber}?`}>
      <p className="mb-4 text-muted">
        From now on it lets no call through, and it can’t be made valid again: another consent has to be given
        and recorded. Whoever wants to hear nothing more at all belongs on Do Not Contact.
      </p>
      <FormBody form={form} submit="Withdraw consent">
        <LongTextField
          label="How it was withdrawn"
          isOptional
          placeholder="By email to Grace"
          {...form.field('reason')}
        />
      </FormBody>
    </Dialog>
  )
}
