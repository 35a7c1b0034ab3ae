import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { listApiTokens, revokeApiToken } from '../../src/server/domain/auth/stored-api-tokens.ts'
import { makeCaller } from '../support/app.ts'
import {
  getBody,
  openSpecificationServer,
  type SpecificationServer,
} from '../support/contract/specification-server.ts'

let specified: SpecificationServer
beforeAll(async () => {
  specified = await openSpecificationServer()
})
afterAll(() => specified[Symbol.asyncDispose]())

const unauthorized = (word: RegExp) => ({
  status: 401,
  body: { error: 'Unauthorized', message: expect.stringMatching(word) },
})

it('5.1.1: accepts a request with a Bearer token', async () => {
  const { server, token } = specified
  for (const scheme of ['Bearer', 'bearer']) {
    const response = await server.request('GET', '/reps', {
      headers: { authorization: `${scheme} ${token}` },
    })
    expect(response.status).toBe(200)
  }
})

it('5.1.3: uses the header to choose the account when the user has several', async () => {
  const { server, caller, world } = specified
  const other = await makeCaller(server.app)
  await server.app.db.auth`
    insert into members (account_id, user_id, role) values (${caller.accountId}, ${other.userId}, 'viewer')`
  const token = await server.createToken(other)
  const listReps = async (accountId: string) =>
    getBody<{ data: unknown[] }>(
      await server.request('GET', '/reps', { token, headers: { 'x-account-id': accountId } }),
    ).data
  expect(await listReps(caller.accountId)).toMatchObject([{ id: world.repId }])
  expect(await listReps(other.accountId)).toEqual([])
  expect(await server.request('GET', '/reps', { token })).toMatchObject(unauthorized(/x-account-id/))
})

it('5.1.3.one-account: uses the only account with and without the header', async () => {
  const { server, token, caller, get } = specified
  const without = getBody(await get('/reps'))
  const headers = { 'x-account-id': caller.accountId.toUpperCase() }
  expect(getBody(await server.request('GET', '/reps', { token, headers }))).toEqual(without)
})

it('5.1.5.revoked: rejects a revoked token', async () => {
  const { server, caller } = specified
  const token = await server.createToken(caller)
  expect((await server.request('GET', '/reps', { token })).status).toBe(200)
  const [newest] = await listApiTokens(server.app.db.auth, { userId: caller.userId })
  await revokeApiToken(server.app.db.auth, newest!.id)
  // The revocation takes effect a moment later.
  await vi.waitFor(
    async () =>
      expect(await server.request('GET', '/reps', { token })).toMatchObject(unauthorized(/revoked/)),
    10_000,
  )
})

it('5.1.5.foreign-account: rejects an account that the user is not in', async () => {
  const { server, token } = specified
  const { accountId } = await makeCaller(server.app)
  const headers = { 'x-account-id': accountId }
  expect(await server.request('GET', '/reps', { token, headers })).toMatchObject(unauthorized(/x-account-id/))
})
