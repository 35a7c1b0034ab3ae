import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { appendFileSync } from 'node:fs'
import { join } from 'node:path'
import { Command, InvalidArgumentError, Option } from 'commander'
import type { Round } from './soak-rounds.ts'
import { scenarios } from './soak-scenarios.ts'

const parseScale = (text: string): number => {
  const scale = Number(text)
  if (!(scale > 0)) throw new InvalidArgumentError('must be a number above 0')
  return scale
}
const options = new Command('npm run soak --')
  .description('Tests the delivery guarantees for an hour. Each finished round appends a line of JSON.')
  .option(
    '--scale <share>',
    'size relative to a one-hour run: 0.01 is a hundredth of it, 10 runs every scenario at its full size',
    parseScale,
    1,
  )
  .addOption(new Option('--only <scenario...>', 'run only these scenarios').choices(Object.keys(scenarios)))
  .option('--file <path>', 'output file', 'soak.jsonl')
  .parse()
  .opts<{ scale: number; only?: string[]; file: string }>()

type Part = { name: string; size: number; minutes: number; isWaiting: boolean }

const parts = Object.entries(scenarios)
  .filter(([name]) => !options.only || options.only.includes(name))
  .map(([name, { fullSize, oneHourSize = fullSize, seconds, isWaiting = false }]): Part => {
    const size = Math.min(fullSize, Math.ceil(oneHourSize * options.scale))
    return { name, size, minutes: (size * seconds) / 60, isWaiting }
  })
const formatMinutes = (minutes: number): string => `about ${Math.max(1, Math.round(minutes))} min`
for (const { name, size, minutes } of parts) {
  const { unit, fullSize } = scenarios[name]!
  const rest = size < fullSize ? ` of ${fullSize}` : ''
  console.log(`${name}: ${size}${rest} ${unit}, ${formatMinutes(minutes)}`)
}
console.log(
  `Two at a time: ${formatMinutes(parts.reduce((sum, { minutes }) => sum + minutes, 0) / 2)} in total.`,
)

const errors: string[] = []
const running = new Set<ChildProcess>()
let isOver = false
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.on(signal, () => {
    isOver = true
    for (const child of running) child.kill(signal)
  })
}
// One worker runs the scenarios that use the CPU, the other runs those that wait. A worker that has none left takes one
// of the other worker's scenarios.
await Promise.all([runWorker(false), runWorker(true)])
for (const each of errors) console.log(`ERROR ${each}`)
console.log(`${isOver ? 'Interrupted' : 'Done'}: ${errors.length} errors. All rounds are in ${options.file}.`)
process.exitCode = errors.length > 0 || isOver ? 1 : 0

async function runWorker(isWaiting: boolean): Promise<void> {
  while (parts.length > 0 && !isOver) {
    const own = parts.findIndex(part => part.isWaiting === isWaiting)
    const [part] = parts.splice(Math.max(0, own), 1)
    await run(part!)
  }
}

async function run({ name, size }: Part): Promise<void> {
  const { unit } = scenarios[name]!
  const child = fork(join(import.meta.dirname, 'soak-rounds.ts'), [name, String(size)], { execArgv: [] })
  running.add(child)
  let done = 0
  child.on('message', (round: Round) => {
    done += round.done
    appendFileSync(options.file, `${JSON.stringify({ ...round, unit, of: size })}\n`)
    console.log(`${name}: ${done} of ${size} ${unit}, ${round.seconds} s for these ${round.done}`)
    for (const error of round.errors) errors.push(`${name}, seed ${round.seed}: ${error}`)
  })
  const [code] = await once(child, 'exit')
  running.delete(child)
  if (code !== 0 && !isOver) errors.push(`${name} ended after ${done} of ${size}`)
}
