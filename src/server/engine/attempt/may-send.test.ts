import { describe, expect, it } from 'vitest'
import { maySend, type SendFacts } from './may-send.ts'

const at = new Date('2026-11-23T12:00:00Z') // a Monday
const ready: SendFacts = {
  timezone: null,
  phone: null,
  country: null,
  accountTimezone: 'Europe/London',
  awayUntil: null,
  schedule: { windows: [{ days: ['mon'], from: '09:00', to: '17:00' }] },
  wait: { since: new Date('2026-11-23T10:00:00Z'), delay: { amount: 2, unit: 'hours' } },
  isSendingPaused: false,
  campaignStatus: 'active',
  prospectStatus: 'pending',
  optOut: undefined,
  email: 'ada@analytical.example',
  mailboxId: 'mailbox',
  isInboxStale: false,
  newProspectLimit: undefined,
  quota: undefined,
}

describe('maySend', () => {
  it('sends when nothing holds the prospect', () => {
    expect(maySend(ready, at)).toEqual({ kind: 'send' })
    expect(maySend({ ...ready, prospectStatus: 'active' }, at)).toEqual({ kind: 'send' })
    expect(maySend({ ...ready, prospectStatus: 'out_of_office', awayUntil: at }, at)).toEqual({
      kind: 'send',
    })
  })

  it('stops a prospect on the Do Not Contact list, regardless of other holds', () => {
    for (const facts of [{}, { campaignStatus: 'paused' }, { prospectStatus: 'paused' }, { email: null }]) {
      expect(maySend({ ...ready, ...facts, optOut: 'ada@analytical.example' }, at)).toEqual({
        kind: 'stop',
        status: 'paused',
        reason: 'do_not_contact',
      })
    }
  })

  it.each([
    ['a paused campaign', { campaignStatus: 'paused' }, 'campaign_paused'],
    ['a paused prospect', { prospectStatus: 'paused' }, 'prospect_paused'],
    ['a prospect that replied', { prospectStatus: 'replied' }, 'prospect_replied'],
    ['a rep without a working mailbox', { mailboxId: undefined }, 'no_working_mailbox'],
    ['an inbox that was not synced recently', { isInboxStale: true }, 'inbox_stale'],
  ])('waits because of %s', (_what, facts, reason) => {
    expect(maySend({ ...ready, ...facts }, at)).toEqual({ kind: 'later', reason })
  })

  it('returns the end of a hold that ends by itself', () => {
    const decide = (facts: Partial<SendFacts>, now = at) => maySend({ ...ready, ...facts }, now)
    const since = new Date('2026-11-23T10:00:00Z')
    expect(decide({ wait: { since, delay: { amount: 121, unit: 'minutes' } } })).toEqual({
      kind: 'later',
      reason: 'delay',
      until: new Date('2026-11-23T12:01:00Z'),
    })
    // Ends on Tuesday, when no window is open.
    expect(decide({ wait: { since, delay: { amount: 1, unit: 'days' } } })).toEqual({
      kind: 'later',
      reason: 'delay',
      until: new Date('2026-11-30T09:00:00Z'),
    })
    // Back on Wednesday.
    expect(decide({ awayUntil: new Date('2026-11-25T00:00:00Z') })).toEqual({
      kind: 'later',
      reason: 'out_of_office',
      until: new Date('2026-11-30T09:00:00Z'),
    })
    expect(decide({}, new Date('2026-11-23T17:00:00Z'))).toEqual({
      kind: 'later',
      reason: 'window',
      until: new Date('2026-11-30T09:00:00Z'),
    })
  })

  it('without a schedule, sends at any hour and as soon as the person is back', () => {
    const night = new Date('2026-11-22T03:00:00Z')
    const facts = { ...ready, schedule: null, wait: undefined }
    expect(maySend(facts, night)).toEqual({ kind: 'send' })
    const awayUntil = new Date('2026-11-25T04:00:00Z')
    expect(maySend({ ...facts, awayUntil }, night)).toEqual({
      kind: 'later',
      reason: 'out_of_office',
      until: awayUntil,
    })
  })

  it('waits for the later end of a delay and an absence', () => {
    const since = new Date('2026-11-23T10:00:00Z')
    const wait = { since, delay: { amount: 3, unit: 'hours' } } as const
    const decide = (awayUntil: Date | null) => maySend({ ...ready, wait, awayUntil }, at)
    const later = (time: string) => ({ kind: 'later', reason: 'delay', until: new Date(time) })
    expect(decide(null)).toEqual(later('2026-11-23T13:00:00Z'))
    expect(decide(new Date('2026-11-23T12:30:00Z'))).toEqual(later('2026-11-23T13:00:00Z'))
    expect(decide(new Date('2026-11-23T14:00:00Z'))).toEqual(later('2026-11-23T14:00:00Z'))
  })

  it('returns the end of a delay or absence even if it is after the last date of the schedule', () => {
    const schedule = { ...ready.schedule!, latest: '2026-11-23' }
    const since = new Date('2026-11-23T10:00:00Z')
    const wait = { since, delay: { amount: 9, unit: 'hours' } } as const
    expect(maySend({ ...ready, schedule, wait }, at)).toEqual({
      kind: 'later',
      reason: 'delay',
      until: new Date('2026-11-23T19:00:00Z'),
    })
    const awayUntil = new Date('2026-11-24T00:00:00Z')
    expect(maySend({ ...ready, schedule, awayUntil }, at)).toEqual({
      kind: 'later',
      reason: 'out_of_office',
      until: awayUntil,
    })
  })

  it('excludes the holidays of the schedule from a delay in business days', () => {
    const wait = {
      since: new Date('2026-11-20T10:00:00Z'),
      delay: { amount: 1, unit: 'business_days' },
    } as const
    expect(maySend({ ...ready, wait }, at)).toEqual({ kind: 'send' })
    const schedule = { ...ready.schedule!, holidays: ['2026-11-23'] }
    expect(maySend({ ...ready, wait, schedule }, at)).toMatchObject({ kind: 'later', reason: 'delay' })
  })

  it('does not wait for a delay of zero, even if it starts in the future', () => {
    const wait = { since: new Date('2026-11-23T12:00:05Z'), delay: { amount: 0, unit: 'days' } } as const
    expect(maySend({ ...ready, wait }, at)).toEqual({ kind: 'send' })
  })

  const soon = new Date('2026-11-23T12:05:00Z')

  it('waits until the mail server is tried again', () => {
    expect(maySend({ ...ready, mailboxWaitsUntil: soon }, at)).toEqual({
      kind: 'later',
      reason: 'server_unavailable',
      until: soon,
    })
    expect(maySend({ ...ready, mailboxWaitsUntil: at }, at)).toEqual({ kind: 'send' })
  })

  it('waits for the daily cap of the mailbox, then for its gap', () => {
    const facts = (capResetsAt: Date | null, gapEndsAt: Date | null) => ({
      ...ready,
      quota: { capResetsAt, gapEndsAt },
    })
    const tomorrow = new Date('2026-11-24T12:00:00Z')
    expect(maySend(facts(tomorrow, soon), at)).toEqual({
      kind: 'later',
      reason: 'daily_cap',
      until: tomorrow,
    })
    expect(maySend(facts(null, soon), at)).toEqual({ kind: 'later', reason: 'gap', until: soon })
    expect(maySend(facts(null, at), at)).toEqual({ kind: 'send' })
    expect(maySend(facts(null, null), at)).toEqual({ kind: 'send' })
  })

  it('limits new prospects per day, in the time zone of the schedule', () => {
    const withLimit = (begunCount: number, begunOn: string | null, more: Partial<SendFacts> = {}) =>
      maySend({ ...ready, newProspectLimit: { perDay: 2, begunOn, begunCount }, ...more }, at)
    const full = (time: string) => ({ kind: 'later', reason: 'new_prospects_cap', until: new Date(time) })
    expect(withLimit(1, '2026-11-23')).toEqual({ kind: 'send' })
    expect(withLimit(2, '2026-11-23')).toEqual(full('2026-11-24T00:00:00Z'))
    expect(withLimit(2, '2026-11-22')).toEqual({ kind: 'send' })
    expect(withLimit(2, '2026-11-23', { schedule: null })).toEqual(full('2026-11-24T00:00:00Z'))
    const windows = [{ days: ['mon' as const], from: '00:00', to: '24:00' }]
    expect(withLimit(2, '2026-11-23', { schedule: { timezone: 'Asia/Tokyo', windows } })).toEqual(
      full('2026-11-23T15:00:00Z'),
    )
    expect(
      withLimit(2, '2026-11-23', {
        newProspectLimit: { perDay: null, begunOn: '2026-11-23', begunCount: 9 },
      }),
    ).toEqual({ kind: 'send' })
  })

  it('uses the time zone of the person, else of the phone, country, schedule or account', () => {
    const closed = new Date('2026-11-23T06:00:00Z')
    const opensAt = (facts: Partial<SendFacts>) => maySend({ ...ready, wait: undefined, ...facts }, closed)
    const schedule = { ...ready.schedule!, timezone: 'Europe/Berlin' }
    const until = (time: string) => ({ kind: 'later', reason: 'window', until: new Date(time) })
    expect(opensAt({})).toEqual(until('2026-11-23T09:00:00Z'))
    expect(opensAt({ schedule })).toEqual(until('2026-11-23T08:00:00Z'))
    expect(opensAt({ schedule, country: 'Finland' })).toEqual(until('2026-11-23T07:00:00Z'))
    expect(opensAt({ schedule, country: 'Finland', phone: '+12125550123' })).toEqual(
      until('2026-11-23T14:00:00Z'),
    )
    expect(opensAt({ schedule, phone: '+12125550123', timezone: 'Asia/Tokyo' })).toEqual({ kind: 'send' })
  })

  it('waits indefinitely when the last date of the schedule has passed', () => {
    const schedule = { ...ready.schedule!, latest: '2026-11-22' }
    expect(maySend({ ...ready, schedule }, at)).toEqual({ kind: 'later', reason: 'schedule_over' })
  })

  it('fails a prospect without an email address', () => {
    expect(maySend({ ...ready, email: null }, at)).toEqual({
      kind: 'stop',
      status: 'failed',
      reason: 'no_email',
    })
  })
})
