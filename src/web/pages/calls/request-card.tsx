import { Link } from '@tanstack/react-router'
import type { Output } from '../../../contract/index.ts'
import { useOperation } from '../../api.ts'
import { Badge, type Tone } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { DescriptionList } from '../../ui/description-list.tsx'
import { Time } from '../../ui/time.tsx'
import { CallData } from './call-data.tsx'
import { localTime } from './local-time.ts'

export type CallRequest = Output<'listCallRequests'>['data'][number]

const tones: Record<CallRequest['status'], Tone> = {
  waiting: 'amber',
  approved: 'green',
  declined: 'red',
  expired: 'neutral',
}

type Props = { request: CallRequest; onDecide?: ((to: 'approve' | 'decline') => void) | undefined }

/** Everything that somebody has to know to decide; all of it as text, since others wrote it. */
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
        <Badge tone={tones[status]}>{status}</Badge>
      </header>
      <p className="mb-3 max-w-[72ch] whitespace-pre-wrap break-words">{reason}</p>
      <DescriptionList
        facts={{
          Number: phoneNumber,
          'Their time': isWaiting && localTime(getTimezones(request), new Date()),
          Email: request.email,
          Assistant: <AssistantName assistantId={request.assistantId} />,
          'Hands over to': callTransfer?.phoneNumber,
          'Asked by': <AskedBy request={request} />,
          Expires: isWaiting && <Time at={request.expiresAt} />,
          'Decided by': request.decidedAt && <DecidedBy request={request} />,
          'Why not': request.declineReason,
        }}
      />
      {isWaiting && <Warnings callRequestId={request.id} />}
      <CallData label="What the assistant would be told" data={data} />
      {isWaiting && onDecide && (
        <div className="mt-4 flex flex-wrap gap-2">
          <Button look="primary" aria-label={`Approve call to ${name}`} onClick={() => onDecide('approve')}>
            Approve call
          </Button>
          <Button aria-label={`Decline call to ${name}`} onClick={() => onDecide('decline')}>
            Decline
          </Button>
        </div>
      )}
    </article>
  )
}

/** What whoever approves would find out afterwards. */
function Warnings({ callRequestId }: { callRequestId: string }) {
  const { data } = useOperation('getCallRequest', { callRequestId })
  if (!data?.warnings?.length) return null
  return (
    <ul aria-label="Warnings" className="mt-3 grid max-w-[72ch] gap-2">
      {data.warnings.map(({ reason, advice }) => (
        <li key={reason} className="flex flex-wrap items-baseline gap-x-2">
          <Badge tone={reason === 'calling_hours' ? 'neutral' : 'amber'}>{warningLabels[reason]}</Badge>
          <span className="min-w-0 break-words">
            {reason === 'calling_hours' && data.callableAt ? (
              <>
                It is outside calling hours there. Earliest start: <Time at={data.callableAt} />.
              </>
            ) : (
              advice
            )}
          </span>
        </li>
      ))}
    </ul>
  )
}

const warningLabels = {
  do_not_contact: 'would be refused',
  no_consent: 'would be refused',
  no_calling_hours: 'would be refused',
  calling_hours: 'would wait',
}

/** The zone that was given says more than all those of the number. */
export const getTimezones = ({ timezone, timezones }: CallRequest): string[] =>
  timezone ? [timezone] : timezones

function AssistantName({ assistantId }: { assistantId: string }) {
  const { data } = useOperation('listAssistants', { limit: 100 })
  return data?.data.find(({ id }) => id === assistantId)?.name ?? 'An assistant'
}

const AskedBy = ({ request: { requestedByName, requestedByApp, createdAt } }: { request: CallRequest }) => (
  <>
    {requestedByApp && <>{requestedByApp}, for </>}
    {requestedByName ?? 'a former member'}, <Time at={createdAt} />
  </>
)

const DecidedBy = ({ request: { decidedByName, decidedAt, callId } }: { request: CallRequest }) => (
  <>
    {decidedByName ?? 'a former member'}, <Time at={decidedAt!} />
    {callId && (
      <>
        {': '}
        <Link to="/calls/$callId" params={{ callId }} className="text-accent underline">
          see the call
        </Link>
      </>
    )}
  </>
)
