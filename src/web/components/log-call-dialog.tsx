import { z } from 'zod'
import { logCall } from '../../contract/calls.ts'
import { useOperationMutation } from '../api.ts'
import { toDateTimeField } from '../ui/date-time-field.ts'
import { Dialog } from '../ui/dialog.tsx'
import { LongTextField, SelectField, TextField } from '../ui/field.tsx'
import { FormBody, toNumber, useSchemaForm } from '../ui/form.tsx'
import { showToast } from '../ui/toast.tsx'
import { ActingRepField, useActingRep } from './acting-rep-field.tsx'
import { getPersonName, type Person } from './person-name.ts'

const outcomeLabels = { answered: 'Answered', voicemail: 'Voicemail', no_answer: 'No answer', busy: 'Busy' }

const SECONDS_PER_MINUTE = 60
const MAX_MINUTES = 24 * 60

const { personId, phoneNumber, callType, outcome, notes } = logCall.input.shape
const fields = z.object({
  ...{ personId, phoneNumber, callType, outcome, notes },
  startedAt: z.string().min(1),
  minutes: z.int().min(0).max(MAX_MINUTES).optional(),
})

type Props = {
  person: Person
  /** The preselected rep; defaults to the person's rep. */
  repId?: string
  onLogged?: () => void
  onClose: () => void
}

export function LogCallDialog({ person, repId, onLogged, onClose }: Props) {
  const log = useOperationMutation('logCall', 'listCalls', 'getPersonTimeline')
  const rep = useActingRep(person, 'Call.TriggerCall', repId)
  const form = useSchemaForm(fields, {
    values: {
      personId: person.id,
      phoneNumber: person.phone ?? '',
      callType: 'outbound',
      outcome: 'answered',
      notes: '',
      startedAt: toDateTimeField(new Date()),
    },
    onSubmit: async ({ startedAt, minutes, ...input }, initial) => {
      await log({
        ...input,
        repId: await rep.waitForRepId(),
        // If the user enters only a length, the server assumes that the call has just ended.
        ...((minutes === undefined || startedAt !== initial.startedAt) && {
          startedAt: new Date(startedAt).toISOString(),
        }),
        ...(minutes !== undefined && { duration: minutes * SECONDS_PER_MINUTE }),
      })
      showToast('Call logged.')
      onClose()
      onLogged?.()
    },
  })
  return (
    <Dialog isOpen onClose={onClose} title={`Log a call with ${getPersonName(person)}`}>
      <FormBody form={form} submit="Log call">
        <SelectField label="Caller" {...form.field('callType')}>
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
        <TextField label="Started" type="datetime-local" {...form.field('startedAt')} />
        <TextField
          label="Length in minutes"
          type="number"
          min={0}
          isOptional
          {...form.field('minutes', toNumber)}
        />
        <ActingRepField {...rep} />
        <LongTextField label="Notes" isOptional {...form.field('notes')} />
      </FormBody>
    </Dialog>
  )
}
