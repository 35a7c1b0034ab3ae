import { useOperation, useOperationMutation } from '../../api.ts'
import { ConfirmDialog } from '../../ui/dialog.tsx'
import { formatDateTime, Time } from '../../ui/time.tsx'
import { showToast } from '../../ui/toast.tsx'
import { formatLocalTime } from './local-time.ts'
import { type CallRequest, getTimezones } from './request-card.tsx'

/** A call due within this time is dialed right away. */
const IMMEDIATE_MS = 60_000

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
      {phoneNumber} will be dialed on your behalf <DialTime request={request} />. A call can’t be undone once
      it has started.
    </ConfirmDialog>
  )
}

/** Shows the time of the call in the recipient's time zone and in the user's own. */
function DialTime({ request }: { request: CallRequest }) {
  const { data } = useOperation('getCallRequest', { callRequestId: request.id })
  if (!data) return 'as soon as calling hours allow'
  if (!data.callableAt) return 'only within calling hours, which don’t overlap across the number’s time zones'
  const at = new Date(data.callableAt)
  if (at.getTime() - Date.now() < IMMEDIATE_MS) {
    return `right away (${formatLocalTime(getTimezones(request), new Date())} their time)`
  }
  return (
    <>
      <Time at={data.callableAt} /> ({formatLocalTime(getTimezones(request), at)} their time,{' '}
      {formatDateTime(at)} your time)
    </>
  )
}
