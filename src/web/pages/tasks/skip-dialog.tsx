import { skipTask } from '../../../contract/tasks.ts'
import { useOperationMutation } from '../../api.ts'
import type { Task } from '../../components/due-tasks.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { LongTextField } from '../../ui/field.tsx'
import { FormBody, useSchemaForm } from '../../ui/form.tsx'
import { showToast } from '../../ui/toast.tsx'
import { getPersonName } from './labels.ts'

export function SkipDialog({ task, onClose }: { task: Task; onClose: () => void }) {
  const skip = useOperationMutation('skipTask', 'listTasks', 'getProspect', 'getLinkedinConversation')
  const isDraft = task.linkedinMessageId !== undefined
  const form = useSchemaForm(skipTask.input, {
    values: { taskId: task.id, reason: '' },
    onSubmit: async input => {
      await skip(input)
      showToast(
        isDraft
          ? 'Task skipped. The message is a draft in the inbox again.'
          : `Task skipped. ${getPersonName(task)} continues the sequence.`,
      )
      onClose()
    },
  })
  return (
    <Dialog isOpen onClose={onClose} title={`Skip task for ${getPersonName(task)}?`}>
      <FormBody form={form} submit="Skip task">
        <p className="text-muted">
          {isDraft
            ? 'The message isn’t sent. It stays in the inbox as a draft.'
            : 'The next step of the campaign follows after its delay.'}
        </p>
        <LongTextField label="Reason" isOptional help="Stored with the task." {...form.field('reason')} />
      </FormBody>
    </Dialog>
  )
}
