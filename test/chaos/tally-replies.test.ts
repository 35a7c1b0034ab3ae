import { expect, it } from 'vitest'
import type { Dot } from './journal.ts'
import { type Arrival, type Person, type SyncSample, tallyReplies } from './tally-replies.ts'

const MINUTE_MS = 60_000
/** A person who received the first step immediately; her reply was in the mailbox a minute later. */
const ada: Person = {
  email: 'ada@acme.example',
  status: 'replied',
  mailboxId: 'box',
  received: 1,
  knownAt: new Date(MINUTE_MS + 200),
}
const arrival: Arrival = {
  email: ada.email,
  journalTime: MINUTE_MS,
  engineTime: MINUTE_MS,
  realTime: MINUTE_MS,
}
const dot = (at: number, messageId = `<${at}@acme.example>`): Dot => ({
  kind: 'dot',
  at,
  to: ada.email,
  messageId,
  isAccepted: true,
  wire: '',
})
const sample = (beganAt: number, sampledAt: number): SyncSample => ({
  mailboxId: 'box',
  beganAt,
  journalTime: sampledAt,
  engineTime: sampledAt,
})

const check = (facts: { people?: Person[]; dots: Dot[]; arrivals?: Arrival[]; samples?: SyncSample[] }) =>
  tallyReplies(
    { people: [ada], arrivals: [arrival], samples: [], ...facts },
    { steps: 2, maxAgeMs: 10 * MINUTE_MS, mailboxIdsWithoutFault: ['box'] },
  )
const noErrors = { late: 0, stale: 0, duplicated: 0, lost: 0, missingSteps: 0 }

it('reports no error for a correct run', () => {
  expect(check({ dots: [dot(0)] })).toMatchObject({ ...noErrors, crossed: 0, knownAfterMs: { p50: 200 } })
  expect(check({ dots: [dot(0), dot(MINUTE_MS - 1)] })).toMatchObject({
    ...noErrors,
    crossed: 0,
    followUps: 1,
  })
})

it('counts a step sent after an unread reply, but not as an error', () => {
  const dots = [dot(0), dot(2 * MINUTE_MS)]
  expect(check({ dots })).toMatchObject({ ...noErrors, crossed: 1, crossedAfterMs: { longest: MINUTE_MS } })
  // A sync that began before the reply may have missed it.
  expect(check({ dots, samples: [sample(MINUTE_MS - 1, MINUTE_MS + 1)] })).toMatchObject(noErrors)
})

it('reports a step as late if it was sent after a sync that must have seen the reply', () => {
  const samples = [sample(MINUTE_MS + 1, MINUTE_MS + 100)]
  expect(check({ dots: [dot(0), dot(2 * MINUTE_MS)], samples })).toMatchObject({ ...noErrors, late: 1 })
})

it('reports a step as stale if it was sent after a reply had been unread for too long', () => {
  expect(check({ dots: [dot(0), dot(12 * MINUTE_MS)] })).toMatchObject({ ...noErrors, stale: 1 })
})

it('reports duplicate steps, replies without effect and sequences that stopped without a reply', () => {
  expect(check({ dots: [dot(0, '<one@acme.example>'), dot(1, '<one@acme.example>')] })).toMatchObject({
    ...noErrors,
    duplicated: 1,
  })
  for (const wrong of [{ status: 'active' }, { received: 0 }, { received: 2 }])
    expect(check({ dots: [dot(0)], people: [{ ...ada, ...wrong }] })).toMatchObject({ ...noErrors, lost: 1 })
  expect(check({ dots: [dot(0)], arrivals: [] })).toMatchObject({ ...noErrors, missingSteps: 1 })
})
