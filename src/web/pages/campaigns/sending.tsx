import { getRouteApi } from '@tanstack/react-router'
import { useOperation } from '../../api.ts'
import { Loaded } from '../../ui/loaded.tsx'
import { FormSkeleton } from '../../ui/skeleton.tsx'
import { CampaignForecast } from './forecast.tsx'
import { CampaignKnowledge } from './knowledge.tsx'
import { SendingForm } from './sending-form.tsx'

const route = getRouteApi('/shell/campaigns/$campaignId/sending')

/** Edits the sending settings of a campaign and shows the resulting forecast. */
export function CampaignSendingPage() {
  const { campaignId } = route.useParams()
  const query = useOperation('getCampaign', { campaignId })
  return (
    <Loaded query={query} skeleton={<FormSkeleton fields={5} />}>
      {campaign => (
        <div className="grid items-start gap-x-8 wide:grid-cols-[minmax(0,32rem)_minmax(0,1fr)]">
          <SendingForm key={campaign.id} campaign={campaign} />
          <div className="mt-8 min-w-0 wide:mt-0">
            <CampaignForecast campaign={campaign} />
            <CampaignKnowledge campaignId={campaignId} />
          </div>
        </div>
      )}
    </Loaded>
  )
}
