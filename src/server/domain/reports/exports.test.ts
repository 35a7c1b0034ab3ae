import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Caller, makeCaller } from '../../../../test/support/app.ts'
import { writeExports } from '../../../../test/support/contract/world.ts'
import { openTestServer, type TestServer } from '../../../../test/support/http/server.ts'
import { claimExports } from './claim-exports.ts'
import { deleteExpiredExports } from './exports.ts'
import { writeExport } from './write-export.ts'

let server: TestServer
let owner: Caller
beforeAll(async () => {
  server = await openTestServer()
})
afterAll(() => server[Symbol.asyncDispose]())

const addPersons = (accountId: string, count: number) => server.app.owner`
  insert into persons (account_id, id, email)
  select ${accountId}, gen_random_uuid(), i || '@many.example' from generate_series(1, ${count}::int) i`

async function makeAccount(persons = 3): Promise<Caller> {
  owner = await makeCaller(server.app)
  await addPersons(owner.accountId, persons)
  return owner
}

const start = (caller = owner) => caller.call('exportData', { kind: 'persons' })
const get = (exportId: string, caller = owner) => caller.call('getExport', { exportId })
const download = async (exportId: string, caller = owner) =>
  server.request('GET', `/exports/${exportId}/download`, { token: await server.createToken(caller) })

/** Writes one page of the running export and then stops, like an engine that is shut down. */
async function writeOnePage(): Promise<void> {
  const [claim] = await claimExports(server.app.db.engine, {
    now: server.app.now(),
    limit: 1,
    leaseMs: 60_000,
  })
  await writeExport(server.app, claim!, AbortSignal.abort())
}

describe('an export', () => {
  it('is written in the background, shows its progress, and is downloaded as one CSV file', async () => {
    await makeAccount(2_500)
    const { id: exportId } = await start()
    expect(await get(exportId)).toMatchObject({ status: 'running', rows: 0 })
    await writeOnePage()
    expect(await get(exportId)).toMatchObject({ status: 'running', rows: 1_000 })
    expect((await get(exportId)).url).toBeUndefined()
    expect((await download(exportId)).status).toBe(404)
    await writeExports(server.app)
    const finished = await get(exportId)
    expect(finished).toMatchObject({ status: 'finished', rows: 2_500, bytes: expect.any(Number) })
    expect(finished.url).toMatch(new RegExp(`/v1/exports/${exportId}/download$`))
    const file = await download(exportId)
    expect(file.status).toBe(200)
    expect(Number(file.headers.get('content-length'))).toBe(finished.bytes)
    expect(file.headers.get('content-disposition')).toMatch(/^attachment; filename="persons-[\d-]+\.csv"$/)
    const lines = file.text.trimEnd().split('\r\n')
    expect(lines[0]).toContain('email')
    expect(lines).toHaveLength(2_501)
    expect(new Set(lines).size).toBe(2_501)
  })

  it('contains only a header when there is nothing to export', async () => {
    await makeAccount(0)
    const { id } = await owner.call('exportData', { kind: 'opt_outs' })
    await writeExports(server.app)
    expect((await download(id)).text).toMatch(
      /^\ufeff?id,identifier,identifierType,name,source,createdAt\r\n$/,
    )
  })

  it('is available only to the user who started it', async () => {
    await makeAccount()
    const { id } = await start()
    await writeExports(server.app)
    const others = [
      await makeCaller(server.app, 'owner', owner.accountId),
      await makeCaller(server.app, 'viewer', owner.accountId),
      await makeCaller(server.app),
    ]
    for (const other of others) {
      await expect(get(id, other)).rejects.toMatchObject({ code: 'NotFound' })
      await expect(other.call('deleteExport', { exportId: id })).rejects.toMatchObject({ code: 'NotFound' })
      expect((await download(id, other)).status).toBe(404)
    }
    expect((await server.request('GET', `/exports/${id}/download`)).status).toBe(401)
  })

  it('runs alone in its account, and replaces the earlier export of its kind', async () => {
    await makeAccount()
    const { id: first } = await start()
    await expect(start()).rejects.toMatchObject({ code: 'Conflict' })
    const other = await makeCaller(server.app, 'manager', owner.accountId)
    await expect(start(other)).rejects.toMatchObject({ code: 'Conflict' })
    await writeExports(server.app)
    const { id: second } = await start()
    await expect(get(first)).rejects.toMatchObject({ code: 'NotFound' })
    expect(await get(second)).toMatchObject({ status: 'running' })
  })

  it('can be cancelled while it runs', async () => {
    await makeAccount(1_500)
    const { id: exportId } = await start()
    await writeOnePage()
    await owner.call('deleteExport', { exportId })
    await writeExports(server.app)
    await expect(get(exportId)).rejects.toMatchObject({ code: 'NotFound' })
    const pieces = await server.app.owner`select from export_pieces where export_id = ${exportId}`
    expect(pieces).toHaveLength(0)
    await start()
  })

  it('expires after a day, and its file is deleted', async () => {
    await makeAccount()
    const { id } = await start()
    await writeExports(server.app)
    server.app.setNow(new Date(Date.now() + 24 * 3_600_000 + 60_000))
    await expect(get(id)).rejects.toMatchObject({ code: 'NotFound' })
    await deleteExpiredExports(server.app.db.engine, server.app.now())
    expect(await server.app.owner`select from export_pieces where export_id = ${id}`).toHaveLength(0)
    server.app.setNow(new Date())
  })
})

describe('an export of messages', () => {
  const setRole = (userId: string, role: string) => server.app.owner`
    update members set role = ${role} where account_id = ${owner.accountId} and user_id = ${userId}`

  it('fails if the access of its user is reduced while it runs', async () => {
    await makeAccount()
    const manager = await makeCaller(server.app, 'manager', owner.accountId)
    const { id } = await manager.call('exportData', { kind: 'messages' })
    await setRole(manager.userId, 'member')
    await writeExports(server.app)
    expect(await get(id, manager)).toMatchObject({
      status: 'failed',
      failure: expect.stringContaining('role'),
    })
  })

  it('cannot be downloaded by a user who may no longer read all of it', async () => {
    await makeAccount()
    const manager = await makeCaller(server.app, 'manager', owner.accountId)
    const { id } = await manager.call('exportData', { kind: 'messages' })
    await writeExports(server.app)
    expect((await download(id, manager)).status).toBe(200)
    await setRole(manager.userId, 'member')
    expect((await download(id, manager)).status).toBe(404)
  })
})
