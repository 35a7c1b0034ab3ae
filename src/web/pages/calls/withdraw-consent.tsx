import { withdrawConsent } from '../../../contract/consents.ts'
import { useOperationMutation } from '../../api.ts'
import type { Consent } from '../../components/number-consent-status.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { LongTextField } from '../../ui/field.tsx'
import { FormBody, useSchemaForm } from '../../ui/form.tsx'
import { showToast } from '../../ui/toast.tsx'

export function WithdrawConsentDialog({ consent, onClose }: { consent: Consent; onClose: () => void }) {
  const { id: consentId, phoneNumber, name } = consent
  const withdraw = useOperationMutation('withdrawConsent', 'listConsents')
  const form = useSchemaForm(withdrawConsent.input, {
    values: { consentId, reason: '' },
    onSubmit: async input => {
      await withdraw(input)
      showToast(`Consent of ${name ?? phoneNumber} withdrawn.`)
      onClose()
    },
  })
  return (
    <Dialog isOpen onClose={onClose} title={`Withdraw consent of ${name ?? phoneNumber}?`}>
      <p className="mb-4 text-muted">
        Calls that need this consent are refused from now on. A withdrawal can’t be undone: to call again,
        record a new consent. If they want no further contact, add them to Do Not Contact.
      </p>
      <FormBody form={form} submit="Withdraw consent">
        <LongTextField label="Reason" isOptional placeholder="By email to Grace" {...form.field('reason')} />
      </FormBody>
    </Dialog>
  )
}
