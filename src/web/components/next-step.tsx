import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { Output } from '../../contract/index.ts'
import { useOperation, useOperationMutation, usePermission } from '../api.ts'
import { Button, buttonClass } from '../ui/button.tsx'
import { Loaded } from '../ui/loaded.tsx'
import { Skeleton } from '../ui/skeleton.tsx'
import { DueTime } from '../ui/time.tsx'
import { showToast } from '../ui/toast.tsx'
import { appendInFlightNote } from './in-flight.ts'

type Prospect = Output<'getProspect'>

type Props = {
  prospectId: string
  /** Buttons beside the pause or resume button. */
  children?: ReactNode
}

/** Shows the next step of a thread's prospect, with a button to pause or resume them. */
export function NextStep({ prospectId, children }: Props) {
  const query = useOperation('getProspect', { prospectId })
  return (
    <div className="mt-3">
      <Loaded query={query} skeleton={<Skeleton className="h-7 max-w-80" />}>
        {prospect => <ProspectStep prospect={prospect}>{children}</ProspectStep>}
      </Loaded>
    </div>
  )
}

function ProspectStep({ prospect, children }: { prospect: Prospect; children: ReactNode }) {
  const canEdit = usePermission('Prospect.EditProspect')
  return (
    <div className="flex flex-wrap items-center gap-2 text-muted text-sm">
      <p className="mr-2">
        {prospect.next ? (
          <ScheduledStep {...prospect.next} />
        ) : isOptedOut(prospect) ? (
          doNotContactText
        ) : (
          (pauseTexts[prospect.statusReason ?? ''] ??
          statusTexts[prospect.status ?? ''] ??
          'No further steps are planned.')
        )}
      </p>
      <ResolutionLink prospect={prospect} />
      {canEdit && !isOptedOut(prospect) && <PauseOrResume prospect={prospect} />}
      {children}
    </div>
  )
}

const isOptedOut = ({ statusReason }: Prospect): boolean => statusReason === 'do_not_contact'

const doNotContactText = 'On the Do Not Contact list: nobody will contact them again.'

const pauseTexts: Record<string, string> = {
  undeliverable_domain:
    'Paused: the domain of their email address doesn’t accept email. Correct the address.',
  disposable_address: 'Paused: they have a disposable address. Correct the address.',
  role_address: 'Paused: they have a role address, such as info@. Find their personal address.',
}

const statusTexts: Record<string, string> = {
  paused: 'Paused: this campaign sends them no further messages.',
  replied: 'Replied: the sequence has stopped.',
  completed: 'Finished: all steps are complete.',
  bounced: 'Bounced: their email address doesn’t work.',
  opted_out: 'Opted out: they will not be contacted again.',
  failed: 'Failed: a step couldn’t be completed for them.',
}

type ScheduledStepProps = NonNullable<Prospect['next']>
type HoldReason = Exclude<NonNullable<ScheduledStepProps['heldBy']>, 'do_not_contact'>

/** Reasons for holding a step. A step without a reason is sent within moments. */
const holdReasons: Record<HoldReason, string> = {
  sending_paused: 'all sending is paused',
  campaign_draft: 'the campaign is not launched',
  campaign_paused: 'the campaign is paused',
  campaign_completed: 'the campaign is completed',
  prospect_paused: 'they are paused',
  out_of_office: 'they are out of office',
  delay: 'waiting for its delay to end',
  window: 'waiting for sending hours in their time zone',
  schedule_over: 'the campaign’s schedule has ended',
  no_working_mailbox: 'no mailbox can send it',
  no_postal_address: 'the account has no postal address',
  server_unavailable: 'the mail server is unavailable',
  inbox_stale: 'the mailbox couldn’t be checked for replies',
  new_prospects_cap: 'the daily limit of new prospects is reached',
  daily_cap: 'the mailbox’s daily limit is reached',
  gap: 'the mailbox waits between emails',
  retry: 'it will be retried',
  being_sent: 'it is being sent',
  no_rep: 'the campaign has no rep to do it',
  not_accepted: 'they haven’t accepted the invitation yet',
  open_task: 'the rep has an open task',
  open_call: 'the call is queued or in progress',
}

function ScheduledStep({ step, dueAt, heldBy }: ScheduledStepProps) {
  if (heldBy === 'do_not_contact') return doNotContactText
  return (
    <>
      Next: step {step}
      {dueAt && (
        <>
          , <DueTime at={dueAt} />
        </>
      )}
      {heldBy ? ` (${holdReasons[heldBy]}).` : '.'}
    </>
  )
}

type Resolution = { to: string; search?: Record<string, string>; label: string }

const senders: Resolution = { to: '/settings/senders', label: 'Show senders' }
/** The page on which the user can resolve the reason for holding a step. */
const resolutions: Partial<Record<HoldReason, Resolution>> = {
  no_working_mailbox: senders,
  inbox_stale: senders,
  no_postal_address: { to: '/settings/account', label: 'Add address' },
}

function findResolution({ status, campaignId, next }: Prospect): Resolution | undefined {
  if (status === 'failed' || status === 'bounced')
    return { to: `/campaigns/${campaignId}/prospects`, search: { status }, label: 'Show in campaign' }
  const heldBy = next?.heldBy
  if (heldBy === 'no_rep') return { to: `/campaigns/${campaignId}/sending`, label: 'Choose reps' }
  return heldBy && heldBy !== 'do_not_contact' ? resolutions[heldBy] : undefined
}

function ResolutionLink({ prospect }: { prospect: Prospect }) {
  const resolution = findResolution(prospect)
  if (!resolution) return null
  return (
    <Link
      to={resolution.to}
      {...(resolution.search && { search: resolution.search })}
      className={buttonClass('secondary', 'small')}
    >
      {resolution.label}
    </Link>
  )
}

function PauseOrResume({ prospect: { id, status } }: { prospect: Prospect }) {
  const pause = useOperationMutation('pauseProspect', 'getProspect')
  const resume = useOperationMutation('resumeProspect', 'getProspect')
  const isPaused = status === 'paused'
  if (!isPaused && !['pending', 'active', 'out_of_office'].includes(status ?? '')) return null
  const input = { prospectId: id }
  const act = async () =>
    isPaused
      ? resume(input).then(() => 'Prospect resumed.')
      : appendInFlightNote(
          'Prospect paused. This campaign sends them no further messages.',
          (await pause(input)).inFlight,
        )
  const handleClick = () => act().then(showToast, error => showToast(error.message))
  return (
    <Button size="small" onClick={handleClick}>
      {isPaused ? 'Resume prospect' : 'Pause prospect'}
    </Button>
  )
}
