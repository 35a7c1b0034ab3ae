import { useState } from 'react'
import type { Output } from '../../../contract/index.ts'
import { useOperationMutation } from '../../api.ts'
import { Button } from '../../ui/button.tsx'
import { ConfirmDialog } from '../../ui/dialog.tsx'
import { formatNumber } from '../../ui/time.tsx'
import { showToast } from '../../ui/toast.tsx'

type Campaign = Output<'getCampaign'>

const changed = ['getCampaign', 'listCampaigns', 'getCampaignStats'] as const

/** What can be done with it as it stands. */
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

/** At once, with a way back. */
function PauseOrResume({ campaign: { id, name, status } }: { campaign: Campaign }) {
  const pause = useOperationMutation('pauseCampaign', ...changed)
  const resume = useOperationMutation('resumeCampaign', ...changed)
  const [isBusy, setBusy] = useState(false)
  const isActive = status === 'active'
  const [act, undo] = isActive ? [pause, resume] : [resume, pause]
  const press = async () => {
    setBusy(true)
    try {
      await act({ campaignId: id })
      showToast(isActive ? `${name} is paused. Nothing more is sent.` : `${name} goes on.`, () => {
        undo({ campaignId: id }).catch(error => showToast(error.message))
      })
    } catch (error) {
      showToast((error as Error).message)
    }
    setBusy(false)
  }
  return (
    <Button look={isActive ? 'secondary' : 'primary'} isBusy={isBusy} onClick={press}>
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
  const launch = useOperationMutation('launchCampaign', ...changed)
  const [isAsking, setAsking] = useState(false)
  const press = async () => {
    const { incomplete } = await launch({ campaignId: id })
    const left = incomplete
      ? ` ${formatNumber(incomplete.total)} lack what a step says and are left out.`
      : ''
    showToast(`${name} is launched.${left}`)
    setAsking(false)
  }
  return (
    <>
      <Button look="primary" onClick={() => setAsking(true)}>
        Launch campaign
      </Button>
      <ConfirmDialog
        isOpen={isAsking}
        title={`Launch ${name}?`}
        confirm="Launch campaign"
        look="primary"
        onCancel={() => setAsking(false)}
        onConfirm={press}
      >
        {prospects === undefined ? 'Its prospects' : `${formatNumber(prospects)} prospects`} begin to get its
        emails, as its schedule allows. Whoever is on Do Not Contact is left out. It can be paused at any
        time.
      </ConfirmDialog>
    </>
  )
}
