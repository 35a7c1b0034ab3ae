import { expect, it } from 'vitest'
import { randomFrom } from '../support/random.ts'
import { stopDatabase } from './database-stops.ts'
import { report } from './tally-deliveries.ts'

it('nothing acknowledged is lost or duplicated when PostgreSQL stops immediately, and the system recovers by itself', async () => {
  const stops = 3
  const figures = await stopDatabase({ stops, pauseMs: 50, random: randomFrom('DATABASE_STOPS_SEED') })
  report('database-stops', figures)
  expect(figures).toMatchObject({
    lostWrites: 0,
    lost: 0,
    duplicated: 0,
    misreported: 0,
    late: 0,
    refusals: [],
  })
  expect(figures.acknowledged).toBeGreaterThanOrEqual(stops * 20)
})
