import { useState } from 'react'
import { useOperation } from '../../api.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { formatNumber } from '../../ui/time.tsx'
import { IncompleteProspects } from './left-out.tsx'

/**
 * Shows a button with the number of a draft's prospects who lack a value that a step uses. Opens their list.
 */
export function IncompleteProspectsButton({ campaignId }: { campaignId: string }) {
  // `launch` doesn't depend on the horizon, which only makes the forecast longer.
  const { data } = useOperation('forecastCampaign', { campaignId, horizonDays: 1 })
  const [isOpen, setOpen] = useState(false)
  const incomplete = data?.launch?.incomplete
  if (!incomplete) return null
  const { total } = incomplete
  return (
    <>
      <Button onClick={() => setOpen(true)}>
        {formatNumber(total)} {total === 1 ? 'prospect lacks' : 'prospects lack'} a value
      </Button>
      <Dialog isOpen={isOpen} onClose={() => setOpen(false)} title="Prospects who lack a value">
        <IncompleteProspects incomplete={incomplete} />
      </Dialog>
    </>
  )
}
