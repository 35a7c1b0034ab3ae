import { appendFile, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { readLogTail, rotateLog, truncateLog } from './server-log.ts'

let dir: string
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'overture-test-'))
})
afterAll(() => rm(dir, { recursive: true }))

it('keeps one old log when the log is long at start-up', async () => {
  const path = join(dir, 'server.log')
  await rotateLog(path)
  await writeFile(path, 'short')
  await rotateLog(path)
  expect(await readdir(dir)).toEqual(['server.log'])
  await writeFile(path, 'x'.repeat(2_000_000))
  await rotateLog(path)
  expect(await readdir(dir)).toEqual(['server.log.old'])
})

it('limits the log size of a running server', async () => {
  const path = join(dir, 'running.log')
  await truncateLog(path)
  await writeFile(path, 'x'.repeat(11_000_000))
  await truncateLog(path)
  expect((await stat(path)).size).toBe(0)
  await appendFile(path, 'goes on')
  await truncateLog(path)
  expect(await readFile(path, 'utf8')).toBe('goes on')
})

it('reads only the last lines logged since the current start', async () => {
  const path = join(dir, 'tail.log')
  await writeFile(path, 'earlier\n')
  await appendFile(path, Array.from({ length: 2_000 }, (_, line) => `line ${line}`).join('\n'))
  expect((await readLogTail(path, 8)).split('\n')).toEqual(
    Array.from({ length: 8 }, (_, line) => `line ${1_992 + line}`),
  )
  await writeFile(path, 'earlier\nnow')
  expect(await readLogTail(path, 8)).toBe('now')
})
