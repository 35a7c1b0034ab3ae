import { useState } from 'react'
import { useOperation, useOperationMutation, usePermission, useRepPermission } from '../../api.ts'
import { Button } from '../../ui/button.tsx'
import { ConfirmDialog } from '../../ui/dialog.tsx'
import { showToast } from '../../ui/toast.tsx'
import { type Call, getContactName } from './call-status.tsx'

/** Cancels a queued call. A campaign's call is cancelled by stopping its prospect instead. */
export function CallActions({ call }: { call: Call }) {
  const { id: callId, status, stepId, repId } = call
  const [isConfirming, setConfirming] = useState(false)
  const cancel = useOperationMutation('cancelCall', 'getCall', 'listCalls', 'getPersonTimeline')
  const canCall = usePermission('Call.TriggerCall')
  const { data: reps } = useOperation('listReps', { limit: 100 }, { isEnabled: canCall })
  const canCallFor = useRepPermission('Call.TriggerCall')
  if (status !== 'queued' || stepId || !canCallFor(reps?.data.find(({ id }) => id === repId))) return null
  return (
    <>
      <Button onClick={() => setConfirming(true)}>Cancel call</Button>
      <ConfirmDialog
        isOpen={isConfirming}
        title={`Cancel the call to ${getContactName(call)}?`}
        confirm="Cancel call"
        cancel="Keep call"
        onCancel={() => setConfirming(false)}
        onConfirm={async () => {
          await cancel({ callId })
          showToast('Call cancelled.')
          setConfirming(false)
        }}
      >
        The call will not be placed.
      </ConfirmDialog>
    </>
  )
}
