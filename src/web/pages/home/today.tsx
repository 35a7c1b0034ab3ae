import { usePermission } from '../../api.ts'
import { CallsCard } from './calls-card.tsx'
import { DraftsCard } from './drafts-card.tsx'
import { LastWeek } from './last-week.tsx'
import { Problems } from './problems.tsx'
import { RepliesCard } from './replies-card.tsx'
import { TasksCard } from './tasks-card.tsx'

/** Everything that waits for the user, as far as their role may act on it, and the results of the last 7 days. */
export function Today() {
  const readsInbox = usePermission('Inbox.ReadInbox')
  const sends = usePermission('Inbox.SendMessage')
  const canEditTasks = usePermission('Task.EditTask')
  const approvesCalls = usePermission('Call.TriggerCall')
  const readsCampaigns = usePermission('Campaign.ReadCampaign')
  return (
    <div className="grid grid-cols-1 gap-4 wide:gap-5">
      <div className="grid grid-cols-1 gap-4 wide:grid-cols-2 wide:gap-5 wide:[&>:only-child]:col-span-2">
        {readsInbox && <RepliesCard />}
        {readsInbox && sends && <DraftsCard />}
        {canEditTasks && <TasksCard />}
        {approvesCalls && <CallsCard />}
      </div>
      {readsCampaigns && <Problems />}
      {readsCampaigns && <LastWeek />}
    </div>
  )
}
