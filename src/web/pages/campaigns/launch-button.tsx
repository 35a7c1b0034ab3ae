import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import type { Output } from '../../../contract/index.ts'
import { useInvalidate, useOperationMutation } from '../../api.ts'
import { Button } from '../../ui/button.tsx'
import { ConfirmDialog } from '../../ui/dialog.tsx'
import { formatNumber } from '../../ui/time.tsx'
import { showToast } from '../../ui/toast.tsx'

/** Launches a draft after confirmation. Fails if the number of recipients differs from that in the review. */
export function LaunchButton({
  campaign: { id: campaignId, name },
  recipients,
}: {
  campaign: Output<'getCampaign'>
  recipients: number
}) {
  const navigate = useNavigate()
  const launch = useOperationMutation(
    'launchCampaign',
    'getCampaign',
    'listCampaigns',
    'getCampaignStats',
    'listCampaignProspects',
    'forecastCampaign',
  )
  const refresh = useInvalidate('forecastCampaign', 'getCampaignStats')
  const [isConfirming, setConfirming] = useState(false)
  const people = `${formatNumber(recipients)} ${recipients === 1 ? 'prospect' : 'prospects'}`
  const handleConfirm = async () => {
    try {
      await launch({ campaignId, expectedRecipients: recipients })
    } catch (error) {
      // The audience may have changed since the review was loaded.
      await refresh()
      throw error
    }
    setConfirming(false)
    showToast(`${name} launched to ${people}.`)
    await navigate({ to: '/campaigns/$campaignId', params: { campaignId } })
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
        onConfirm={handleConfirm}
      >
        {people} will enter the sequence as the schedule allows. You can pause the campaign at any time.
      </ConfirmDialog>
    </>
  )
}
