import { useState } from 'react'
import { useOperation, useOperationMutation, usePermission, useRepPermission } from '../../api.ts'
import { Button } from '../../ui/button.tsx'
import { ConfirmDialog } from '../../ui/dialog.tsx'
import { showToast } from '../../ui/toast.tsx'
import { type Call, getContactName } from './call-status.tsx'

/** Cancels a waiting call. Calls of campaigns are stopped with their prospect instead. */
export function CallActions({ call }: { call: Call }) {
  const { id: callId, status, stepId, repId } = call
  const [isAsking, setAsking] = useState(false)
  const cancel = useOperationMutation('cancelCall', 'getCall', 'listCalls', 'getPersonTimeline')
  const canCall = usePermission('Call.TriggerCall')
  const { data: reps } = useOperation('listReps', { limit: 100 }, { isEnabled: canCall })
  const canCallFor = useRepPermission('Call.TriggerCall')
  if (status !== 'queued' || stepId || !canCallFor(reps?.data.find(({ id }) => id === repId))) return null
  return (
    <>
      <Button onClick={() => setAsking(true)}>Cancel call</Button>
      <ConfirmDialog
        isOpen={isAsking}
        title={`Cancel the call to ${getContactName(call)}?`}
        confirm="Cancel call"
        cancel="Keep call"
        onCancel={() => setAsking(false)}
        onConfirm={async () => {
          await cancel({ callId })
          showToast('Call cancelled.')
          setAsking(false)
        }}
      >
        The call is never placed.
      </ConfirmDialog>
    </>
  )
}
