import { Link } from '@tanstack/react-router'
import type { Output } from '../../../contract/index.ts'
import { usePages, usePermission } from '../../api.ts'
import { EmptyState } from '../../ui/empty-state.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import { Page } from '../../ui/page.tsx'
import { TableSkeleton } from '../../ui/skeleton.tsx'
import { Table } from '../../ui/table.tsx'
import { Time } from '../../ui/time.tsx'
import { CampaignStatusBadge } from './campaign-status.tsx'
import { NewCampaignButton } from './new-campaign.tsx'

type Campaign = Output<'listCampaigns'>['data'][number]

export function CampaignsPage() {
  const { query, more } = usePages('listCampaigns', {})
  const canEdit = usePermission('Campaign.EditCampaign')
  return (
    <Page
      title="Campaigns"
      intro="Email, LinkedIn and call sequences."
      action={canEdit && query.data !== undefined && query.data.length > 0 && <NewCampaignButton />}
    >
      <Loaded query={query} skeleton={<TableSkeleton />}>
        {rows =>
          rows.length > 0 ? (
            <Table
              label="Campaigns"
              rows={rows}
              more={more}
              columns={[
                { head: 'Name', cell: campaign => <CampaignLink campaign={campaign} /> },
                { head: 'Status', cell: ({ status }) => <CampaignStatusBadge status={status} /> },
                { head: 'Reps', cell: ({ repIds }) => repIds.length, isNumber: true, isMinor: true },
                {
                  head: 'Launched',
                  cell: ({ launchedAt }) => (launchedAt ? <Time at={launchedAt} /> : 'Not launched'),
                },
                { head: 'Updated', cell: ({ updatedAt }) => <Time at={updatedAt} />, isMinor: true },
              ]}
            />
          ) : (
            <EmptyState title="No campaigns yet">
              Your sequences of emails, LinkedIn messages and calls appear here with their results.
              {canEdit && <NewCampaignButton />}
            </EmptyState>
          )
        }
      </Loaded>
    </Page>
  )
}

const CampaignLink = ({ campaign: { id, name, status, health } }: { campaign: Campaign }) => (
  <>
    <Link
      to={status === 'draft' ? '/campaigns/$campaignId/steps' : '/campaigns/$campaignId'}
      params={{ campaignId: id }}
      className="block underline-offset-2 hover:underline"
    >
      {name}
    </Link>
    {health && <span className="block max-w-[60ch] text-amber text-xs">{health}</span>}
  </>
)
