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
