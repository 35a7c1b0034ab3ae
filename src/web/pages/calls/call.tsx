import { getRouteApi, Link } from '@tanstack/react-router'
import { useOperation } from '../../api.ts'
import { DescriptionList } from '../../ui/description-list.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import { Card, Page, Section } from '../../ui/page.tsx'
import { FormSkeleton } from '../../ui/skeleton.tsx'
import { formatDuration, Time } from '../../ui/time.tsx'
import { CallData } from './call-data.tsx'
import {
  type Call,
  CallStatusBadge,
  getContactName,
  getPhoneNumber,
  holdReasons,
  toReason,
} from './call-status.tsx'
import { CallTranscript } from './call-transcript.tsx'

const route = getRouteApi('/shell/calls/$callId')

export function CallPage() {
  const { callId } = route.useParams()
  const query = useOperation('getCall', { callId })
  const { data: call } = query
  return (
    <Page
      above={
        <Link to="/calls" className="text-accent underline-offset-2 hover:underline">
          Calls
        </Link>
      }
      title={call ? `Call ${call.callType === 'outbound' ? 'to' : 'from'} ${getContactName(call)}` : 'Call'}
      intro={call && <CallStatusBadge call={call} />}
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
              <Section title="Summary">
                <p className="max-w-[72ch] whitespace-pre-wrap">{call.summary}</p>
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
  const { assistantId, callType, from, to, createdAt, startedAt, endedAt, duration, notBefore, heldBy } = call
  const { data: assistants } = useOperation('listAssistants', { limit: 100 })
  return (
    <DescriptionList
      items={{
        [callType === 'web' ? 'Called from' : 'Number']: getPhoneNumber(call),
        [callType === 'outbound' ? 'Called from' : 'Called']: callType === 'outbound' ? from : to,
        Assistant: assistants?.data.find(({ id }) => id === assistantId)?.name,
        Campaign: call.campaignId && <CampaignLink call={call} campaignId={call.campaignId} />,
        Created: !startedAt && <Time at={createdAt} />,
        Started: startedAt && <Time at={startedAt} />,
        Ended: !startedAt && endedAt && <Time at={endedAt} />,
        Duration: duration ? formatDuration(duration) : undefined,
        'Waiting for': heldBy && holdReasons[heldBy],
        'Earliest start': notBefore && <Time at={notBefore} />,
        Reason: call.outcomeReason && toReason(call.outcomeReason),
        'Next step': call.outcomeAdvice,
        'End reason': call.endReason,
        Cost: call.cost && `${call.cost.amount} ${call.cost.currency}`,
      }}
    />
  )
}

function CampaignLink({ call: { stepId, attempt }, campaignId }: { call: Call; campaignId: string }) {
  const { data: campaign } = useOperation('getCampaign', { campaignId })
  const step = campaign?.steps.find(({ id }) => id === stepId)
  return (
    <>
      <Link
        to="/campaigns/$campaignId/prospects"
        params={{ campaignId }}
        className="text-accent underline-offset-2 hover:underline"
      >
        {campaign?.name ?? 'Campaign'}
      </Link>
      {step && `, step ${step.position}`}, attempt {attempt}
    </>
  )
}
