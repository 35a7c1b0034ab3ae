import type { Task } from './due-tasks.ts'

/** What is to be done, and how somebody says that it was. */
export const taskLabels: Record<Task['channel'], { title: string; done: string }> = {
  linkedin_connect: { title: 'Invite on LinkedIn', done: 'Invitation sent' },
  linkedin_message: { title: 'Write on LinkedIn', done: 'Message sent' },
  linkedin_view: { title: 'Look at their profile', done: 'Looked at' },
  linkedin_like: { title: 'Like a post of theirs', done: 'Liked' },
  task: { title: 'Task', done: 'Done' },
}

export const holds: Record<NonNullable<Task['heldBy']>, string> = {
  campaign_paused: 'The campaign is paused: leave it until somebody resumes it, or skip it.',
  prospect_paused: 'They are paused in this campaign: leave it until somebody resumes them, or skip it.',
  invitation_cap:
    'Unipile has sent as many invitations as LinkedIn puts up with: 25 in any 24 hours, 100 in any 7 days. The rest follow by themselves.',
}

const reasons: Record<string, string> = {
  prospect_replied: 'They answered.',
  prospect_bounced: 'Their address does not work.',
  prospect_opted_out: 'They opted out.',
  prospect_failed: 'Something that a step says is missing for them.',
  not_accepted: 'Their invitation was not accepted in time.',
  do_not_contact: 'They are on the Do Not Contact list.',
}

/** Our own words, or those of whoever skipped it. */
export const toReason = ({ statusReason }: Task): string | undefined =>
  statusReason && (reasons[statusReason] ?? statusReason)

/** How a task is named where several have the same buttons. */
export const nameOf = ({ personName, linkedinUrl }: Task): string =>
  personName ?? linkedinUrl?.replace(/^.*\/in\//, '') ?? 'somebody'
