import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { useOperation, useOperationMutation, usePermission } from '../../api.ts'
import { FixProspect } from '../../components/fix-prospect.tsx'
import { appendInFlightNote } from '../../components/in-flight.ts'
import { NextStep } from '../../components/next-step.tsx'
import type { Person } from '../../components/person-name.ts'
import { statusLabels } from '../../components/prospect-statuses.ts'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { ConfirmDialog } from '../../ui/dialog.tsx'
import { Section } from '../../ui/page.tsx'
import { showToast } from '../../ui/toast.tsx'

type ProspectSummary = NonNullable<Person['prospects']>[number]

const endedStatuses = new Set(['stopped', 'completed', 'bounced', 'opted_out', 'replied'])

/** Shows the person's campaigns with status, next step and actions. */
export function PersonCampaigns({ person }: { person: Person }) {
  const { prospects = [] } = person
  return (
    <Section title="Campaigns">
      {prospects.length === 0 ? (
        <p className="text-muted">Not in any campaign.</p>
      ) : (
        <ul aria-label="Campaigns" className="grid gap-4">
          {prospects.map(summary => (
            <li key={summary.id}>
              <ProspectCard summary={summary} person={person} />
            </li>
          ))}
        </ul>
      )}
    </Section>
  )
}

type CardProps = { summary: ProspectSummary; person: Person }

function ProspectCard({ summary: { id, campaignId, campaign }, person }: CardProps) {
  const { data: prospect } = useOperation('getProspect', { prospectId: id })
  const canEdit = usePermission('Prospect.EditProspect')
  const status = prospect?.status
  return (
    <>
      <p className="flex flex-wrap items-center gap-x-2">
        <Link
          to="/campaigns/$campaignId"
          params={{ campaignId }}
          className="wrap-anywhere font-medium underline-offset-2 hover:underline"
        >
          {campaign}
        </Link>
        {status && <Badge>{statusLabels[status]}</Badge>}
      </p>
      <NextStep prospectId={id}>
        {canEdit && status && !endedStatuses.has(status) && (
          <StopButton prospectId={id} campaign={campaign} />
        )}
      </NextStep>
      {canEdit && prospect && (
        <div className="mt-2 empty:hidden">
          <FixProspect prospect={prospect} person={person} />
        </div>
      )}
    </>
  )
}

function StopButton({ prospectId, campaign }: { prospectId: string; campaign: string }) {
  const [isConfirming, setConfirming] = useState(false)
  const stop = useOperationMutation(
    'stopProspects',
    'getProspect',
    'getPerson',
    'listPersons',
    'getPersonTimeline',
  )
  return (
    <>
      <Button size="small" look="danger" onClick={() => setConfirming(true)}>
        Stop sequence
      </Button>
      <ConfirmDialog
        isOpen={isConfirming}
        title={`Stop “${campaign}” for this person?`}
        confirm="Stop sequence"
        onCancel={() => setConfirming(false)}
        onConfirm={async () => {
          const { inFlight } = await stop({ prospectIds: [prospectId] })
          showToast(appendInFlightNote('Sequence stopped.', inFlight))
          setConfirming(false)
        }}
      >
        The sequence’s queued messages, open tasks and calls are withdrawn. A stopped sequence can’t be
        resumed. To resume it later, pause it instead.
      </ConfirmDialog>
    </>
  )
}
