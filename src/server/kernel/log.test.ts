import { spawnSync } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'

let dir: string
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'overture-log-'))
})
afterAll(() => rm(dir, { recursive: true }))

/** Runs a script with a `log` that writes to a file, which may grow to 4 KB or another limit in blocks. */
const runWithLog = (script: string, file: string, limit = '8') => {
  const start = `
    import { truncateSync } from 'node:fs'
    import { openLog } from ${JSON.stringify(join(import.meta.dirname, 'log.ts'))}
    const log = openLog('info')`
  const program = [process.execPath, '--input-type=module', '--eval', `${start}\n${script}`]
  const command = `ulimit -f ${limit}; file=$1; shift; exec "$@" >>"$file"`
  return spawnSync('/bin/sh', ['-c', command, 'sh', file, ...program], {
    encoding: 'utf8',
    // Ends a process that hangs.
    timeout: 300_000,
  })
}

test.each([
  ['before it exits', 'x'.repeat(6000)],
  ['only when it exits', 'x'],
])('a process keeps running and exits normally when its log is flushed to a full disk %s', (_case, text) => {
  // The event comes after all writes have failed.
  const script = `
    log.info('${text}')
    process.once('beforeExit', () => {
      log.info('still running')
      process.exitCode = 7
    })`
  expect(runWithLog(script, '/dev/full')).toMatchObject({ status: 7, stderr: '' })
})

test('a process that exits immediately after logging loses no line', async () => {
  const file = join(dir, 'exit.log')
  const script = `
    log.info('${'x'.repeat(6000)}')
    log.info('behind the write in flight')
    process.exit(7)`
  expect(runWithLog(script, file, 'unlimited')).toMatchObject({ status: 7, stderr: '' })
  const lines = (await readFile(file, 'utf8')).trim().split('\n')
  expect(lines.map(line => JSON.parse(line).msg).toSorted()).toEqual([
    'behind the write in flight',
    'x'.repeat(6000),
  ])
  expect(runWithLog(script, '/dev/full')).toMatchObject({ status: 7, stderr: '' })
})

test('a log continues where it stopped once its disk has space again', async () => {
  const file = join(dir, 'full.log')
  const script = `
    log.info('${'x'.repeat(6000)}')
    process.once('beforeExit', () => {
      truncateSync('${file}')
      log.info('back')
    })`
  expect(runWithLog(script, file)).toMatchObject({ status: 0, stderr: '' })
  const [rest, line] = (await readFile(file, 'utf8')).split('\n')
  expect(rest).toMatch(/^x+"\}$/)
  expect(JSON.parse(line!)).toMatchObject({ msg: 'back' })
})
