import { link, mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { loadOrCreateSecret } from './crypto.ts'

let dir: string
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'overture-secret-'))
})
afterAll(() => rm(dir, { recursive: true }))

test('an installation keeps its one secret, whoever begins at once and whatever a killed process left', async () => {
  const folder = join(dir, 'data')
  const first = await Promise.all(Array.from({ length: 20 }, () => loadOrCreateSecret(folder)))
  const [secret] = first
  expect(new Set(first).size).toBe(1)
  // A second name of the secret, as one leaves it that is killed right after giving it the first.
  await link(join(folder, 'secret'), join(folder, `secret.${process.pid}`))
  expect(await loadOrCreateSecret(folder)).toBe(secret)
  expect(await readFile(join(folder, 'secret'), 'utf8')).toBe(secret)
})
