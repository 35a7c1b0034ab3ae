import { recordLinkedinMessage } from '../../../contract/inbox.ts'
import { useOperationMutation } from '../../api.ts'
import { conversationReads } from '../../components/conversations.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { LongTextField, SelectField } from '../../ui/field.tsx'
import { FormBody, useSchemaForm } from '../../ui/form.tsx'
import { showToast } from '../../ui/toast.tsx'

type Props = { to: { prospectId: string; repId: string; name: string }; onClose: () => void }

/** Records a message written on LinkedIn itself, for reps without a connected account. */
export function RecordMessageDialog({ to: { prospectId, repId, name }, onClose }: Props) {
  const record = useOperationMutation(
    'recordLinkedinMessage',
    ...(['getLinkedinConversation', ...conversationReads, 'getProspect', 'listTasks'] as const),
  )
  const form = useSchemaForm(recordLinkedinMessage.input, {
    values: { prospectId, repId, type: 'received', text: '' },
    onSubmit: async input => {
      await record(input)
      showToast('Message recorded.')
      onClose()
    },
  })
  return (
    <Dialog isOpen onClose={onClose} title="Record message">
      <FormBody form={form} submit="Record message">
        <SelectField
          label="Sender"
          help="Recording a message pauses the prospect’s sequences."
          {...form.field('type')}
        >
          <option value="received">{name}</option>
          <option value="manual">You, on LinkedIn</option>
        </SelectField>
        <LongTextField label="Message" rows={5} {...form.field('text')} />
      </FormBody>
    </Dialog>
  )
}
