import { useState } from 'react'
import { useOperation } from '../../api.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { formatNumber } from '../../ui/time.tsx'
import { IncompleteProspects } from './left-out.tsx'

/** Shows a button that counts and lists the prospects in a draft who lack a value that a step uses. */
export function IncompleteProspectsButton({ campaignId }: { campaignId: string }) {
  // `launch` doesn't depend on the horizon, so the shortest one is enough.
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
