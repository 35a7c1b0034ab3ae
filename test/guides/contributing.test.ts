import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { environment } from '../support/processes/environment.ts'

const root = join(import.meta.dirname, '../..')
const text = readFileSync(join(root, 'CONTRIBUTING.md'), 'utf8')
const table = /^\| to \| run \|\n\|---\|---\|\n((?:\|.*\n)+)/m.exec(text)![1]!
const printed = table.split('\n').flatMap(row => {
  const [, commands = ''] = row.split(' | ')
  return [...commands.matchAll(/`([^`]+)`/g)].map(([, command]) => command!)
})

/** Commands that are run, with added options that make them fast and harmless, and their expected output. */
const runs: [command: string, extra: string, output: RegExp][] = [
  ["bin/test src/server/kernel/page.test.ts -t 'a cursor'", '', /^\d+ passed, 0 failed, \d+ skipped$/m],
  ['bin/build-web', '', /^$/],
  [
    'npm run soak -- --scale 0.01',
    '--only random-schedules --scale 0.0001 --file "$FOLDER/soak.jsonl"',
    /random-schedules/,
  ],
  ['npm run mutation -- schedule', '--help', /any of .*\bschedule\b/s],
  ['npm run bench -- --rows 200000 --rounds 1', '--help', /--rows.*--rounds/s],
]

/** Commands that are not run, because they are too slow, resemble one above, or change the checkout. */
const notRun = [
  'bin/test src/server/kernel/page.test.ts',
  'bin/test inbox',
  'npm run format',
  'npm run check',
  'npm run schema',
  'npm run baseline',
  'npm run soak',
  'npm run screenshot',
]

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'overture-contributing-'))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

it('every command in CONTRIBUTING is either tested or listed as not run', () => {
  expect(printed.toSorted()).toEqual([...runs.map(([command]) => command), ...notRun].toSorted())
})

it.each(runs)(
  '%s works as CONTRIBUTING prints it',
  async (command, extra, output) => {
    const shell = promisify(execFile)('/bin/sh', ['-c', `${command} ${extra}`], {
      cwd: root,
      env: environment({ FOLDER: folder, TEST_DATABASE_URL: '' }),
    })
    expect((await shell).stdout).toMatch(output)
  },
  120_000,
)

it('every npm script that CONTRIBUTING prints exists', () => {
  const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  const names = [...text.matchAll(/`npm run ([a-z]+)/g)].map(([, name]) => name!)
  expect(names.filter(name => !(name in scripts))).toEqual([])
})

it('bin/test includes the checks of npm run check', () => {
  expect(readFileSync(join(root, 'bin/test'), 'utf8')).toContain('npm run --silent check')
})
