import { getRouteApi, Link } from '@tanstack/react-router'
import { useAnswer } from '../../api.ts'
import { Facts } from '../../ui/facts.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import { Card, Page, Section } from '../../ui/page.tsx'
import { FormSkeleton } from '../../ui/skeleton.tsx'
import { formatDuration, Time } from '../../ui/time.tsx'
import { DataOf } from './data-of.tsx'
import { type Call, holds, reasons, State } from './state.tsx'

const route = getRouteApi('/shell/calls/$callId')

export function CallPage() {
  const { callId } = route.useParams()
  const query = useAnswer('getCall', { callId })
  const { data: call } = query
  return (
    <Page
      above={
        <Link to="/calls" className="text-accent underline-offset-2 hover:underline">
          Calls
        </Link>
      }
      title={call ? `Call ${call.callType === 'inbound' ? 'from' : 'to'} ${whoOf(call)}` : 'Call'}
      intro={call && <State call={call} />}
    >
      <Loaded query={query} skeleton={<FormSkeleton fields={3} />}>
        {found => (
          <>
            <Card>
              <FactsOf call={found} />
              <DataOf label="What the assistant was told" data={found.data} />
              <DataOf label="What the assistant found out" data={found.extractedData} />
            </Card>
            {found.summary && (
              <Section title="Summary">
                <p className="max-w-[72ch] whitespace-pre-wrap">{found.summary}</p>
              </Section>
            )}
            <Transcript call={found} />
          </>
        )}
      </Loaded>
    </Page>
  )
}

const numberOf = ({ callType, from, to }: Call): string => (callType === 'inbound' ? from : to)
const whoOf = (call: Call): string => call.personName ?? numberOf(call)

function FactsOf({ call }: { call: Call }) {
  const { assistantId, callType, from, to, startedAt, duration, notBefore, heldBy } = call
  const { data: assistants } = useAnswer('listAssistants', { limit: 100 })
  return (
    <Facts
      facts={{
        Number: numberOf(call),
        [callType === 'inbound' ? 'Called' : 'Called from']: callType === 'inbound' ? to : from,
        Assistant: assistants?.data.find(({ id }) => id === assistantId)?.name,
        Began: startedAt && <Time at={startedAt} />,
        Length: duration ? formatDuration(duration) : undefined,
        Waits: notBefore && (
          <>
            {heldBy && holds[heldBy]}, until <Time at={notBefore} /> at least
          </>
        ),
        Reason: call.outcomeReason && (reasons[call.outcomeReason] ?? call.outcomeReason),
        'What to do': call.outcomeAdvice,
        'Ended because': call.endReason,
        Cost: call.cost && `${call.cost.amount} ${call.cost.currency}`,
      }}
    />
  )
}

function Transcript({ call }: { call: Call }) {
  const { transcript, status } = call
  if (!transcript || transcript.length === 0) {
    if (status !== 'ended') return null
    return <p className="mt-6 text-muted">Nothing was said that anybody wrote down.</p>
  }
  return (
    <Section title="Transcript">
      <ol aria-label="Transcript" className="grid grid-cols-1 gap-2.5">
        {transcript.map(({ role, text, at }, index) => (
          <li
            // biome-ignore lint/suspicious/noArrayIndexKey: turns never change their place
            key={index}
            className={`max-w-[72ch] rounded-card border border-line px-4 py-2.5 ${role === 'person' ? 'bg-surface' : 'bg-sunken/60'}`}
          >
            <p className="flex justify-between gap-4 text-sm">
              <span className="font-medium">{role === 'person' ? whoOf(call) : 'Assistant'}</span>
              <span className="text-muted tabular-nums">{formatDuration(at)}</span>
            </p>
            <p className="whitespace-pre-wrap break-words">{text}</p>
          </li>
        ))}
      </ol>
    </Section>
  )
}
