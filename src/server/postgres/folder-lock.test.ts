import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { lockFile } from './folder-lock.ts'

let dir: string
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'overture-test-'))
})
afterAll(() => rm(dir, { recursive: true }))

it('admits one caller at a time', async () => {
  let inside = 0
  const counts = await Promise.all(
    Array.from({ length: 20 }, async () => {
      using _lock = await lockFile(join(dir, 'many'), 30_000)
      inside++
      await new Promise(setImmediate)
      return inside--
    }),
  )
  expect(Math.max(...counts)).toBe(1)
})

it('throws an error that names the file when the wait times out', async () => {
  const path = join(dir, 'held')
  using _lock = await lockFile(path, 1_000)
  await expect(lockFile(path, 0)).rejects.toThrow(path)
})
