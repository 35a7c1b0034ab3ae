import { declineCallRequest } from '../../../contract/call-requests.ts'
import { useOperationMutation } from '../../api.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { LongTextField } from '../../ui/field.tsx'
import { FormBody, useSchemaForm } from '../../ui/form.tsx'
import { showToast } from '../../ui/toast.tsx'
import type { CallRequest } from './request-card.tsx'

export function DeclineDialog({ request, onClose }: { request: CallRequest; onClose: () => void }) {
  const { id: callRequestId, name } = request
  const decline = useOperationMutation('declineCallRequest', 'listCallRequests', 'getCallRequest')
  const form = useSchemaForm(declineCallRequest.input, {
    values: { callRequestId, reason: '' },
    onSubmit: async input => {
      await decline(input)
      showToast(`Call to ${name} declined.`)
      onClose()
    },
  })
  return (
    <Dialog isOpen onClose={onClose} title={`Decline the call to ${name}?`}>
      <FormBody form={form} submit="Decline call">
        <LongTextField label="Reason" isOptional help="Shown to the requester." {...form.field('reason')} />
      </FormBody>
    </Dialog>
  )
}
