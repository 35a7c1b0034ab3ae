import { useOperation, useOperationMutation } from '../../api.ts'
import { ConfirmDialog } from '../../ui/dialog.tsx'
import { formatDateTime, Time } from '../../ui/time.tsx'
import { showToast } from '../../ui/toast.tsx'
import { formatLocalTime } from './local-time.ts'
import { type CallRequest, getTimezones, isRefusal } from './request-card.tsx'

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
  const { data } = useOperation('getCallRequest', { callRequestId })
  const refusal = data?.warnings?.find(isRefusal)
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
      {refusal ? (
        <>The call would be refused. {refusal.advice}</>
      ) : (
        <>
          {phoneNumber} will be dialed on your behalf{' '}
          <DialTime request={request} callableAt={data?.callableAt} />. A call can’t be undone once it has
          started.
        </>
      )}
    </ConfirmDialog>
  )
}

type DialTimeProps = { request: CallRequest; callableAt: string | undefined }

/** Shows the time of the call in the recipient's time zone and in the user's own. */
function DialTime({ request, callableAt }: DialTimeProps) {
  if (!callableAt) return 'as soon as calling hours allow'
  const at = new Date(callableAt)
  if (at.getTime() - Date.now() < IMMEDIATE_MS) {
    return `right away (${formatLocalTime(getTimezones(request), new Date())} their time)`
  }
  return (
    <>
      <Time at={callableAt} /> ({formatLocalTime(getTimezones(request), at)} their time, {formatDateTime(at)}{' '}
      your time)
    </>
  )
}
