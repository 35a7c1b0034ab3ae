import { z } from 'zod'
import { createTask } from '../../contract/tasks.ts'
import { useOperationMutation } from '../api.ts'
import { toDateTimeField } from '../ui/date-time-field.ts'
import { Dialog } from '../ui/dialog.tsx'
import { LongTextField, SelectField, TextField } from '../ui/field.tsx'
import { FormBody, useSchemaForm } from '../ui/form.tsx'
import { showToast } from '../ui/toast.tsx'
import { ActingRepField, useActingRep } from './acting-rep-field.tsx'
import { getPersonName, type Person } from './person-name.ts'

const DAY_MS = 86_400_000

const channelLabels = { call: 'Call', email: 'Email', linkedin: 'LinkedIn', other: 'Other' }

const { channel, title, text, personId } = createTask.input.shape
const fields = z.object({ channel, title, text, personId, dueAt: z.string().min(1) })

export function CreateTaskDialog({ person, onClose }: { person: Person; onClose: () => void }) {
  const create = useOperationMutation('createTask', 'listTasks', 'getPersonTimeline')
  const rep = useActingRep(person, 'Task.EditTask')
  const form = useSchemaForm(fields, {
    values: {
      personId: person.id,
      channel: 'call',
      title: `Follow up with ${getPersonName(person)}`,
      text: '',
      dueAt: toDateTimeField(new Date(Date.now() + DAY_MS)),
    },
    onSubmit: async ({ dueAt, ...input }) => {
      await create({ ...input, repId: await rep.waitForRepId(), dueAt: new Date(dueAt).toISOString() })
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
        <ActingRepField {...rep} />
        <LongTextField label="Notes" isOptional {...form.field('text')} />
      </FormBody>
    </Dialog>
  )
}
