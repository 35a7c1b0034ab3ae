import { usePermission } from '../../api.ts'
import { CallsCard } from './calls-card.tsx'
import { DraftsCard } from './drafts-card.tsx'
import { LastWeek } from './last-week.tsx'
import { Problems } from './problems.tsx'
import { RepliesCard } from './replies-card.tsx'
import { TasksCard } from './tasks-card.tsx'

/**
 * Shows everything that needs attention and that the user's role may act on, and the results for the last 7 days.
 */
export function Today() {
  const canReadInbox = usePermission('Inbox.ReadInbox')
  const canSend = usePermission('Inbox.SendMessage')
  const canEditTasks = usePermission('Task.EditTask')
  const canApproveCalls = usePermission('Call.TriggerCall')
  const canReadCampaigns = usePermission('Campaign.ReadCampaign')
  return (
    <div className="grid grid-cols-1 gap-4 wide:gap-5">
      <div className="grid grid-cols-1 gap-4 wide:grid-cols-2 wide:gap-5 wide:[&>:only-child]:col-span-2">
        {canReadInbox && <RepliesCard />}
        {canReadInbox && canSend && <DraftsCard />}
        {canEditTasks && <TasksCard />}
        {canApproveCalls && <CallsCard />}
      </div>
      {canReadCampaigns && <Problems />}
      {canReadCampaigns && <LastWeek />}
    </div>
  )
}
