import { getRouteApi } from '@tanstack/react-router'
import { useOperation, usePermission } from '../../api.ts'
import { Loaded } from '../../ui/loaded.tsx'
import { FormSkeleton } from '../../ui/skeleton.tsx'
import { StepEditor } from './step-editor.tsx'
import { Steps } from './steps.tsx'

const route = getRouteApi('/shell/campaigns/$campaignId/steps')

/** Shows the sequence of a campaign. */
export function CampaignStepsPage() {
  const { campaignId } = route.useParams()
  const { step } = route.useSearch()
  const campaign = useOperation('getCampaign', { campaignId })
  const canEdit = usePermission('Campaign.EditCampaign')
  return (
    <Loaded query={campaign} skeleton={<FormSkeleton fields={3} />}>
      {data =>
        canEdit && !data.isArchived ? (
          <StepEditor key={campaignId} campaign={data} openAt={step} />
        ) : (
          <>
            <p className="mb-3 text-muted">
              Each prospect goes through these steps in order until they reply.
            </p>
            <Steps steps={data.steps} stats={undefined} />
          </>
        )
      }
    </Loaded>
  )
}
