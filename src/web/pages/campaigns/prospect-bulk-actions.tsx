import { useState } from 'react'
import { call, useInvalidate, useOperationMutation, usePermission } from '../../api.ts'
import { toIdentifiers } from '../../components/opt-out-identifiers.ts'
import { Button } from '../../ui/button.tsx'
import { ConfirmDialog } from '../../ui/dialog.tsx'
import { runConcurrently } from '../../ui/run-concurrently.ts'
import { formatNumber } from '../../ui/time.tsx'
import { showToast } from '../../ui/toast.tsx'
import { getName } from './prospect-cells.tsx'
import type { Prospect } from './prospect-status.tsx'

const canPause = ({ status }: Prospect) =>
  status === 'pending' || status === 'active' || status === 'out_of_office'
const canResume = ({ status, statusReason }: Prospect) =>
  status === 'paused' && statusReason !== 'do_not_contact'
const canStop = (prospect: Prospect) => canPause(prospect) || canResume(prospect)

type Action = 'pause' | 'resume' | 'stop' | 'optOut'

const doneTexts: Record<Action, string> = {
  pause: 'paused',
  resume: 'resumed',
  stop: 'stopped',
  optOut: 'opted out',
}

/** Actions on the selected prospects. Each applies to those whose status allows it. */
export function ProspectBulkActions({ selected, onDone }: { selected: Prospect[]; onDone: () => void }) {
  const canOptOut = usePermission('DoNotContact.EditDoNotContact')
  const act = useAction()
  const refresh = useInvalidate(
    ...(['listCampaignProspects', 'getCampaignStats', 'getProspect', 'getPerson', 'listOptOuts'] as const),
  )
  const [isBusy, setBusy] = useState(false)
  const [asked, setAsked] = useState<'stop' | 'optOut'>()
  const applicable: Record<Action, Prospect[]> = {
    pause: selected.filter(canPause),
    resume: selected.filter(canResume),
    stop: selected.filter(canStop),
    optOut: selected.filter(({ statusReason }) => statusReason !== 'do_not_contact'),
  }
  const run = async (action: Action) => {
    setBusy(true)
    const errors: string[] = []
    await runConcurrently(applicable[action], async prospect => {
      await act[action](prospect).catch(error => errors.push(error.message))
    })
    await refresh()
    setBusy(false)
    setAsked(undefined)
    showToast(
      `${formatNumber(applicable[action].length - errors.length)} ${doneTexts[action]}.` +
        (errors.length > 0 ? ` ${formatNumber(errors.length)} unchanged: ${errors[0]}` : ''),
    )
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
      {button('pause', 'Pause', () => run('pause'))}
      {button('resume', 'Resume', () => run('resume'))}
      {button('stop', 'Stop', () => setAsked('stop'))}
      {canOptOut && button('optOut', 'Opt out', () => setAsked('optOut'))}
      <ConfirmDialog
        isOpen={asked !== undefined}
        title={describe(asked ?? 'stop', applicable[asked ?? 'stop'])}
        confirm={asked === 'optOut' ? 'Opt out' : 'Stop sequence'}
        onCancel={() => setAsked(undefined)}
        onConfirm={() => run(asked!)}
      >
        {asked === 'optOut'
          ? 'Their email addresses, phone numbers and LinkedIn profiles go on the Do Not Contact list. Their sequences stop, and nobody in your team can write to or call them.'
          : 'Queued messages, open tasks and calls of the sequence are withdrawn. It can’t be continued; pause it instead to go on later.'}
      </ConfirmDialog>
    </>
  )
}

function describe(action: 'stop' | 'optOut', prospects: Prospect[]): string {
  const who = prospects.length === 1 ? getName(prospects[0]!) : `${formatNumber(prospects.length)} people`
  return action === 'optOut' ? `Never contact ${who} again?` : `Stop the sequence for ${who}?`
}

function useAction(): Record<Action, (prospect: Prospect) => Promise<unknown>> {
  const pause = useOperationMutation('pauseProspect')
  const resume = useOperationMutation('resumeProspect')
  const stop = useOperationMutation('stopProspects')
  const addOptOuts = useOperationMutation('addOptOuts')
  return {
    pause: ({ id }) => pause({ prospectId: id }),
    resume: ({ id }) => resume({ prospectId: id }),
    stop: ({ id }) => stop({ prospectIds: [id] }),
    // The list shows one of several addresses.
    optOut: async prospect => {
      const person = await call('getPerson', { personId: prospect.personId })
      return addOptOuts({ identifiers: toIdentifiers(person, getName(prospect)) })
    },
  }
}
