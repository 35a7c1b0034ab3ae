import { useState } from 'react'
import { useOperation, useOperationMutation, usePermission, useSession } from './api.ts'
import { appendInFlightNote } from './components/in-flight.ts'
import { Button } from './ui/button.tsx'
import { ConfirmDialog } from './ui/dialog.tsx'
import { Time } from './ui/time.tsx'
import { showToast } from './ui/toast.tsx'

const POLL_MS = 30_000

/**
 * Returns when, why and by whom all sending was paused; undefined while sending isn't paused. Only the bar polls,
 * because every page shows it.
 */
function useSendingPause({ refetchIntervalMs }: { refetchIntervalMs?: number } = {}) {
  const isEnabled = useSession().account !== undefined
  const { data } = useOperation(
    'getAccount',
    {},
    { isEnabled, ...(refetchIntervalMs && { refetchIntervalMs }) },
  )
  if (!data?.sendingPausedAt) return undefined
  return { since: data.sendingPausedAt, reason: data.sendingPauseReason, by: data.sendingPausedBy }
}

/**
 * Returns a function that pauses all sending immediately; undefined if sending is already paused or the role lacks the
 * permission.
 */
export function usePauseSending(): (() => void) | undefined {
  const pauseSending = useOperationMutation('pauseSending', 'getAccount')
  const isPaused = useSendingPause() !== undefined
  const canPause = usePermission('Campaign.EditCampaign')
  if (isPaused || !canPause) return undefined
  return () => {
    pauseSending({}).then(
      ({ inFlight }) => showToast(appendInFlightNote('All sending paused.', inFlight)),
      error => showToast(error.message),
    )
  }
}

/** Shows a bar above every page while all sending is paused. */
export function SendingPauseBar() {
  const pause = useSendingPause({ refetchIntervalMs: POLL_MS })
  const canResume = usePermission('Campaign.EditCampaign')
  const resumeSending = useOperationMutation('resumeSending', 'getAccount')
  const [isConfirming, setConfirming] = useState(false)
  const resume = async () => {
    await resumeSending({})
    setConfirming(false)
    showToast('Sending resumed.')
  }
  if (!pause) return null
  return (
    <section
      aria-label="Sending paused"
      className="mb-5 flex flex-wrap print:hidden items-center justify-between gap-x-4 gap-y-2 rounded-card border border-red/40 bg-red-quiet px-4 py-2 text-red"
    >
      <p>
        <b className="font-medium">All sending is paused.</b> Paused <Time at={pause.since} />
        {pause.by && ` by ${pause.by}`}.{' '}
        {pause.reason ?? (canResume ? '' : 'A manager, admin or owner can resume it.')}
      </p>
      {canResume && <Button onClick={() => setConfirming(true)}>Resume sending</Button>}
      <ConfirmDialog
        isOpen={isConfirming}
        title="Resume all sending?"
        confirm="Resume sending"
        look="primary"
        onCancel={() => setConfirming(false)}
        onConfirm={resume}
      >
        Due emails, LinkedIn messages and calls go out within the limits of the senders.
      </ConfirmDialog>
    </section>
  )
}
