import { consentKinds, consentUses, recordConsent } from '../../../contract/consents.ts'
import { useOperationMutation } from '../../api.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { LongTextField, SelectField, TextField } from '../../ui/field.tsx'
import { emptyToUndefined, FormBody, useSchemaForm } from '../../ui/form.tsx'
import { showToast } from '../../ui/toast.tsx'
import { kindDescriptions, purposeDescriptions } from './consent-labels.ts'

type Props = { isOpen: boolean; phoneNumber: string | undefined; onClose: () => void }

export const RecordDialog = ({ isOpen, phoneNumber, onClose }: Props) => (
  <Dialog isOpen={isOpen} onClose={onClose} title="Record consent">
    <RecordForm phoneNumber={phoneNumber} onRecorded={onClose} />
  </Dialog>
)

/** The browser's field has the time in one's own zone, and no zone. */
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
      showToast(`The consent for ${phoneNumber} is recorded.`)
      onRecorded()
    },
  })
  return (
    <FormBody form={form} submit="Record consent">
      <TextField label="Number" type="tel" placeholder="+44 20 7946 0018" {...form.field('phoneNumber')} />
      <TextField label="Who gave it" isOptional {...form.field('name', emptyToUndefined)} />
      <SelectField label="Kind" {...form.field('kind')}>
        {consentKinds.map(kind => (
          <option key={kind} value={kind}>
            {kindDescriptions[kind]}
          </option>
        ))}
      </SelectField>
      <SelectField
        label="To what"
        help="Calls count as offers: a consent to the second kind alone lets none through."
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
        help="The words agreed to and where they were, or the address of the document."
        {...form.field('proof')}
      />
      <TextField
        label="Source"
        isOptional
        placeholder="Form on our website"
        {...form.field('source', emptyToUndefined)}
      />
      <TextField
        label="Given at"
        type="datetime-local"
        isOptional
        help="Left empty it is now."
        {...form.field('givenAt', toTimestamp)}
      />
    </FormBody>
  )
}
