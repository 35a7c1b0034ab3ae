import { useState } from 'react'
import { useOperation, useOperationMutation, usePermission, useSession } from './api.ts'
import { Button } from './ui/button.tsx'
import { ConfirmDialog } from './ui/dialog.tsx'
import { formatNumber, Time } from './ui/time.tsx'
import { showToast } from './ui/toast.tsx'

const REFRESH_MS = 30_000

/** Returns since when, why and by whom all sending is paused. The bar, shown on every page, keeps it current for all. */
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

/** Returns a function that pauses all sending at once; undefined while it is paused or the role may not. */
export function usePauseSending(): (() => void) | undefined {
  const pauseSending = useOperationMutation('pauseSending', 'getAccount')
  const isPaused = useSendingPause() !== undefined
  const mayPause = usePermission('Campaign.EditCampaign')
  if (isPaused || !mayPause) return undefined
  return () => {
    pauseSending({}).then(
      ({ inFlight }) =>
        showToast(
          inFlight
            ? `All sending paused. ${formatNumber(inFlight)} already on their way could not be recalled.`
            : 'All sending paused.',
        ),
      error => showToast(error.message),
    )
  }
}

/** A bar above every page while all sending is paused. */
export function SendingPauseBar() {
  const pause = useSendingPause({ refetchIntervalMs: REFRESH_MS })
  const mayResume = usePermission('Campaign.EditCampaign')
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
        <b className="font-medium">All sending is paused</b> since <Time at={pause.since} />
        {pause.by && ` by ${pause.by}`}.{' '}
        {pause.reason ?? (mayResume ? '' : 'A manager, admin or owner can resume it.')}
      </p>
      {mayResume && <Button onClick={() => setConfirming(true)}>Resume sending</Button>}
      <ConfirmDialog
        isOpen={isConfirming}
        title="Resume all sending?"
        confirm="Resume sending"
        look="primary"
        onCancel={() => setConfirming(false)}
        onConfirm={resume}
      >
        Emails, LinkedIn messages and calls that have become due leave within the limits of the senders.
      </ConfirmDialog>
    </section>
  )
}
