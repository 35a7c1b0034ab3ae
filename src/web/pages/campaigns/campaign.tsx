import { getRouteApi, Link } from '@tanstack/react-router'
import { useAnswer, useMay } from '../../api.ts'
import { Loaded } from '../../ui/loaded.tsx'
import { Page, Section } from '../../ui/page.tsx'
import { FormSkeleton, TableSkeleton } from '../../ui/skeleton.tsx'
import { KnowledgeOf } from './knowledge.tsx'
import { MoveButton } from './move-button.tsx'
import { State } from './state.tsx'
import { DaysOf, NumbersOf, ProspectsOf } from './stats.tsx'
import { Steps } from './steps.tsx'

const route = getRouteApi('/shell/campaigns/$campaignId')

export function CampaignPage() {
  const { campaignId } = route.useParams()
  const query = useAnswer('getCampaign', { campaignId })
  const stats = useAnswer('getCampaignStats', { campaignId })
  const mayEdit = useMay('Campaign.EditCampaign')
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
            <State status={campaign.status} />
            {campaign.health && <p className="mt-2 text-amber">{campaign.health}</p>}
          </>
        )
      }
      action={campaign && mayEdit && <MoveButton campaign={campaign} prospects={stats.data?.enrolled} />}
    >
      <Loaded query={query} skeleton={<FormSkeleton fields={3} />}>
        {({ steps }) => (
          <>
            <Loaded query={stats} skeleton={<TableSkeleton rows={2} />}>
              {found => (
                <>
                  <NumbersOf steps={steps} stats={found} />
                  <DaysOf stats={found} />
                  <ProspectsOf stats={found} />
                </>
              )}
            </Loaded>
            <Section title="Steps" intro="What each prospect gets, one after the other, until they answer.">
              <Steps steps={steps} stats={stats.data} />
            </Section>
            <KnowledgeOf campaignId={campaignId} />
          </>
        )}
      </Loaded>
    </Page>
  )
}
