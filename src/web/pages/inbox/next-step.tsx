import type { Output } from '../../../contract/index.ts'
import { useOperation, useOperationMutation, usePermission } from '../../api.ts'
import { Button } from '../../ui/button.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { Time } from '../../ui/time.tsx'
import { showToast } from '../../ui/toast.tsx'

type Prospect = Output<'getProspect'>

/** What the prospect of a thread gets next, and when; it can be paused here. */
export function NextStep({ prospectId }: { prospectId: string }) {
  const { data: prospect } = useOperation('getProspect', { prospectId })
  const canEdit = usePermission('Prospect.EditProspect')
  if (!prospect) return <Skeleton className="mt-3 h-7 max-w-80" />
  return (
    <div className="mt-3 flex flex-wrap items-center gap-x-4 gap-y-2 text-muted text-sm">
      <p>
        {prospect.next ? (
          <Next {...prospect.next} />
        ) : (
          (endings[prospect.status ?? ''] ?? 'Nothing more is planned for them.')
        )}
      </p>
      {canEdit && <PauseOrResume prospect={prospect} />}
    </div>
  )
}

const endings: Record<string, string> = {
  paused: 'Paused: nothing more is sent to them in this campaign.',
  replied: 'They answered, so the campaign sends them nothing more.',
  completed: 'They got every step.',
  bounced: 'Their address does not work.',
  opted_out: 'They opted out: nothing more is sent to them.',
  failed: 'Something that a step says is missing for them.',
}

type Planned = NonNullable<Prospect['next']>
type Hold = Exclude<NonNullable<Planned['heldBy']>, 'do_not_contact'>

/** Why the step waits; without a word it leaves in a moment. */
const holds: Record<Hold, string> = {
  campaign_draft: 'the campaign is not launched',
  campaign_paused: 'the campaign is paused',
  campaign_completed: 'the campaign is completed',
  prospect_paused: 'they are paused',
  out_of_office: 'they are away',
  delay: 'after its delay',
  window: 'when its schedule opens where they are',
  schedule_over: 'the last date of its schedule has passed',
  no_working_mailbox: 'no mailbox can send it',
  no_postal_address: 'the account has no postal address',
  mailbox_waits: 'its mail server is away',
  inbox_stale: 'their answer may wait where it could not be read',
  new_prospects_cap: 'enough new prospects for today',
  daily_cap: 'the mailbox has sent enough for today',
  gap: 'the mailbox keeps its gap',
  retry: 'it is tried again',
  on_its_way: 'it is on its way',
  no_rep: 'the campaign has no rep who could do it',
  not_accepted: 'their invitation is not accepted yet',
  open_task: 'its rep has to do it',
  open_call: 'its call is queued, or under way',
}

function Next({ step, dueAt, heldBy }: Planned) {
  if (heldBy === 'do_not_contact') return 'On the Do Not Contact list: nothing more is sent to them.'
  return (
    <>
      Step {step} comes next
      {dueAt && (
        <>
          , <Time at={dueAt} />
        </>
      )}
      {heldBy ? `: ${holds[heldBy]}.` : '.'}
    </>
  )
}

function PauseOrResume({ prospect: { id, status } }: { prospect: Prospect }) {
  const pause = useOperationMutation('pauseProspect', 'getProspect')
  const resume = useOperationMutation('resumeProspect', 'getProspect')
  const isPaused = status === 'paused'
  if (!isPaused && !['pending', 'active', 'out_of_office'].includes(status ?? '')) return null
  const press = () =>
    (isPaused ? resume : pause)({ prospectId: id }).then(
      () =>
        showToast(
          isPaused ? 'They go on where they were.' : 'Nothing more is sent to them in this campaign.',
        ),
      error => showToast(error.message),
    )
  return (
    <Button size="small" onClick={press}>
      {isPaused ? 'Resume prospect' : 'Pause prospect'}
    </Button>
  )
}
