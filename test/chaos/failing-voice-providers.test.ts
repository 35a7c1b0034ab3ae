import { expect, it } from 'vitest'
import { randomFrom } from '../support/random.ts'
import { stormCalls } from './failing-voice-providers.ts'
import { report } from './tally-deliveries.ts'

const calls = 100

it('nobody is dialed twice, at night, without consent or after opting out, and the end of each call is recorded within a minute, while providers fail and engines are killed', async () => {
  const figures = await stormCalls({ calls, kills: 10, random: randomFrom('VOICE_PROVIDERS_SEED') })
  report('failing-voice-providers', figures)
  expect(figures).toMatchObject({
    calls,
    duplicated: 0,
    mismatched: 0,
    unknownDialed: 0,
    unfinished: 0,
    stuck: 0,
    quietHours: 0,
    withoutConsent: 0,
    late: 0,
    afterOptOut: 0,
  })
  // Otherwise the test proves nothing.
  expect(figures.kills).toBeGreaterThan(2)
  expect(figures.answered).toBeGreaterThan(calls / 2)
  expect(figures.unknown).toBeGreaterThan(0)
})
