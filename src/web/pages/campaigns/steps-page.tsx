import { getRouteApi } from '@tanstack/react-router'
import { useOperation } from '../../api.ts'
import { Loaded } from '../../ui/loaded.tsx'
import { FormSkeleton } from '../../ui/skeleton.tsx'
import { CampaignKnowledge } from './knowledge.tsx'
import { Steps } from './steps.tsx'

const route = getRouteApi('/shell/campaigns/$campaignId/steps')

/** The sequence of a campaign. */
export function CampaignStepsPage() {
  const { campaignId } = route.useParams()
  const campaign = useOperation('getCampaign', { campaignId })
  return (
    <Loaded query={campaign} skeleton={<FormSkeleton fields={3} />}>
      {({ steps }) => (
        <>
          <p className="mb-3 text-muted">Each prospect goes through these steps in order until they reply.</p>
          <Steps steps={steps} stats={undefined} />
          <CampaignKnowledge campaignId={campaignId} />
        </>
      )}
    </Loaded>
  )
}
