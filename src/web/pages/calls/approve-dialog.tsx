import { useOperation, useOperationMutation } from '../../api.ts'
import { ConfirmDialog } from '../../ui/dialog.tsx'
import { formatMoment, Time } from '../../ui/time.tsx'
import { showToast } from '../../ui/toast.tsx'
import { localTime } from './local-time.ts'
import { type CallRequest, getTimezones } from './request-card.tsx'

const MOMENT_MS = 60_000

export function ApproveDialog({ request, onClose }: { request: CallRequest; onClose: () => void }) {
  const { id: callRequestId, name, phoneNumber } = request
  const approve = useOperationMutation(
    'approveCallRequest',
    'listCallRequests',
    'getCallRequest',
    'listCalls',
  )
  return (
    <ConfirmDialog
      isOpen
      title={`Call ${name}?`}
      confirm="Approve call"
      look="primary"
      onCancel={onClose}
      onConfirm={async () => {
        await approve({ callRequestId })
        showToast(`The call to ${name} is queued.`)
        onClose()
      }}
    >
      {phoneNumber} is dialed <WhenDialed request={request} />, in your name. A call that has begun can't be
      taken back.
    </ConfirmDialog>
  )
}

/** By the clock of the person called, and by one's own. */
function WhenDialed({ request }: { request: CallRequest }) {
  const { data } = useOperation('getCallRequest', { callRequestId: request.id })
  if (!data) return 'as soon as calling hours allow'
  if (!data.callableAt) return 'only if calling hours allow it, which is never so in all zones of the number'
  const at = new Date(data.callableAt)
  if (at.getTime() - Date.now() < MOMENT_MS) {
    return `at once; it is ${localTime(getTimezones(request), new Date())} there`
  }
  return (
    <>
      <Time at={data.callableAt} />, when it is {localTime(getTimezones(request), at)} there (
      {formatMoment(at)} for you)
    </>
  )
}
