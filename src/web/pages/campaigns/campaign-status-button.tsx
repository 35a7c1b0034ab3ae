import { useState } from 'react'
import type { Output } from '../../../contract/index.ts'
import { useOperationMutation } from '../../api.ts'
import { Button } from '../../ui/button.tsx'
import { ConfirmDialog } from '../../ui/dialog.tsx'
import { formatNumber } from '../../ui/time.tsx'
import { showToast } from '../../ui/toast.tsx'

type Campaign = Output<'getCampaign'>

const affected = ['getCampaign', 'listCampaigns', 'getCampaignStats'] as const

/** Launches, pauses or resumes a campaign, depending on its status. */
export function CampaignStatusButton({
  campaign,
  prospects,
}: {
  campaign: Campaign
  prospects: number | undefined
}) {
  if (campaign.isArchived) return null
  if (campaign.status === 'draft') return <Launch campaign={campaign} prospects={prospects} />
  if (campaign.status === 'completed') return null
  return <PauseOrResume campaign={campaign} />
}

/** Acts immediately; the toast offers to undo it. */
function PauseOrResume({ campaign: { id, name, status } }: { campaign: Campaign }) {
  const pause = useOperationMutation('pauseCampaign', ...affected)
  const resume = useOperationMutation('resumeCampaign', ...affected)
  const [isBusy, setBusy] = useState(false)
  const isActive = status === 'active'
  const [act, undo] = isActive ? [pause, resume] : [resume, pause]
  const handleClick = async () => {
    setBusy(true)
    try {
      await act({ campaignId: id })
      showToast(isActive ? `${name} paused. Nothing more will be sent.` : `${name} resumed.`, () => {
        undo({ campaignId: id }).catch(error => showToast(error.message))
      })
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

function Launch({
  campaign: { id, name },
  prospects,
}: {
  campaign: Campaign
  prospects: number | undefined
}) {
  const launch = useOperationMutation('launchCampaign', ...affected)
  const [isConfirming, setConfirming] = useState(false)
  const handleClick = async () => {
    const { incomplete } = await launch({ campaignId: id })
    const excluded = incomplete
      ? ` ${formatNumber(incomplete.total)} prospects lack a value for a variable and are left out.`
      : ''
    showToast(`${name} launched.${excluded}`)
    setConfirming(false)
  }
  return (
    <>
      <Button look="primary" onClick={() => setConfirming(true)}>
        Launch campaign
      </Button>
      <ConfirmDialog
        isOpen={isConfirming}
        title={`Launch ${name}?`}
        confirm="Launch campaign"
        look="primary"
        onCancel={() => setConfirming(false)}
        onConfirm={handleClick}
      >
        {prospects === undefined ? 'All prospects' : `${formatNumber(prospects)} prospects`} will enter the
        sequence as the schedule allows. People on the Do Not Contact list are left out. You can pause the
        campaign at any time.
      </ConfirmDialog>
    </>
  )
}
