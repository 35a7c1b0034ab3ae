import { Link } from '@tanstack/react-router'
import { z } from 'zod'
import { triggerAssistantCall } from '../../contract/calls.ts'
import { useOperation, useOperationMutation, usePermission, useRepPermission } from '../api.ts'
import { Dialog } from '../ui/dialog.tsx'
import { LongTextField, SelectField, TextField } from '../ui/field.tsx'
import { emptyToUndefined, FormBody, toFieldErrors, useSchemaForm } from '../ui/form.tsx'
import { Loaded } from '../ui/loaded.tsx'
import { FormSkeleton } from '../ui/skeleton.tsx'
import { formatDateTime } from '../ui/time.tsx'
import { TimezoneField } from '../ui/timezone-field.tsx'
import { showToast } from '../ui/toast.tsx'
import { NumberConsentStatus } from './number-consent-status.tsx'
import { getPersonName, type Person } from './person-name.ts'

type Props = { person: Person; onClose: () => void }
type Assistant = { id: string; name: string }

/** Lets an assistant call a person, now or later. */
export function PlaceCallDialog({ person, onClose }: Props) {
  const assistants = useOperation('listAssistants', { limit: 100 })
  const reps = useOperation('listReps', { limit: 100 })
  const canCall = useRepPermission('Call.TriggerCall')
  return (
    <Dialog isOpen onClose={onClose} title={`Call ${getPersonName(person)}`}>
      <Loaded query={reps} skeleton={<FormSkeleton fields={3} />}>
        {({ data: reps }) => (
          <Loaded query={assistants} skeleton={<FormSkeleton fields={3} />}>
            {({ data }) => {
              const usable = data.filter(({ repId }) => canCall(reps.find(({ id }) => id === repId)))
              return usable.length > 0 ? (
                <CallForm person={person} assistants={usable} onClose={onClose} />
              ) : (
                <NoAssistant onClose={onClose} />
              )
            }}
          </Loaded>
        )}
      </Loaded>
    </Dialog>
  )
}

function NoAssistant({ onClose }: { onClose: () => void }) {
  const canAdd = usePermission('Rep.EditRep')
  return (
    <div className="grid gap-3">
      <p>An AI assistant places the calls, and your reps don’t have one yet.</p>
      {canAdd && (
        <p>
          <Link to="/calls/assistants/new" onClick={onClose} className="text-accent underline">
            Add assistant
          </Link>
        </p>
      )}
    </div>
  )
}

const { assistantId, name, phoneNumber, email, timezone } = triggerAssistantCall.input.shape
const fields = z.object({
  ...{ assistantId, name, phoneNumber, email, timezone },
  notBefore: z.string().optional(),
  facts: z.string().max(8000).optional(),
})

function CallForm({ person, assistants, onClose }: Props & { assistants: Assistant[] }) {
  const place = useOperationMutation('triggerAssistantCall', 'listCalls', 'getPersonTimeline')
  const cancel = useOperationMutation('cancelCall', 'listCalls', 'getCall', 'getPersonTimeline')
  const personName = getPersonName(person)
  const form = useSchemaForm(fields, {
    values: {
      assistantId: assistants[0]!.id,
      name: personName,
      phoneNumber: person.phone ?? '',
      email: person.email ?? undefined,
      timezone: person.timezone ?? '',
      notBefore: '',
      facts: '',
    },
    onSubmit: async ({ notBefore, facts, ...input }) => {
      const at = notBefore ? new Date(notBefore) : undefined
      if (at && at <= new Date())
        throw toFieldErrors({
          notBefore: 'choose a time in the future, or leave the field empty to call as soon as possible',
        })
      const { callId } = await place({
        ...input,
        ...(at && { notBefore: at.toISOString() }),
        ...(facts?.trim() && { data: { notes: facts.trim() } }),
      })
      const undo = () =>
        void cancel({ callId }).then(
          () => showToast('Call cancelled.'),
          error => showToast(error.message),
        )
      showToast(
        at
          ? `The call to ${personName} is scheduled for ${formatDateTime(at)}.`
          : `The call to ${personName} is queued.`,
        undo,
      )
      onClose()
    },
  })
  const isLater = Boolean(form.value('notBefore'))
  return (
    <FormBody form={form} submit={isLater ? 'Schedule call' : 'Place call'}>
      <p className="text-muted text-sm">
        The assistant calls only during calling hours in the person’s time zone. A call can’t be undone once
        it has started.
      </p>
      <SelectField label="Assistant" {...form.field('assistantId')}>
        {assistants.map(({ id, name }) => (
          <option key={id} value={id}>
            {name}
          </option>
        ))}
      </SelectField>
      <TextField label="Phone number" type="tel" {...form.field('phoneNumber')} />
      {person.phone && form.value('phoneNumber') === person.phone && (
        <ConsentStatus phoneNumber={person.phone} />
      )}
      <TextField
        label="Not before"
        type="datetime-local"
        isOptional
        help="Leave empty to call as soon as possible."
        {...form.field('notBefore', emptyToUndefined)}
      />
      <TimezoneField label="Their time zone" isOptional {...form.field('timezone', emptyToUndefined)} />
      <LongTextField
        label="Notes for the assistant"
        isOptional
        help="Facts that the assistant may use in the call."
        {...form.field('facts')}
      />
    </FormBody>
  )
}

function ConsentStatus({ phoneNumber }: { phoneNumber: string }) {
  const { data } = useOperation('listConsents', { phoneNumber, limit: 100 })
  return data && <NumberConsentStatus phoneNumber={phoneNumber} consents={data.data} />
}
