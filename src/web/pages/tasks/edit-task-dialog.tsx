import { z } from 'zod'
import { createTask, updateTask } from '../../../contract/tasks.ts'
import { useOperationMutation } from '../../api.ts'
import type { Task } from '../../components/due-tasks.ts'
import { toDateTimeField } from '../../ui/date-time-field.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { LongTextField, TextField } from '../../ui/field.tsx'
import { emptyToNull, FormBody, getChangedValues, useSchemaForm } from '../../ui/form.tsx'
import { showToast } from '../../ui/toast.tsx'
import { getPersonName } from './labels.ts'

const { taskId, text } = updateTask.input.shape
const { title } = createTask.input.shape
const fields = z.object({ taskId, title, text, dueAt: z.string().min(1) })

/** Changes a task that a user created. */
export function EditTaskDialog({ task, onClose }: { task: Task; onClose: () => void }) {
  const update = useOperationMutation('updateTask', 'listTasks', 'getTask', 'getPersonTimeline')
  const form = useSchemaForm(fields, {
    values: {
      taskId: task.id,
      title: task.title ?? '',
      text: task.text ?? null,
      dueAt: toDateTimeField(new Date(task.dueAt)),
    },
    onSubmit: async (input, initial) => {
      const { dueAt, ...changed } = getChangedValues(input, initial)
      await update({
        ...changed,
        taskId: task.id,
        ...(dueAt && { dueAt: new Date(dueAt).toISOString() }),
      })
      showToast('Task saved.')
      onClose()
    },
  })
  return (
    <Dialog isOpen onClose={onClose} title={`Edit task for ${getPersonName(task)}`}>
      <FormBody form={form} submit="Save task">
        <TextField label="What to do" {...form.field('title')} />
        <TextField label="Due" type="datetime-local" {...form.field('dueAt')} />
        <LongTextField label="Notes" isOptional {...form.field('text', emptyToNull)} />
      </FormBody>
    </Dialog>
  )
}
