import { appendFileSync } from 'node:fs'
import { Command, InvalidArgumentError } from 'commander'
import { openTestApp, type TestApp } from '../support/app.ts'
import { openPlace } from '../support/database.ts'
import { openServer } from '../support/global-setup.ts'
import { randomFrom } from '../support/random.ts'
import { stopDatabase } from './database-stops.ts'
import { freezeEngines } from './frozen-engines.ts'
import { killEverywhere } from './kill-matrix.ts'
import { loseAnswers } from './lost-answers.ts'
import { raceOptOuts } from './opt-out-races.ts'
import { checkRandomSchedules } from './random-schedules.ts'
import { killEngines } from './takeovers.ts'

type Random = () => number
/** One round of a claim, of so much or a little more; `done` is how much it was. */
type Round = (app: TestApp, size: number, random: Random) => Promise<{ done: number } & object>
type Claim = { what: string; whole: number; round: number; run: Round }

/** `whole` is all of the claim at scale 1, `round` how much of it shares a database. */
const claims: Record<string, Claim> = {
  c1: {
    what: 'races of an opt-out with its mail',
    whole: 50_000,
    round: 2_000,
    run: async (app, races, random) => ({ done: races, ...(await raceOptOuts(app, { races, random })) }),
  },
  c2: {
    what: 'kills',
    whole: 5_000,
    round: 300,
    run: async (app, _, random) => {
      const figures = await killEverywhere(app, { engines: 4, mailsPerServer: 250, oneDeathIn: 2, random })
      return { done: figures.deaths, ...figures }
    },
  },
  c3: {
    what: 'immediate stops of PostgreSQL',
    whole: 300,
    round: 20,
    run: async (_, stops, random) => ({ done: stops, ...(await stopDatabase({ stops, random })) }),
  },
  c4: {
    what: 'lost answers',
    whole: 10_000,
    round: 1_000,
    run: async (app, mails, random) => ({ done: mails, ...(await loseAnswers(app, { mails, random })) }),
  },
  c5: {
    what: 'frozen engines',
    whole: 1_000,
    round: 100,
    run: async (app, freezes, random) => ({
      done: freezes,
      ...(await freezeEngines(app, { freezes, random })),
    }),
  },
  c6: {
    what: 'killed engines with work to take over',
    whole: 80,
    round: 16,
    run: async (app, kills, random) => {
      const figures = await killEngines(app, { waves: Math.ceil(kills / 4), random })
      return { done: figures.kills, ...figures }
    },
  },
  schedules: {
    what: 'random schedules',
    whole: 5_000_000,
    round: 50_000,
    run: async (_, cases, random) => ({
      done: cases,
      wrong: [...checkRandomSchedules(cases, random)].length,
    }),
  },
}

const share = (text: string): number => {
  const scale = Number(text)
  if (!(scale > 0)) throw new InvalidArgumentError('give a number above 0')
  return scale
}
const options = new Command('npm run soak --')
  .description('The promises of sending, attacked for long. Each claim appends a line of JSON a round.')
  .option('--scale <share>', 'how much of the whole: 0.01 is a hundredth', share, 1)
  .option('--only <claim...>', `of ${Object.keys(claims).join(', ')}`)
  .option('--file <path>', 'where the lines go', 'soak.jsonl')
  .parse()
  .opts<{ scale: number; only?: string[]; file: string }>()

await using server = await openServer()
await using place = await openPlace(server.connection)
for (const [name, { what, whole, round, run }] of Object.entries(claims)) {
  if (options.only && !options.only.includes(name)) continue
  const target = Math.ceil(whole * options.scale)
  const random = randomFrom(`${name.toUpperCase()}_SEED`)
  for (let done = 0; done < target; ) {
    const startedAt = performance.now()
    await using app = await openTestApp({ ALLOW_PRIVATE_HOSTS: '127.0.0.1' }, place)
    const figures = await run(app, Math.min(round, target - done), random)
    done += figures.done
    const seconds = Math.round((performance.now() - startedAt) / 1000)
    const line = JSON.stringify({ claim: name, what, ...figures, of: target, seconds })
    appendFileSync(options.file, `${line}\n`)
    console.log(`${name}: ${done} of ${target} ${what}\n${line}`)
  }
}
