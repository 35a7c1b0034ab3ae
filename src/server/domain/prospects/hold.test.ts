import { expect, it } from 'vitest'
import { findHold, type HoldFacts } from './hold.ts'

const now = new Date('2026-11-23T12:00:00Z') // a Monday
const tomorrow = new Date('2026-11-24T12:00:00Z')
const minutesLater = (minutes: number) => new Date(now.getTime() + minutes * 60_000)
const readyFacts: HoldFacts = {
  ...{ timezone: null, phone: null, country: null, accountTimezone: 'Europe/London', awayUntil: null },
  schedule: { windows: [{ days: ['mon', 'tue'], from: '09:00', to: '17:00' }] },
  ...{ isSendingPaused: false, campaignStatus: 'active', prospectStatus: 'active', wait: undefined },
  ...{ mailboxId: 'mailbox', isInboxStale: false, newProspectLimit: undefined, quota: undefined },
}
const delay = { since: new Date('2026-11-23T11:00:00Z'), delay: { amount: 2, unit: 'hours' as const } }
const exhaustedQuota = { capResetsAt: tomorrow, gapEndsAt: null }
const gapQuota = { capResetsAt: null, gapEndsAt: minutesLater(3) }
const task = { hasRep: true, acceptanceUntil: undefined }

it.each<[what: string, facts: Partial<HoldFacts>, reason: string | undefined, until?: Date]>([
  ['sends a step that nothing holds back', {}, undefined],
  ['starts a pending prospect', { prospectStatus: 'pending' }, undefined],
  ['holds a paused prospect', { prospectStatus: 'paused' }, 'prospect_paused'],
  ['holds a prospect who replied', { prospectStatus: 'replied' }, 'prospect_replied'],
  ['holds every step while all sending is paused', { isSendingPaused: true }, 'sending_paused'],
  ['holds a paused campaign', { campaignStatus: 'paused' }, 'campaign_paused'],
  ['holds a step until its delay is over', { wait: delay }, 'delay', minutesLater(60)],
  [
    'sends immediately without a delay',
    { wait: { since: tomorrow, delay: { amount: 0, unit: 'hours' } } },
    undefined,
  ],
  ['holds a prospect who is away', { awayUntil: tomorrow }, 'out_of_office', tomorrow],
  ['sends to a prospect who is back', { awayUntil: now }, undefined],
  ['needs a working mailbox', { mailboxId: undefined }, 'no_working_mailbox'],
  ['needs a postal address', { lacksPostalAddress: true }, 'no_postal_address'],
  [
    'waits while the circuit breaker of the mailbox is open',
    { mailboxWaitsUntil: minutesLater(5) },
    'server_unavailable',
    minutesLater(5),
  ],
  ['sends once the mailbox may be tried again', { mailboxWaitsUntil: now }, undefined],
  ['needs a synced inbox', { isInboxStale: true }, 'inbox_stale'],
  ['needs a schedule with a future window', { schedule: { windows: [] } }, 'schedule_over'],
  [
    'waits for the next window',
    { schedule: { windows: [{ days: ['tue'], from: '12:00', to: '17:00' }] } },
    'window',
    tomorrow,
  ],
  ['waits for quota', { quota: exhaustedQuota }, 'daily_cap', tomorrow],
  ['waits until the gap between emails ends', { quota: gapQuota }, 'gap', minutesLater(3)],
  ['sends after the gap', { quota: { capResetsAt: null, gapEndsAt: now } }, undefined],
  ['needs no mailbox for a task', { mailboxId: undefined, task }, undefined],
  ['needs a rep for a task', { task: { ...task, hasRep: false } }, 'no_rep'],
  [
    'waits for an accepted invitation',
    { task: { ...task, acceptanceUntil: tomorrow } },
    'not_accepted',
    tomorrow,
  ],
])('the engine %s', (_what, facts, reason, until) => {
  expect(findHold({ ...readyFacts, ...facts }, now)).toEqual(reason && { reason, ...(until && { until }) })
})

it.each<[what: string, facts: Partial<HoldFacts>, reason: string]>([
  [
    'the prospect before the campaign',
    { prospectStatus: 'paused', campaignStatus: 'paused' },
    'prospect_paused',
  ],
  [
    'the pause of all sending before the campaign',
    { isSendingPaused: true, campaignStatus: 'paused' },
    'sending_paused',
  ],
  ['the campaign before the delay', { campaignStatus: 'paused', wait: delay }, 'campaign_paused'],
  ['the delay before the mailbox', { wait: delay, mailboxId: undefined }, 'delay'],
  [
    'the mailbox before the window',
    { mailboxId: undefined, schedule: { windows: [] } },
    'no_working_mailbox',
  ],
  ['the window before the quota', { schedule: { windows: [] }, quota: exhaustedQuota }, 'schedule_over'],
  ['the quota before the gap', { quota: { ...gapQuota, capResetsAt: tomorrow } }, 'daily_cap'],
])('findHold reports %s', (_what, facts, reason) => {
  expect(findHold({ ...readyFacts, ...facts }, now)).toMatchObject({ reason })
})
