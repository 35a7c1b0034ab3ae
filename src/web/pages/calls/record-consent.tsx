import { consentKinds, consentUses, recordConsent } from '../../../contract/consents.ts'
import { useOperationMutation } from '../../api.ts'
import { kindDescriptions, purposeDescriptions } from '../../components/consent-labels.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { LongTextField, SelectField, TextField } from '../../ui/field.tsx'
import { emptyToUndefined, FormBody, useSchemaForm } from '../../ui/form.tsx'
import { showToast } from '../../ui/toast.tsx'

type Props = { isOpen: boolean; phoneNumber: string | undefined; onClose: () => void }

export const RecordConsentDialog = ({ isOpen, phoneNumber, onClose }: Props) => (
  <Dialog isOpen={isOpen} onClose={onClose} title="Record consent">
    <RecordForm phoneNumber={phoneNumber} onRecorded={onClose} />
  </Dialog>
)

/** A datetime-local field holds local time without a time zone. */
const toTimestamp = {
  setValueAs: (value: string | undefined) => (value ? new Date(value).toISOString() : undefined),
}

function RecordForm({
  phoneNumber,
  onRecorded,
}: {
  phoneNumber: string | undefined
  onRecorded: () => void
}) {
  const record = useOperationMutation('recordConsent', 'listConsents')
  const form = useSchemaForm(recordConsent.input, {
    values: { phoneNumber: phoneNumber ?? '', kind: 'written', covers: 'ai_voice_marketing' },
    onSubmit: async input => {
      const { phoneNumber } = await record(input)
      showToast(`Consent for ${phoneNumber} recorded.`)
      onRecorded()
    },
  })
  return (
    <FormBody form={form} submit="Record consent">
      <TextField
        label="Phone number"
        type="tel"
        placeholder="+44 20 7946 0018"
        {...form.field('phoneNumber')}
      />
      <TextField label="Name" isOptional {...form.field('name', emptyToUndefined)} />
      <SelectField label="Kind" {...form.field('kind')}>
        {consentKinds.map(kind => (
          <option key={kind} value={kind}>
            {kindDescriptions[kind]}
          </option>
        ))}
      </SelectField>
      <SelectField
        label="Covers"
        help="Overture treats every call as marketing, so consent to service calls alone is not enough."
        {...form.field('covers')}
      >
        {consentUses.map(use => (
          <option key={use} value={use}>
            {purposeDescriptions[use]}
          </option>
        ))}
      </SelectField>
      <LongTextField
        label="Proof"
        help="The wording they agreed to and where, or a link to the document."
        {...form.field('proof')}
      />
      <TextField
        label="Source"
        isOptional
        placeholder="Form on our website"
        {...form.field('source', emptyToUndefined)}
      />
      <TextField
        label="Date given"
        type="datetime-local"
        isOptional
        help="Leave empty to use the current time."
        {...form.field('givenAt', toTimestamp)}
      />
    </FormBody>
  )
}
