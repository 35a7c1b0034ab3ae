import { useState } from 'react'
import { call, useInvalidate, useOperationMutation, usePermission } from '../../api.ts'
import { BulkGuard } from '../../components/bulk-guard.tsx'
import { appendInFlightNote } from '../../components/in-flight.ts'
import { isHeldAddress } from '../../components/missing-fields.ts'
import { MAX_OPTED_OUT_PEOPLE, NO_IDENTIFIERS, toIdentifiers } from '../../components/opt-out-identifiers.ts'
import { Button } from '../../ui/button.tsx'
import { ConfirmDialog } from '../../ui/dialog.tsx'
import { retryWhenLimited, runBatches, toBatches } from '../../ui/run-concurrently.ts'
import { formatNumber } from '../../ui/time.tsx'
import { showToast } from '../../ui/toast.tsx'
import { getProspectName } from './prospect-cells.tsx'
import type { Prospect } from './prospect-status.tsx'

const openStatuses: Prospect['status'][] = ['pending', 'active', 'out_of_office']
const canPause = (prospect: Prospect) => openStatuses.includes(prospect.status) || isHeldAddress(prospect)
const canResume = ({ status, statusReason }: Prospect) =>
  status === 'paused' && statusReason !== 'do_not_contact'
const canStop = (prospect: Prospect) => canPause(prospect) || canResume(prospect)

/** Maximum number of prospects in one request. */
const MAX_BATCH = 100

type Action = 'pause' | 'resume' | 'stop' | 'optOut'

const doneTexts: Record<Action, string> = {
  pause: 'paused',
  resume: 'resumed',
  stop: 'stopped',
  optOut: 'opted out',
}

/** A reason for each prospect that an action left unchanged, and the number of messages already being sent. */
type Result = { unchanged: string[]; inFlight?: number }

/** Shows the actions on the selected prospects. Each action applies only to prospects whose status allows it. */
export function ProspectBulkActions({ selected, onDone }: { selected: Prospect[]; onDone: () => void }) {
  const canOptOut = usePermission('DoNotContact.EditDoNotContact')
  const act = useActions()
  const refresh = useInvalidate(
    ...(['listCampaignProspects', 'getCampaignStats', 'getProspect', 'getPerson', 'listOptOuts'] as const),
  )
  const [isBusy, setBusy] = useState(false)
  const [confirming, setConfirming] = useState<'stop' | 'optOut'>()
  const applicable: Record<Action, Prospect[]> = {
    pause: selected.filter(canPause),
    resume: selected.filter(canResume),
    stop: selected.filter(canStop),
    optOut: selected.filter(({ statusReason }) => statusReason !== 'do_not_contact'),
  }
  const run = async (action: Action) => {
    setBusy(true)
    const unchanged: string[] = []
    let inFlight = 0
    const batches = toBatches(applicable[action], action === 'optOut' ? MAX_OPTED_OUT_PEOPLE : MAX_BATCH)
    await runBatches(
      batches,
      async batch => {
        const result = await act[action](batch)
        unchanged.push(...result.unchanged)
        inFlight += result.inFlight ?? 0
      },
      (batch, { message }) => unchanged.push(...batch.map(() => message)),
    )
    await refresh()
    setBusy(false)
    setConfirming(undefined)
    const done = `${formatNumber(applicable[action].length - unchanged.length)} ${doneTexts[action]}.`
    const rest = unchanged.length > 0 ? ` ${formatNumber(unchanged.length)} unchanged: ${unchanged[0]}` : ''
    showToast(appendInFlightNote(done + rest, inFlight))
    onDone()
  }
  const button = (action: Action, label: string, onClick: () => void) =>
    applicable[action].length > 0 && (
      <Button size="small" isBusy={isBusy} onClick={onClick}>
        {label} {formatNumber(applicable[action].length)}
      </Button>
    )
  return (
    <>
      <BulkGuard isRunning={isBusy} />
      {button('pause', 'Pause', () => run('pause'))}
      {button('resume', 'Resume', () => run('resume'))}
      {button('stop', 'Stop', () => setConfirming('stop'))}
      {canOptOut && button('optOut', 'Opt out', () => setConfirming('optOut'))}
      <ConfirmDialog
        isOpen={confirming !== undefined}
        title={formatTitle(confirming ?? 'stop', applicable[confirming ?? 'stop'])}
        confirm={confirming === 'optOut' ? 'Opt out' : 'Stop sequence'}
        onCancel={() => setConfirming(undefined)}
        onConfirm={() => run(confirming!)}
      >
        {confirming === 'optOut'
          ? 'Their email addresses, phone numbers and LinkedIn profiles will be added to the Do Not Contact list. Their sequences stop, and nobody on your team can write to or call them.'
          : 'The sequence’s queued messages, open tasks and calls are withdrawn. A stopped sequence can’t be resumed. To resume it later, pause it instead.'}
      </ConfirmDialog>
    </>
  )
}

function formatTitle(action: 'stop' | 'optOut', prospects: Prospect[]): string {
  const people =
    prospects.length === 1 ? getProspectName(prospects[0]!) : `${formatNumber(prospects.length)} people`
  return action === 'optOut' ? `Never contact ${people} again?` : `Stop the sequence for ${people}?`
}

const unchangedTexts: Partial<Record<string, string>> = {
  already_paused: 'Already paused.',
  already_ended: 'The sequence had already ended.',
}

const toUnchanged = (data: readonly { outcome: string }[]): string[] =>
  data.flatMap(({ outcome }) => unchangedTexts[outcome] ?? [])

function useActions(): Record<Action, (prospects: Prospect[]) => Promise<Result>> {
  const pause = useOperationMutation('pauseProspects')
  const resume = useOperationMutation('resumeProspects')
  const stop = useOperationMutation('stopProspects')
  const addOptOuts = useOperationMutation('addOptOuts')
  const toIds = (prospects: Prospect[]) => ({ prospectIds: prospects.map(({ id }) => id) })
  return {
    pause: async prospects => {
      const { data, inFlight } = await pause(toIds(prospects))
      return { unchanged: toUnchanged(data), inFlight }
    },
    resume: async prospects => {
      const { data } = await resume(toIds(prospects))
      return { unchanged: data.flatMap(({ reason }) => reason ?? []) }
    },
    stop: async prospects => {
      const { data, inFlight } = await stop(toIds(prospects))
      return { unchanged: toUnchanged(data), inFlight }
    },
    // The list shows one of the person's addresses, but all of them are opted out.
    optOut: async prospects => {
      const identifiers: ReturnType<typeof toIdentifiers> = []
      const unchanged: string[] = []
      for (const prospect of prospects) {
        try {
          const person = await retryWhenLimited(() => call('getPerson', { personId: prospect.personId }))
          const found = toIdentifiers(person, getProspectName(prospect))
          if (found.length === 0) unchanged.push(NO_IDENTIFIERS)
          identifiers.push(...found)
        } catch (error) {
          unchanged.push((error as Error).message)
        }
      }
      const { inFlight = 0 } = identifiers.length > 0 ? await addOptOuts({ identifiers }) : {}
      return { unchanged, inFlight }
    },
  }
}
