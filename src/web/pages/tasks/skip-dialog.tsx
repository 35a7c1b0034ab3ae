import { skipTask } from '../../../contract/tasks.ts'
import { useOperationMutation } from '../../api.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { LongTextField } from '../../ui/field.tsx'
import { FormBody, useSchemaForm } from '../../ui/form.tsx'
import { showToast } from '../../ui/toast.tsx'
import type { Task } from './due-tasks.ts'
import { nameOf } from './labels.ts'

export function SkipDialog({ task, onClose }: { task: Task; onClose: () => void }) {
  const skip = useOperationMutation('skipTask', 'listTasks', 'getProspect', 'getLinkedinConversation')
  const isDraft = task.linkedinMessageId !== undefined
  const form = useSchemaForm(skipTask.input, {
    values: { taskId: task.id, reason: '' },
    onSubmit: async input => {
      await skip(input)
      showToast(isDraft ? 'It is a draft in the inbox again.' : `Skipped. ${nameOf(task)} goes on.`)
      onClose()
    },
  })
  return (
    <Dialog isOpen onClose={onClose} title={`Skip the task about ${nameOf(task)}?`}>
      <FormBody form={form} submit="Skip task">
        <p className="text-muted">
          {isDraft
            ? 'The message is not sent. It stays in the inbox as a draft.'
            : 'It is not done, and the next step of the campaign follows after its delay.'}
        </p>
        <LongTextField label="Reason" isOptional help="Kept with the task." {...form.field('reason')} />
      </FormBody>
    </Dialog>
  )
}
