import { getRouteApi } from '@tanstack/react-router'
import { useOperation } from '../../api.ts'
import { Loaded } from '../../ui/loaded.tsx'
import { Section } from '../../ui/page.tsx'
import { FormSkeleton } from '../../ui/skeleton.tsx'
import { NextEmail } from './next-email.tsx'
import { PeriodResults } from './period-results.tsx'
import { DEFAULT_PERIOD } from './result-period.ts'
import { CampaignMetrics, DailyCharts, ProspectStatuses } from './stats.tsx'
import { Steps } from './steps.tsx'

const route = getRouteApi('/shell/campaigns/$campaignId/')

/** Shows the results of a campaign and of each step. */
export function CampaignResultsPage() {
  const { campaignId } = route.useParams()
  const { period = DEFAULT_PERIOD } = route.useSearch()
  const navigate = route.useNavigate()
  const campaign = useOperation('getCampaign', { campaignId })
  const stats = useOperation('getCampaignStats', { campaignId })
  return (
    <Loaded query={campaign} skeleton={<FormSkeleton fields={3} />}>
      {campaign => (
        <Loaded query={stats} skeleton={<FormSkeleton fields={3} />}>
          {stats => (
            <>
              {campaign.status === 'active' && <NextEmail campaign={campaign} />}
              <CampaignMetrics steps={campaign.steps} stats={stats} />
              <DailyCharts stats={stats} />
              <PeriodResults
                campaignId={campaignId}
                steps={campaign.steps}
                period={period}
                onPeriodChange={period => void navigate({ search: { period }, replace: true })}
              />
              <ProspectStatuses stats={stats} />
              <Section title="Steps" intro="Emails, replies, opt-outs and bounces by step and variant.">
                <Steps steps={campaign.steps} stats={stats} />
              </Section>
            </>
          )}
        </Loaded>
      )}
    </Loaded>
  )
}
