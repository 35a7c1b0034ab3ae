import { expect, it } from 'vitest'
import { type CallFacts, mayCall } from './may-call.ts'

const now = new Date('2026-11-23T12:00:00.000Z')
const soon = new Date('2026-11-23T13:00:00.000Z')
const facts: CallFacts = {
  phone: '+442079460019',
  timezone: null,
  isOptedOut: false,
  isStep: false,
  isSendingPaused: false,
  consents: ['written'],
  isOnThePhone: false,
  lastSpokenAt: null,
  callerCapResetsAt: null,
  calleeCapResetsAt: null,
  stepHold: undefined,
}
const decide = (changes: Partial<CallFacts> = {}, at = now) => mayCall({ ...facts, ...changes }, at)

it('allows a call when nothing prevents it', () => {
  expect(decide()).toEqual({ kind: 'call' })
})

it('refuses a call that would not be allowed later either, and says what to do', () => {
  const waits = { isOnThePhone: true, callerCapResetsAt: soon, calleeCapResetsAt: soon }
  const refusal = (reason: string) => ({ kind: 'refuse', reason, advice: expect.stringMatching(/\.$/) })
  expect(decide({ ...waits, isOptedOut: true })).toEqual(refusal('do_not_contact'))
  expect(decide({ ...waits, consents: [] })).toEqual(refusal('no_consent'))
  expect(decide({ phone: '+88216123456' })).toEqual(refusal('no_calling_hours'))
})

it('postpones every call while all sending is paused', () => {
  const recheck = new Date(now.getTime() + 60_000)
  expect(decide({ isSendingPaused: true })).toEqual({
    kind: 'later',
    reason: 'sending_paused',
    until: recheck,
  })
  const stepHold = { reason: 'sending_paused' }
  expect(decide({ isSendingPaused: true, stepHold })).toMatchObject({ kind: 'later' })
})

it.each([
  ['+442079460019', 'written or express'],
  ['+4915112345678', 'written or express'],
  ['+41791234567', 'written or express'],
  ['+14165550123', 'written or express'],
  ['+12125550123', 'written'],
  ['+18005550123', 'written'],
  ['+17875550123', 'written'],
  ['+27821234567', 'written, express, or an existing relationship'],
])('requires the consent that the law requires for %s: %s', (phone, words) => {
  const decision = decide({ phone, consents: [] })
  expect(decision).toMatchObject({
    reason: 'no_consent',
    advice: expect.stringContaining(`calls: ${words}. None is recorded`),
  })
  for (const kind of ['written', 'express', 'existing_relationship'] as const) {
    const { kind: decisionKind } = decide({ phone, consents: [kind] })
    expect(decisionKind === 'refuse').toBe(!words.includes(kind.replace('_', ' ')))
  }
})

it('requires no consent where no law does', () => {
  expect(decide({ phone: '+61212345678', consents: [] }).kind).not.toBe('refuse')
})

it.each([
  ['calling_hours', { timezone: 'America/New_York' }, '2026-11-23T13:00:00.000Z'],
  ['on_the_phone', { isOnThePhone: true }, '2026-11-23T12:01:00.000Z'],
  ['just_called', { lastSpokenAt: new Date('2026-11-23T11:59:00Z') }, '2026-11-23T12:04:00.000Z'],
  ['daily_cap', { callerCapResetsAt: soon, isOnThePhone: true }, '2026-11-23T13:00:00.000Z'],
  ['daily_cap_per_number', { calleeCapResetsAt: soon, callerCapResetsAt: soon }, '2026-11-23T13:00:00.000Z'],
  ['daily_cap', { callerCapResetsAt: new Date('2026-11-23T22:00:00Z') }, '2026-11-24T08:00:00.000Z'],
] as [string, Partial<CallFacts>, string][])(
  'postpones a call because of %s: %j',
  (reason, changes, until) => {
    expect(decide(changes)).toEqual({ kind: 'later', reason, until: new Date(until) })
  },
)

it('does not postpone a call because of a cap or pause that has ended', () => {
  const lastSpokenAt = new Date('2026-11-23T11:55:00Z')
  expect(decide({ callerCapResetsAt: now, calleeCapResetsAt: now, lastSpokenAt })).toEqual({ kind: 'call' })
})
