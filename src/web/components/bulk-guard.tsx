import { LeaveGuard } from '../ui/leave-guard.tsx'

/** Asks before the user leaves the page while an action on several people or prospects is running. */
export const BulkGuard = ({ isRunning }: { isRunning: boolean }) => (
  <LeaveGuard isDirty={isRunning} title="Leave before everyone is done?">
    The rest continues, but you won’t see who was left out.
  </LeaveGuard>
)
