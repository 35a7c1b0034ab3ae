import { Link } from '@tanstack/react-router'
import type { Output } from '../../../contract/index.ts'
import { useOperation } from '../../api.ts'
import { Badge, type Tone } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { DescriptionList } from '../../ui/description-list.tsx'
import { prose } from '../../ui/prose.ts'
import { Time } from '../../ui/time.tsx'
import { CallData } from './call-data.tsx'
import { formatLocalTime } from './local-time.ts'

export type CallRequest = Output<'listCallRequests'>['data'][number]

const tones: Record<CallRequest['status'], Tone> = {
  waiting: 'amber',
  approved: 'green',
  declined: 'red',
  expired: 'neutral',
}

export const requestStatusLabels: Record<CallRequest['status'], string> = {
  waiting: 'Pending',
  approved: 'Approved',
  declined: 'Declined',
  expired: 'Expired',
}

type Props = { request: CallRequest; onDecide?: ((decision: 'approve' | 'decline') => void) | undefined }

/**
 * Shows a call request with everything needed to decide. All content is untrusted and rendered as plain text.
 */
export function RequestCard({ request, onDecide }: Props) {
  const { name, status, reason, data, callTransfer, phoneNumber } = request
  const isWaiting = status === 'waiting'
  return (
    <article
      aria-label={`Call to ${name}`}
      className="rounded-card border border-line bg-surface p-4 narrow:p-5"
    >
      <header className="mb-3 flex flex-wrap items-center justify-between gap-x-4 gap-y-1">
        <h2 className="min-w-0 break-words font-semibold text-lg">{name}</h2>
        <Badge tone={tones[status]}>{requestStatusLabels[status]}</Badge>
      </header>
      <p className={`mb-3 ${prose}`}>{reason}</p>
      <DescriptionList
        items={{
          'Phone number': phoneNumber,
          'Local time': isWaiting && formatLocalTime(getTimezones(request), new Date()),
          Email: request.email,
          Assistant: <AssistantName assistantId={request.assistantId} />,
          'Transfer number': callTransfer?.phoneNumber,
          'Requested by': <Requester request={request} />,
          Expires: isWaiting && <Time at={request.expiresAt} />,
          'Decided by': request.decidedAt && <DecidedBy request={request} />,
          'Decline reason': request.declineReason,
        }}
      />
      {isWaiting && <Warnings callRequestId={request.id} />}
      <CallData label="Data for the assistant" data={data} />
      {isWaiting && onDecide && (
        <div className="mt-4 flex flex-wrap gap-2">
          <Button look="primary" aria-label={`Approve call to ${name}`} onClick={() => onDecide('approve')}>
            Approve call
          </Button>
          <Button aria-label={`Decline call to ${name}`} onClick={() => onDecide('decline')}>
            Decline call
          </Button>
        </div>
      )}
    </article>
  )
}

/** Shows problems that would prevent or delay the call once approved. */
function Warnings({ callRequestId }: { callRequestId: string }) {
  const { data } = useOperation('getCallRequest', { callRequestId })
  if (!data?.warnings?.length) return null
  return (
    <ul aria-label="Warnings" className="mt-3 grid max-w-[72ch] gap-2">
      {data.warnings.map(warning => (
        <li key={warning.reason} className="flex flex-wrap items-baseline gap-x-2">
          {isRefusal(warning) ? (
            <Badge tone="amber">Would be refused</Badge>
          ) : (
            <Badge tone="neutral">Would be delayed</Badge>
          )}
          <span className="min-w-0 break-words">
            {!isRefusal(warning) && data.callableAt ? (
              <>
                Outside calling hours in their time zone. Earliest start: <Time at={data.callableAt} />.
              </>
            ) : (
              warning.advice
            )}
          </span>
        </li>
      ))}
    </ul>
  )
}

type Warning = NonNullable<Output<'getCallRequest'>['warnings']>[number]

/** Returns whether the problem would prevent the call; others only delay it. */
export const isRefusal = ({ reason }: Warning): boolean => reason !== 'calling_hours'

/** Returns the recipient's time zone or, when unknown, all time zones of the phone number. */
export const getTimezones = ({ timezone, timezones }: CallRequest): string[] =>
  timezone ? [timezone] : timezones

function AssistantName({ assistantId }: { assistantId: string }) {
  const { data } = useOperation('listAssistants', { limit: 100 })
  return data?.data.find(({ id }) => id === assistantId)?.name ?? 'Unknown assistant'
}

const Requester = ({ request: { requestedByName, requestedByApp, createdAt } }: { request: CallRequest }) => (
  <>
    {requestedByApp && <>{requestedByApp} for </>}
    {requestedByName ?? 'a former member'}, <Time at={createdAt} />
  </>
)

const DecidedBy = ({ request: { decidedByName, decidedAt, callId } }: { request: CallRequest }) => (
  <>
    {decidedByName ?? 'a former member'}, <Time at={decidedAt!} />
    {callId && (
      <>
        {'. '}
        <Link to="/calls/$callId" params={{ callId }} className="text-accent underline">
          View call
        </Link>
      </>
    )}
  </>
)
