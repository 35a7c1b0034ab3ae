import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { createApiToken } from '../../src/server/domain/auth/stored-api-tokens.ts'
import { makeCaller, openTestApp, type TestApp } from '../support/app.ts'
import { startServer } from '../support/http/server-processes.ts'

let app: TestApp
beforeAll(async () => {
  app = await openTestApp()
})
afterAll(() => app[Symbol.asyncDispose]())

it('a stopped server finishes requests whose clients disconnected, then exits', async () => {
  const owner = await makeCaller(app)
  const { token } = await createApiToken(app.db.auth, { userId: owner.userId, name: 'test' })
  // More requests than database connections, so that some wait for one.
  const names = Array.from({ length: 40 }, (_, n) => `Rep ${n}`)
  const hangUp = new AbortController()
  const server = await startServer(app)
  let stopped: PromiseLike<void> | undefined
  await app.owner.begin(async tx => {
    await tx`lock table reps`
    const requests = names.map(name =>
      fetch(`${server.url}/v1/reps`, {
        method: 'POST',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        body: JSON.stringify({ name }),
        signal: hangUp.signal,
      }).catch(() => undefined),
    )
    await vi.waitFor(
      async () => {
        const [waiting] = await tx`
          select count(*)::int as count from pg_locks where relation = 'reps'::regclass and not granted`
        expect(waiting?.count).toBe(10)
      },
      { timeout: 60_000, interval: 50 },
    )
    hangUp.abort()
    await Promise.all(requests)
    stopped = server[Symbol.asyncDispose]()
  })
  await stopped
  const { data } = await owner.call('listReps', { limit: 100 })
  expect(names).toEqual(expect.arrayContaining(data.map(({ name }) => name)))
  expect(data.length).toBeGreaterThanOrEqual(10)
})
