import { expect, it } from 'vitest'
import { REFRESH_LEASE_MS } from '../../src/server/domain/mailboxes/access-token.ts'
import { type GrantChange, splitDelays, tallyRefreshes } from './tally-refreshes.ts'

const email = 'ada@acme.example'
const at = (ms: number) => new Date(ms)
/** The engines' clock is an hour ahead of the database's. */
const OFFSET_MS = 3_600_000

const claimed = (ms: number): GrantChange => ({
  ...{ email, at: at(ms), kind: 'claimed' },
  leaseEndsAt: at(ms + OFFSET_MS + REFRESH_LEASE_MS),
})
const renewed = (ms: number): GrantChange => ({ ...claimed(ms), kind: 'renewed' }) as GrantChange
const failed = (ms: number, backoffMs: number): GrantChange => ({
  ...{ email, at: at(ms), kind: 'failed' },
  retryAt: at(ms + OFFSET_MS + backoffMs),
})
const stored = (ms: number): GrantChange => ({ email, at: at(ms), kind: 'stored' })

const tally = (changes: GrantChange[], requests: number) =>
  tallyRefreshes(changes, new Map([[email, requests]]))

const noErrors = {
  fewestRefreshes: 1,
  mostRefreshes: 1,
  unneeded: 0,
  overlapping: 0,
  early: 0,
  unclaimed: 0,
  lapsed: 0,
}

it.each([
  ['a refresh', [claimed(0), stored(100)], 1, {}],
  [
    'a refresh after a failure and its backoff',
    [claimed(0), failed(100, 2_000), claimed(2_100), stored(2_200)],
    2,
    {},
  ],
  [
    'a request before the backoff has ended',
    [claimed(0), failed(100, 2_000), claimed(2_099), stored(2_200)],
    2,
    { early: 1 },
  ],
  ['a request without a claim', [claimed(0), stored(100)], 2, { unclaimed: 1 }],
  [
    'a refresh that nobody needs',
    [claimed(0), stored(100), claimed(200), stored(300)],
    2,
    { unneeded: 1, fewestRefreshes: 2, mostRefreshes: 2 },
  ],
  ['a request during another one', [claimed(0), claimed(100), stored(300)], 2, { overlapping: 1, lapsed: 1 }],
  [
    'a request after the lease of another one',
    [claimed(0), claimed(REFRESH_LEASE_MS), stored(REFRESH_LEASE_MS + 300)],
    2,
    { lapsed: 1 },
  ],
  [
    'a request during another one whose lease was renewed',
    [claimed(0), renewed(6_000), claimed(REFRESH_LEASE_MS), stored(REFRESH_LEASE_MS + 300)],
    2,
    { overlapping: 1, lapsed: 1 },
  ],
  [
    'a mailbox without a token',
    [claimed(0), failed(100, 2_000)],
    1,
    { fewestRefreshes: 0, mostRefreshes: 0 },
  ],
] as [string, GrantChange[], number, object][])('%s is counted', (_, changes, requests, expected) => {
  expect(tally(changes, requests)).toMatchObject({ ...noErrors, ...expected })
})

it('the time until the first email is split into requests, backoffs and the rest', () => {
  const changes = [claimed(500), failed(600, 2_000), claimed(3_000), stored(3_400)]
  const delays = splitDelays(changes, new Map([[email, 4_000]]), { expiredAt: 0, clockOffsetMs: OFFSET_MS })
  expect(delays).toMatchObject({
    requestsMs: { max: 500 },
    backoffsMs: { max: 2_000 },
    restMs: { max: 1_500 },
  })
})
