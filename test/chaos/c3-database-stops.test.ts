import { expect, it } from 'vitest'
import { amount } from '../support/environment.ts'
import { randomFrom } from '../support/random.ts'
import { report } from './check.ts'
import { stopDatabase } from './database-stops.ts'

const stops = amount('C3_STOPS', 0, 0)

// Not yet a part of every run: about one stop in ten leaves an engine waiting for an answer that never comes.
it.runIf(stops > 0)(
  'C3: nothing acknowledged is lost, doubled or forgotten when PostgreSQL stops at once, and all comes back by itself',
  async () => {
    const figures = await stopDatabase({ stops, random: randomFrom('C3_SEED') })
    report('C3', figures)
    expect(figures).toMatchObject({ lostWrites: 0, lost: 0, doubled: 0, silent: 0, late: 0, refusals: [] })
    expect(figures.acknowledged).toBeGreaterThanOrEqual(stops * 20)
  },
  1_800_000,
)
