import { z } from 'zod'
import { createTask } from '../../contract/tasks.ts'
import { useOperationMutation } from '../api.ts'
import { toDateTimeField } from '../ui/date-time-field.ts'
import { Dialog } from '../ui/dialog.tsx'
import { LongTextField, SelectField, TextField } from '../ui/field.tsx'
import { emptyToUndefined, FormBody, useSchemaForm } from '../ui/form.tsx'
import { showToast } from '../ui/toast.tsx'
import { getPersonName, type Person } from './person-name.ts'
import { RepField } from './rep-field.tsx'

const DAY_MS = 86_400_000

const channelLabels = { call: 'Call', email: 'Email', linkedin: 'LinkedIn', other: 'Other' }

const { channel, title, text, personId, repId } = createTask.input.shape
const fields = z.object({ channel, title, text, personId, repId, dueAt: z.string().min(1) })

export function CreateTaskDialog({ person, onClose }: { person: Person; onClose: () => void }) {
  const create = useOperationMutation('createTask', 'listTasks', 'getPersonTimeline')
  const form = useSchemaForm(fields, {
    values: {
      personId: person.id,
      channel: 'call',
      title: '',
      text: '',
      dueAt: toDateTimeField(new Date(Date.now() + DAY_MS)),
      repId: person.ownerRepId,
    },
    onSubmit: async ({ dueAt, ...input }) => {
      await create({ ...input, dueAt: new Date(dueAt).toISOString() })
      showToast('Task created.')
      onClose()
    },
  })
  return (
    <Dialog isOpen onClose={onClose} title={`Create a task for ${getPersonName(person)}`}>
      <FormBody form={form} submit="Create task">
        <TextField label="What to do" {...form.field('title')} />
        <SelectField label="Kind" {...form.field('channel')}>
          {Object.entries(channelLabels).map(([channel, label]) => (
            <option key={channel} value={channel}>
              {label}
            </option>
          ))}
        </SelectField>
        <TextField label="Due" type="datetime-local" {...form.field('dueAt')} />
        <RepField label="Rep" {...form.field('repId', emptyToUndefined)} />
        <LongTextField label="Notes" isOptional {...form.field('text')} />
      </FormBody>
    </Dialog>
  )
}
