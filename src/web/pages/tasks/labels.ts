import type { Task } from '../../components/due-tasks.ts'

/** The title of a task, and the label of the button that completes it. */
export const taskLabels: Record<Task['channel'], { title: string; done: string }> = {
  linkedin_connect: { title: 'Invite on LinkedIn', done: 'Mark as invited' },
  linkedin_message: { title: 'Message on LinkedIn', done: 'Mark as sent' },
  linkedin_view: { title: 'Visit LinkedIn profile', done: 'Mark as visited' },
  linkedin_like: { title: 'Like a LinkedIn post', done: 'Mark as liked' },
  task: { title: 'Task', done: 'Mark as done' },
  call: { title: 'Call', done: 'Mark as called' },
  email: { title: 'Email', done: 'Mark as sent' },
  linkedin: { title: 'LinkedIn', done: 'Mark as done' },
  other: { title: 'Task', done: 'Mark as done' },
}

/** Reasons why an open task can't be done yet. */
export const holdReasons: Record<NonNullable<Task['heldBy']>, string> = {
  campaign_paused: 'The campaign is paused. Wait until it is resumed, or skip the task.',
  prospect_paused: 'The prospect is paused in this campaign. Wait until they are resumed, or skip the task.',
  invitation_cap:
    'Unipile has reached the LinkedIn invitation limit: 25 in 24 hours, 100 in 7 days. The remaining invitations are sent automatically.',
}

const reasons: Record<string, string> = {
  prospect_replied: 'They replied.',
  prospect_stopped: 'The sequence was stopped.',
  prospect_bounced: 'Their email address doesn’t work.',
  prospect_opted_out: 'They opted out.',
  prospect_failed: 'A variable in a step has no value for them.',
  not_accepted: 'They didn’t accept the invitation in time.',
  do_not_contact: 'They are on the Do Not Contact list.',
}

/** Returns why a task was closed: a known reason as a sentence, or the text of the person who skipped it. */
export const formatReason = ({ statusReason }: Task): string | undefined =>
  statusReason && (reasons[statusReason] ?? statusReason)

/** Reports whether a user created the task: it is neither a campaign step nor a LinkedIn draft. */
export const isUserTask = ({ stepId, linkedinMessageId }: Task): boolean => !stepId && !linkedinMessageId

/** Returns the person's name, or their email address or LinkedIn handle when unknown. */
export const getPersonName = ({ personName, email, linkedinUrl }: Task): string =>
  personName ?? email ?? linkedinUrl?.replace(/^.*\/in\//, '') ?? 'unknown contact'
