import { getRouteApi, Link } from '@tanstack/react-router'
import { useOperation, usePermission } from '../../api.ts'
import { Loaded } from '../../ui/loaded.tsx'
import { Page, Section } from '../../ui/page.tsx'
import { FormSkeleton, TableSkeleton } from '../../ui/skeleton.tsx'
import { CampaignStatusBadge } from './campaign-status.tsx'
import { CampaignStatusButton } from './campaign-status-button.tsx'
import { CampaignKnowledge } from './knowledge.tsx'
import { CampaignMetrics, DailyCharts, ProspectStatuses } from './stats.tsx'
import { Steps } from './steps.tsx'

const route = getRouteApi('/shell/campaigns/$campaignId')

export function CampaignPage() {
  const { campaignId } = route.useParams()
  const query = useOperation('getCampaign', { campaignId })
  const stats = useOperation('getCampaignStats', { campaignId })
  const canEdit = usePermission('Campaign.EditCampaign')
  const { data: campaign } = query
  return (
    <Page
      above={
        <Link to="/campaigns" className="text-accent underline-offset-2 hover:underline">
          Campaigns
        </Link>
      }
      title={campaign?.name ?? 'Campaign'}
      intro={
        campaign && (
          <>
            {campaign.description && <p className="mb-2">{campaign.description}</p>}
            <CampaignStatusBadge status={campaign.status} />
            {campaign.health && <p className="mt-2 text-amber">{campaign.health}</p>}
          </>
        )
      }
      action={
        campaign && canEdit && <CampaignStatusButton campaign={campaign} prospects={stats.data?.enrolled} />
      }
    >
      <Loaded query={query} skeleton={<FormSkeleton fields={3} />}>
        {({ steps }) => (
          <>
            <Loaded query={stats} skeleton={<TableSkeleton rows={2} />}>
              {stats => (
                <>
                  <CampaignMetrics steps={steps} stats={stats} />
                  <DailyCharts stats={stats} />
                  <ProspectStatuses stats={stats} />
                </>
              )}
            </Loaded>
            <Section title="Steps" intro="Each prospect goes through these steps in order until they reply.">
              <Steps steps={steps} stats={stats.data} />
            </Section>
            <CampaignKnowledge campaignId={campaignId} />
          </>
        )}
      </Loaded>
    </Page>
  )
}
