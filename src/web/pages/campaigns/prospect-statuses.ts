import type { prospectStatuses } from '../../../contract/prospects.ts'

export type ProspectStatus = (typeof prospectStatuses)[number]

/** In the order in which prospects come to them. */
export const statusLabels: Record<ProspectStatus, string> = {
  pending: 'Not begun',
  active: 'Under way',
  out_of_office: 'Away',
  paused: 'Paused',
  replied: 'Replied',
  completed: 'Got every step',
  opted_out: 'Opted out',
  bounced: 'Bounced',
  failed: 'Failed',
}

/** What an address says may be anything. */
export const isProspectStatus = (text: unknown): text is ProspectStatus =>
  Object.hasOwn(statusLabels, String(text))
