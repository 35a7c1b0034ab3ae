import { useState } from 'react'
import { useInvalidate, useOperationMutation } from '../../api.ts'
import { Button } from '../../ui/button.tsx'
import { runConcurrently } from '../../ui/run-concurrently.ts'
import { formatNumber } from '../../ui/time.tsx'
import { showToast } from '../../ui/toast.tsx'
import type { Prospect } from './prospect-status.tsx'

const canPause = ({ status }: Prospect) =>
  status === 'pending' || status === 'active' || status === 'out_of_office'
const canResume = ({ status }: Prospect) => status === 'paused'

/** Pauses or resumes the selected prospects whose status allows it. */
export function ProspectBulkActions({ selected, onDone }: { selected: Prospect[]; onDone: () => void }) {
  const pause = useOperationMutation('pauseProspect')
  const resume = useOperationMutation('resumeProspect')
  const refresh = useInvalidate('listCampaignProspects', 'getCampaignStats', 'getProspect')
  const [isBusy, setBusy] = useState(false)
  const updateAll = async (act: typeof pause | typeof resume, prospects: Prospect[], done: string) => {
    setBusy(true)
    const errors: string[] = []
    await runConcurrently(prospects, async ({ id }) => {
      await act({ prospectId: id }).catch(error => errors.push(error.message))
    })
    await refresh()
    setBusy(false)
    showToast(
      `${formatNumber(prospects.length - errors.length)} ${done}.` +
        (errors.length > 0 ? ` ${formatNumber(errors.length)} unchanged: ${errors[0]}` : ''),
    )
    onDone()
  }
  const toPause = selected.filter(canPause)
  const toResume = selected.filter(canResume)
  return (
    <>
      {toPause.length > 0 && (
        <Button size="small" isBusy={isBusy} onClick={() => updateAll(pause, toPause, 'paused')}>
          Pause {formatNumber(toPause.length)}
        </Button>
      )}
      {toResume.length > 0 && (
        <Button size="small" isBusy={isBusy} onClick={() => updateAll(resume, toResume, 'resumed')}>
          Resume {formatNumber(toResume.length)}
        </Button>
      )}
    </>
  )
}
