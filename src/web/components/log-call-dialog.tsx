import { z } from 'zod'
import { logCall } from '../../contract/calls.ts'
import { useOperationMutation } from '../api.ts'
import { Dialog } from '../ui/dialog.tsx'
import { LongTextField, SelectField, TextField } from '../ui/field.tsx'
import { emptyToUndefined, FormBody, useSchemaForm } from '../ui/form.tsx'
import { showToast } from '../ui/toast.tsx'
import { getPersonName, type Person } from './person-name.ts'
import { RepField } from './rep-field.tsx'

const outcomeLabels = { answered: 'Answered', voicemail: 'Voicemail', no_answer: 'No answer', busy: 'Busy' }

const { personId, phoneNumber, callType, outcome, notes, repId } = logCall.input.shape
const fields = z.object({ personId, phoneNumber, callType, outcome, notes, repId })

export function LogCallDialog({ person, onClose }: { person: Person; onClose: () => void }) {
  const log = useOperationMutation('logCall', 'listCalls', 'getPersonTimeline')
  const form = useSchemaForm(fields, {
    values: {
      personId: person.id,
      phoneNumber: person.phone ?? '',
      callType: 'outbound',
      outcome: 'answered',
      notes: '',
      repId: person.ownerRepId,
    },
    onSubmit: async input => {
      await log(input)
      showToast('Call logged.')
      onClose()
    },
  })
  return (
    <Dialog isOpen onClose={onClose} title={`Log a call with ${getPersonName(person)}`}>
      <FormBody form={form} submit="Log call">
        <SelectField label="Who called" {...form.field('callType')}>
          <option value="outbound">We called</option>
          <option value="inbound">They called</option>
        </SelectField>
        <TextField label="Phone number" type="tel" {...form.field('phoneNumber')} />
        <SelectField label="Outcome" {...form.field('outcome')}>
          {Object.entries(outcomeLabels).map(([outcome, label]) => (
            <option key={outcome} value={outcome}>
              {label}
            </option>
          ))}
        </SelectField>
        <RepField label="Rep" {...form.field('repId', emptyToUndefined)} />
        <LongTextField label="Notes" isOptional {...form.field('notes')} />
      </FormBody>
    </Dialog>
  )
}
