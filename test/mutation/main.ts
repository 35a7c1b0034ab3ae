import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { Command } from 'commander'
import { environment } from '../support/processes/environment.ts'
import { groups } from './groups.ts'

/** A separate folder for Stryker, which isn't among the normal dependencies. */
const folder = '.mutation'
const packages = ['@stryker-mutator/core@10.1.1', '@stryker-mutator/vitest-runner@10.1.1']

const command = new Command('npm run mutation --')
  .description('Mutates the code of a group and reports mutants that its tests do not detect.')
  .argument('[group...]', `any of ${Object.keys(groups).join(', ')}; defaults to all`)
  .parse()
const names = command.args.length > 0 ? command.args : Object.keys(groups)
const unknown = names.find(name => !(name in groups))
if (unknown) command.error(`unknown group ${unknown}; allowed groups: ${Object.keys(groups).join(', ')}`)

const run = (program: string, args: string[], settings: NodeJS.ProcessEnv = {}): boolean =>
  spawnSync(program, args, { stdio: 'inherit', env: environment(settings) }).status === 0

const stryker = `${folder}/node_modules/.bin/stryker`
// Peer dependencies are not installed, because Stryker must use the project's Vitest.
const npm = `install --prefix ${folder} --no-save --no-package-lock --legacy-peer-deps --ignore-scripts --no-audit`
if (!existsSync(stryker) && !run('npm', [...npm.split(' '), ...packages])) process.exit(1)

type Tally = Record<string, number>
const tallies = new Map<string, Tally>()
for (const name of names) {
  const args = ['run', 'test/mutation/stryker.config.json', '--mutate', groups[name]!.code.join(',')]
  if (!run(stryker, args, { MUTATION_GROUP: name })) process.exitCode = 1
  const { files } = JSON.parse(readFileSync(`${folder}/report.json`, 'utf8')) as {
    files: Record<string, { mutants: { status: string }[] }>
  }
  for (const [file, { mutants }] of Object.entries(files)) {
    const tally: Tally = {}
    for (const { status } of mutants) tally[status] = (tally[status] ?? 0) + 1
    tallies.set(file, tally)
  }
}

const sum = (all: Iterable<Tally>, status: string): number =>
  [...all].reduce((total, tally) => total + (tally[status] ?? 0), 0)
const row = (tallies: Tally[]) => {
  const [killed, timeout, survived, uncovered] = ['Killed', 'Timeout', 'Survived', 'NoCoverage'].map(status =>
    sum(tallies, status),
  ) as [number, number, number, number]
  const mutants = killed + timeout + survived + uncovered
  const found = Number(((100 * (killed + timeout)) / mutants).toFixed(1))
  return { mutants, killed, timeout, survived, uncovered, '%': found }
}
console.table(
  Object.fromEntries([
    ...[...tallies].map(([file, tally]) => [file.replace('src/server/', ''), row([tally])]),
    ['all', row([...tallies.values()])],
  ]),
)
