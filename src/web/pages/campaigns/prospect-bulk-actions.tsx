import { useState } from 'react'
import { useInvalidate, useOperationMutation } from '../../api.ts'
import { Button } from '../../ui/button.tsx'
import { formatNumber } from '../../ui/time.tsx'
import { showToast } from '../../ui/toast.tsx'
import type { Prospect } from './prospect-status.tsx'

const AT_ONCE = 4

const canPause = ({ status }: Prospect) =>
  status === 'pending' || status === 'active' || status === 'out_of_office'
const canResume = ({ status }: Prospect) => status === 'paused'

/** Pauses or resumes those of the chosen ones whose state allows it. */
export function ProspectBulkActions({ selected, onDone }: { selected: Prospect[]; onDone: () => void }) {
  const pause = useOperationMutation('pauseProspect')
  const resume = useOperationMutation('resumeProspect')
  const refresh = useInvalidate('listCampaignProspects', 'getCampaignStats', 'getProspect')
  const [isBusy, setBusy] = useState(false)
  const move = async (act: typeof pause, prospects: Prospect[], done: string) => {
    setBusy(true)
    const faults: string[] = []
    const waiting = [...prospects]
    const work = async () => {
      for (let prospect = waiting.shift(); prospect; prospect = waiting.shift()) {
        await act({ prospectId: prospect.id }).catch(error => faults.push(error.message))
      }
    }
    await Promise.all(Array.from({ length: AT_ONCE }, work))
    await refresh()
    setBusy(false)
    showToast(
      `${formatNumber(prospects.length - faults.length)} ${done}.` +
        (faults.length > 0 ? ` ${formatNumber(faults.length)} stay as they are: ${faults[0]}` : ''),
    )
    onDone()
  }
  const toPause = selected.filter(canPause)
  const toResume = selected.filter(canResume)
  return (
    <>
      {toPause.length > 0 && (
        <Button size="small" isBusy={isBusy} onClick={() => move(pause, toPause, 'paused')}>
          Pause {formatNumber(toPause.length)}
        </Button>
      )}
      {toResume.length > 0 && (
        <Button size="small" isBusy={isBusy} onClick={() => move(resume, toResume, 'go on')}>
          Resume {formatNumber(toResume.length)}
        </Button>
      )}
    </>
  )
}
