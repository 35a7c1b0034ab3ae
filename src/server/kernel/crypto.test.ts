import { link, mkdtemp, readFile, rm, truncate } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { loadOrCreateSecret } from './crypto.ts'

let dir: string
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'overture-secret-'))
})
afterAll(() => rm(dir, { recursive: true }))

test('an installation keeps one secret despite concurrent starts and leftovers of killed processes', async () => {
  const folder = join(dir, 'data')
  const first = await Promise.all(Array.from({ length: 20 }, () => loadOrCreateSecret(folder)))
  const [secret] = first
  expect(new Set(first).size).toBe(1)
  // A process killed between link and unlink leaves a second link to the secret.
  await link(join(folder, 'secret'), join(folder, `secret.${process.pid}`))
  expect(await loadOrCreateSecret(folder)).toBe(secret)
  expect(await readFile(join(folder, 'secret'), 'utf8')).toBe(secret)
})

test.each([0, 31])('an installation rejects a secret that was truncated to %d characters', async length => {
  const folder = join(dir, `truncated-${length}`)
  await loadOrCreateSecret(folder)
  const path = join(folder, 'secret')
  await truncate(path, length)
  await expect(loadOrCreateSecret(folder)).rejects.toThrow(`${path} is damaged. Restore it from a backup.`)
})
