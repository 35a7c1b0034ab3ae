import { getRouteApi, Link } from '@tanstack/react-router'
import { useOperation, usePermission } from '../../api.ts'
import { getConversationPath } from '../../components/conversations.ts'
import { formatCode } from '../../components/format-code.ts'
import { DescriptionList } from '../../ui/description-list.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import { Card, Page, Section } from '../../ui/page.tsx'
import { prose } from '../../ui/prose.ts'
import { FormSkeleton } from '../../ui/skeleton.tsx'
import { formatDuration, Time } from '../../ui/time.tsx'
import { CallActions } from './call-actions.tsx'
import { CallData } from './call-data.tsx'
import {
  type Call,
  CallStatusBadge,
  formatReason,
  getContactName,
  getOwnNumber,
  getPhoneNumber,
  holdReasons,
} from './call-status.tsx'
import { CallTranscript } from './call-transcript.tsx'

const route = getRouteApi('/shell/calls/$callId')

const linkClass = 'text-accent underline-offset-2 hover:underline'

export function CallPage() {
  const { callId } = route.useParams()
  const query = useOperation('getCall', { callId })
  const { data: call } = query
  return (
    <Page
      above={
        <Link to="/calls" className={linkClass}>
          Calls
        </Link>
      }
      title={call ? `Call ${call.callType === 'outbound' ? 'to' : 'from'} ${getContactName(call)}` : 'Call'}
      intro={call && <CallStatusBadge call={call} />}
      action={call && <CallActions call={call} />}
    >
      <Loaded query={query} skeleton={<FormSkeleton fields={3} />}>
        {call => (
          <>
            <Card>
              <CallDetails call={call} />
              <CallData label="Data given to the assistant" data={call.data} />
              <CallData label="Data collected during the call" data={call.extractedData} />
            </Card>
            {call.summary && (
              <Section title={call.assistantId ? 'Summary' : 'Notes'}>
                <p className={prose}>{call.summary}</p>
              </Section>
            )}
            <CallTranscript call={call} />
          </>
        )}
      </Loaded>
    </Page>
  )
}

function CallDetails({ call }: { call: Call }) {
  const { assistantId, repId, callType, createdAt, startedAt, endedAt, duration, notBefore, heldBy } = call
  const { data: assistants } = useOperation('listAssistants', { limit: 100 })
  const { data: reps } = useOperation('listReps', { limit: 100 })
  return (
    <DescriptionList
      items={{
        Person: call.personId && <PersonLinks call={call} personId={call.personId} />,
        [callType === 'web' ? 'Called from' : 'Number']: getPhoneNumber(call),
        [callType === 'outbound' ? 'Called from' : 'Called']: getOwnNumber(call),
        Assistant: assistants?.data.find(({ id }) => id === assistantId)?.name,
        Rep: reps?.data.find(({ id }) => id === repId)?.name,
        Campaign: call.campaignId && <CampaignLink call={call} campaignId={call.campaignId} />,
        Created: !startedAt && <Time at={createdAt} />,
        Started: startedAt && <Time at={startedAt} />,
        Ended: !startedAt && endedAt && <Time at={endedAt} />,
        Duration: duration ? formatDuration(duration) : undefined,
        'Reason for waiting': heldBy && holdReasons[heldBy],
        'Earliest start': notBefore && <Time at={notBefore} />,
        Reason: call.outcomeReason && formatReason(call.outcomeReason),
        'Next step': call.outcomeAdvice,
        'End reason': call.endReason && formatCode(call.endReason),
        Cost: call.cost && `${call.cost.amount} ${call.cost.currency}`,
      }}
    />
  )
}

/** Shows the person and the latest conversation with them. */
function PersonLinks({ call, personId }: { call: Call; personId: string }) {
  const canRead = usePermission('Inbox.ReadInbox')
  const { data } = useOperation(
    'listConversations',
    { personId, view: 'all', limit: 1 },
    { isEnabled: canRead },
  )
  const conversation = data?.data[0]
  return (
    <span className="flex flex-wrap gap-x-3">
      <Link to="/people/$personId" params={{ personId }} className={linkClass}>
        {call.personName ?? 'Open person'}
      </Link>
      {conversation && (
        <Link to={getConversationPath(conversation) as '/inbox'} className={linkClass}>
          Open conversation
        </Link>
      )}
    </span>
  )
}

function CampaignLink({ call: { stepId, attempt }, campaignId }: { call: Call; campaignId: string }) {
  const { data: campaign } = useOperation('getCampaign', { campaignId })
  const step = campaign?.steps.find(({ id }) => id === stepId)
  return (
    <>
      <Link to="/campaigns/$campaignId/prospects" params={{ campaignId }} className={linkClass}>
        {campaign?.name ?? 'Campaign'}
      </Link>
      {step && `, step ${step.position}`}, attempt {attempt}
    </>
  )
}
