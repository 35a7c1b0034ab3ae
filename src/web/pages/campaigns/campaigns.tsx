import { Link } from '@tanstack/react-router'
import type { Output } from '../../../contract/index.ts'
import { usePages } from '../../api.ts'
import { EmptyState } from '../../ui/empty-state.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import { Page } from '../../ui/page.tsx'
import { TableSkeleton } from '../../ui/skeleton.tsx'
import { Table } from '../../ui/table.tsx'
import { Time } from '../../ui/time.tsx'
import { CampaignStatusBadge } from './campaign-status.tsx'

type Campaign = Output<'listCampaigns'>['data'][number]

export function CampaignsPage() {
  const { query, more } = usePages('listCampaigns', {})
  return (
    <Page title="Campaigns" intro="Email, LinkedIn and call sequences.">
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
              Create a campaign through the API or the command line, and it appears here with its results.
              <a href="/docs" className="text-accent underline">
                Read the API documentation
              </a>
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
