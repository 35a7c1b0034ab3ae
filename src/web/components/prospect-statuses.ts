import type { prospectStatuses } from '../../contract/prospects.ts'

export type ProspectStatus = (typeof prospectStatuses)[number]

/** Labels in the order in which prospects go through the statuses. */
export const statusLabels: Record<ProspectStatus, string> = {
  pending: 'Not started',
  active: 'In progress',
  out_of_office: 'Out of office',
  paused: 'Paused',
  replied: 'Replied',
  completed: 'Finished',
  stopped: 'Stopped',
  opted_out: 'Opted out',
  bounced: 'Bounced',
  failed: 'Failed',
}

/** Statuses of prospects whose sequence can continue. */
export const unfinishedStatuses: readonly ProspectStatus[] = [
  'pending',
  'active',
  'out_of_office',
  'paused',
  'failed',
]

/** Reports whether a value, such as one from the URL, is a prospect status. */
export const isProspectStatus = (text: unknown): text is ProspectStatus =>
  Object.hasOwn(statusLabels, String(text))

/** Labels of reasons whose code isn't clear enough; a reason may also be an error message. */
const reasonLabels: Record<string, string> = {
  address_changed: 'email address changed',
  call_unconfirmed: 'outcome of a call unknown',
  company_replied: 'colleague replied',
  complaint: 'reported as spam',
  do_not_contact: 'on Do Not Contact',
  hard_bounce: 'address does not exist',
  manual: 'by a user',
  no_working_mailbox: 'no connected mailbox',
  reply: 'requested in a reply',
  role_address: 'role address, such as info@',
  undeliverable_domain: 'the domain doesn’t accept email',
}

/** Formats the reason for a prospect's status, which is a code or an error message. */
export const formatStatusReason = (reason: string): string =>
  reasonLabels[reason] ?? reason.replaceAll('_', ' ')
