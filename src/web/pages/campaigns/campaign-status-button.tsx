import { Link, useMatchRoute } from '@tanstack/react-router'
import { useState } from 'react'
import type { Output } from '../../../contract/index.ts'
import { useOperationMutation } from '../../api.ts'
import { appendInFlightNote } from '../../components/in-flight.ts'
import { Button, buttonClass } from '../../ui/button.tsx'
import { showToast } from '../../ui/toast.tsx'

type Campaign = Output<'getCampaign'>

const affected = ['getCampaign', 'listCampaigns', 'getCampaignStats'] as const

/** Links to the review of a draft; pauses or resumes a launched campaign, even a completed one. */
export function CampaignStatusButton({ campaign }: { campaign: Campaign }) {
  const isReviewing = useMatchRoute()({ to: '/campaigns/$campaignId/review' })
  if (campaign.isArchived) return null
  if (campaign.status === 'draft')
    return (
      !isReviewing && (
        <Link
          to="/campaigns/$campaignId/review"
          params={{ campaignId: campaign.id }}
          className={buttonClass('primary')}
        >
          Review and launch
        </Link>
      )
    )
  return <PauseOrResume campaign={campaign} />
}

/** Pauses or resumes the campaign immediately. The toast offers an undo, unless the campaign was completed. */
function PauseOrResume({ campaign: { id, name, status } }: { campaign: Campaign }) {
  const pause = useOperationMutation('pauseCampaign', ...affected)
  const resume = useOperationMutation('resumeCampaign', ...affected)
  const [isBusy, setBusy] = useState(false)
  const isActive = status === 'active'
  const handleClick = async () => {
    setBusy(true)
    try {
      const text = isActive
        ? appendInFlightNote(
            `${name} paused. Nothing more will be sent.`,
            (await pause({ campaignId: id })).inFlight,
          )
        : await resume({ campaignId: id }).then(() => `${name} resumed.`)
      const undo = isActive ? resume : pause
      const handleUndo = () => void undo({ campaignId: id }).catch(error => showToast(error.message))
      showToast(text, status === 'completed' ? undefined : handleUndo)
    } catch (error) {
      showToast((error as Error).message)
    }
    setBusy(false)
  }
  return (
    <Button look={isActive ? 'secondary' : 'primary'} isBusy={isBusy} onClick={handleClick}>
      {isActive ? 'Pause campaign' : 'Resume campaign'}
    </Button>
  )
}
