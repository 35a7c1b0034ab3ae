import { skipTask } from '../../../contract/tasks.ts'
import { useOperationMutation } from '../../api.ts'
import type { Task } from '../../components/due-tasks.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { LongTextField } from '../../ui/field.tsx'
import { FormBody, useSchemaForm } from '../../ui/form.tsx'
import { showToast } from '../../ui/toast.tsx'
import { getPersonName, isUserTask } from './labels.ts'
import { useTaskUpdates } from './use-task-updates.ts'

export function SkipDialog({ task, onClose }: { task: Task; onClose: () => void }) {
  const skip = useOperationMutation(
    'skipTask',
    'listTasks',
    'getProspect',
    'getLinkedinConversation',
    'getPersonTimeline',
  )
  const { reopen } = useTaskUpdates()
  const isDraft = task.linkedinMessageId !== undefined
  const form = useSchemaForm(skipTask.input, {
    values: { taskId: task.id, reason: '' },
    onSubmit: async input => {
      await skip(input)
      if (isUserTask(task)) showToast('Task skipped.', () => void reopen([task], 'Undone.'))
      else
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
        <p className="text-muted">{getConsequence(task)}</p>
        <LongTextField label="Reason" isOptional help="Stored with the task." {...form.field('reason')} />
      </FormBody>
    </Dialog>
  )
}

const getConsequence = (task: Task): string => {
  if (task.linkedinMessageId) return 'The message isn’t sent. It stays in the inbox as a draft.'
  if (isUserTask(task)) return 'The task is closed without being done.'
  return 'The next step of the campaign follows after its delay.'
}
