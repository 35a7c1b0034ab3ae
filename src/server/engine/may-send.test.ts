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
  campaignStatus: 'active',
  prospectStatus: 'pending',
  optOut: undefined,
  email: 'ada@analytical.example',
  mailboxId: 'mailbox',
  isInboxStale: false,
  newcomers: undefined,
  room: undefined,
}

describe('may send', () => {
  it('sends when nothing speaks against it', () => {
    expect(maySend(ready, at)).toEqual({ kind: 'send' })
    expect(maySend({ ...ready, prospectStatus: 'active' }, at)).toEqual({ kind: 'send' })
    expect(maySend({ ...ready, prospectStatus: 'out_of_office', awayUntil: at }, at)).toEqual({
      kind: 'send',
    })
  })

  it('never contacts who is on Do Not Contact, whatever else holds', () => {
    for (const facts of [{}, { campaignStatus: 'paused' }, { prospectStatus: 'paused' }, { email: null }]) {
      expect(maySend({ ...ready, ...facts, optOut: 'ada@analytical.example' }, at)).toEqual({
        kind: 'stop',
        status: 'paused',
        reason: 'do_not_contact',
      })
    }
  })

  it.each([
    ['a campaign that is not active', { campaignStatus: 'paused' }, 'campaign_paused'],
    ['a prospect that was paused', { prospectStatus: 'paused' }, 'prospect_paused'],
    ['a prospect that replied', { prospectStatus: 'replied' }, 'prospect_replied'],
    ['a rep without a working mailbox', { mailboxId: undefined }, 'no_working_mailbox'],
    ['an inbox that was not read for too long', { isInboxStale: true }, 'inbox_stale'],
  ])('waits for %s', (_what, facts, reason) => {
    expect(maySend({ ...ready, ...facts }, at)).toEqual({ kind: 'later', reason })
  })

  it('tells until when, where that passes by itself', () => {
    const held = (facts: Partial<SendFacts>, now = at) => maySend({ ...ready, ...facts }, now)
    const since = new Date('2026-11-23T10:00:00Z')
    expect(held({ wait: { since, delay: { amount: 121, unit: 'minutes' } } })).toEqual({
      kind: 'later',
      reason: 'delay',
      until: new Date('2026-11-23T12:01:00Z'),
    })
    // Over on Tuesday, when no window is open.
    expect(held({ wait: { since, delay: { amount: 1, unit: 'days' } } })).toEqual({
      kind: 'later',
      reason: 'delay',
      until: new Date('2026-11-30T09:00:00Z'),
    })
    // Back on Wednesday.
    expect(held({ awayUntil: new Date('2026-11-25T00:00:00Z') })).toEqual({
      kind: 'later',
      reason: 'out_of_office',
      until: new Date('2026-11-30T09:00:00Z'),
    })
    expect(held({}, new Date('2026-11-23T17:00:00Z'))).toEqual({
      kind: 'later',
      reason: 'window',
      until: new Date('2026-11-30T09:00:00Z'),
    })
  })

  it('goes by the clock of the person, else of the phone, the country, the schedule, the account', () => {
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

  it('waits without end for a schedule whose last date has passed', () => {
    const schedule = { ...ready.schedule!, latest: '2026-11-22' }
    expect(maySend({ ...ready, schedule }, at)).toEqual({ kind: 'later', reason: 'schedule_over' })
  })

  it('fails a person without an address', () => {
    expect(maySend({ ...ready, email: null }, at)).toEqual({
      kind: 'stop',
      status: 'failed',
      reason: 'no_email',
    })
  })
})
