import { expect, it } from 'vitest'
import { amount } from '../support/environment.ts'
import { randomFrom } from '../support/random.ts'
import { stormCalls } from './call-storm.ts'
import { report } from './check.ts'

const calls = amount('C12_CALLS', 200, 2_000)

it('C12: however providers fail and engines die, nobody is dialed twice, at night, against their will or without their consent, and each call has its end within a minute of it', async () => {
  const figures = await stormCalls({ calls, kills: 20, random: randomFrom('C12_STORM_SEED') })
  report('C12', figures)
  expect(figures).toMatchObject({
    calls,
    doubled: 0,
    wrong: 0,
    unknownDialed: 0,
    left: 0,
    stuck: 0,
    quietHours: 0,
    withoutConsent: 0,
    late: 0,
    askedNotTo: 0,
  })
  // Or nothing was shown.
  expect(figures.kills).toBeGreaterThan(5)
  expect(figures.answered).toBeGreaterThan(calls / 2)
  expect(figures.unknown).toBeGreaterThan(0)
}, 1_200_000)
