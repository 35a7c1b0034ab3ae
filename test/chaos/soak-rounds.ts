import { inspect } from 'node:util'
import { openTestApp } from '../support/app.ts'
import { openTemplateDatabase } from '../support/db/database.ts'
import { seedFrom } from '../support/random.ts'
import { openServer } from '../support/run/global-setup.ts'
import { type Figures, findExceededLimits, scenarios } from './soak-scenarios.ts'

/** The report of one round. */
export type Round = Figures & {
  scenario: string
  done: number
  seed: number
  seconds: number
  errors: string[]
}

// Runs one scenario's rounds in a process with its own PostgreSQL.
const [name, total] = process.argv.slice(2) as [string, string]
const scenario = scenarios[name]!
// The process of the embedded PostgreSQL cleans up once this process has exited.
for (const signal of ['SIGINT', 'SIGTERM', 'disconnect'] as const) process.once(signal, () => process.exit(1))

await using server = await openServer()
await using database = await openTemplateDatabase(server.connection)
for (let left = Number(total); left > 0; ) {
  const startedAt = performance.now()
  const seed = seedFrom(`${name.toUpperCase().replaceAll('-', '_')}_SEED`)
  const done = Math.min(scenario.roundSize, left)
  const figures = await runOnce(done, seed)
  left -= done
  const seconds = Math.round((performance.now() - startedAt) / 1000)
  const errors = figures.error ? [String(figures.error)] : findExceededLimits(scenario, figures)
  const round: Round = { scenario: name, ...figures, done, seed, seconds, errors }
  await new Promise(resolve => process.send!(round, undefined, undefined, resolve))
}
process.removeAllListeners('disconnect')
process.disconnect!()

async function runOnce(size: number, seed: number): Promise<Figures> {
  try {
    await using app = await openTestApp({ ALLOW_PRIVATE_HOSTS: '127.0.0.1' }, database)
    return await scenario.run(app, size, seed, database)
  } catch (error) {
    return { error: inspect(error) }
  }
}
