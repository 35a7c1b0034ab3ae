import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  type Caller,
  createCaller,
  makeCaller,
  openTestApp,
  type TestApp,
} from '../../../../test/support/app.ts'
import { makeWorld } from '../../../../test/support/contract/world.ts'
import { connectAs } from '../../../../test/support/http/connection.ts'
import type { RawInput } from '../../../contract/index.ts'
import { createSession } from '../auth/sessions.ts'

let app: TestApp
beforeAll(async () => {
  app = await openTestApp()
})
afterAll(() => app[Symbol.asyncDispose]())

const findAuditRows = (objectId: string) => app.owner`
  select account_id, user_id, actor, action, object_type from audit_log where object_id = ${objectId}
   order by id`

type Change = { action: string; objectType: string; objectId: string }

const ownChanges: Record<string, (caller: Caller) => Promise<Change>> = {
  createApiToken: async ({ call }) => {
    const { id: objectId } = await call('createApiToken', { name: 'CRM' })
    return { action: 'create', objectType: 'api_token', objectId }
  },
  revokeApiToken: async ({ call }) => {
    const { id: objectId } = await call('createApiToken', { name: 'CRM' })
    await app.owner`delete from audit_log where object_id = ${objectId}`
    await call('revokeApiToken', { apiTokenId: objectId })
    // Revoking again changes nothing.
    await call('revokeApiToken', { apiTokenId: objectId })
    return { action: 'revoke', objectType: 'api_token', objectId }
  },
  updateUser: async ({ call, userId: objectId }) => {
    await call('updateUser', { name: 'Ada Byron' })
    return { action: 'update', objectType: 'user', objectId }
  },
  endSession: async ({ call, userId }) => {
    const { id: objectId } = await createSession(app.db.auth, {
      userId,
      address: '192.0.2.7',
      now: app.now(),
    })
    await call('endSession', { sessionId: objectId })
    return { action: 'end', objectType: 'session', objectId }
  },
}

describe("a change to a user's own data", () => {
  it.each(Object.entries(ownChanges))(
    "%s adds one row to the audit log of each of the user's accounts and of no other",
    async (_name, change) => {
      const [caller, other] = [await makeCaller(app), await makeCaller(app)]
      await makeCaller(app)
      await app.owner`
        insert into members (account_id, user_id, role) values (${other.accountId}, ${caller.userId}, 'viewer')`
      const { action, objectType, objectId } = await change(caller)
      const row = { user_id: caller.userId, actor: 'test', action, object_type: objectType }
      const rows = await findAuditRows(objectId)
      expect(rows.toSorted((a, b) => (a.account_id < b.account_id ? -1 : 1))).toEqual(
        [caller.accountId, other.accountId].sort().map(account_id => ({ account_id, ...row })),
      )
      expect((await caller.call('listAuditLog', {})).data[0]).toMatchObject({ action, auditedId: objectId })
    },
  )

  it('disconnecting an application adds one row to the audit log of its account', async () => {
    const [caller, other] = [await makeCaller(app), await makeCaller(app)]
    await app.owner`
      insert into members (account_id, user_id, role) values (${other.accountId}, ${caller.userId}, 'viewer')`
    const { grantId } = await connectAs(app, { userId: caller.userId, accountId: other.accountId })
    await caller.call('disconnectApp', { connectedAppId: grantId })
    expect(await findAuditRows(grantId)).toMatchObject([
      { account_id: other.accountId, user_id: caller.userId, action: 'disconnect' },
    ])
  })

  it('adds no row when it is rejected', async () => {
    const [caller, stranger] = [await makeCaller(app), await makeCaller(app)]
    const { id } = await caller.call('createApiToken', { name: 'CRM' })
    await expect(stranger.call('revokeApiToken', { apiTokenId: id })).rejects.toMatchObject({
      code: 'NotFound',
    })
    expect(await findAuditRows(id)).toMatchObject([{ action: 'create' }])
  })

  it('adds no secret to the audit log', async () => {
    const { call } = await makeCaller(app)
    const { id, token } = await call('createApiToken', { name: 'CRM' })
    const [row] = await app.owner<{ text: string }[]>`
      select l::text as text from audit_log l where object_id = ${id}`
    expect(row!.text).not.toContain(token.split('_')[3])
  })
})

it('marking a LinkedIn conversation as read adds one row to the audit log, and none the second time', async () => {
  const world = await makeWorld(app, await makeCaller(app))
  const { call } = world.caller
  const read = () => call('markLinkedinConversationRead', { conversationId: world.conversationId })
  expect([await read(), await read()]).toEqual([{ read: 1 }, { read: 0 }])
  const { data } = await call('listAuditLog', {})
  expect(data.filter(({ auditedType }) => auditedType === 'linkedin_conversation')).toMatchObject([
    { action: 'read', auditedId: world.linkedinConversationId },
  ])
})

describe('the audit log', () => {
  it('names a former member as they were when they were removed, and so do their Do Not Contact entries', async () => {
    const owner = await makeCaller(app)
    const manager = await makeCaller(app, 'manager', owner.accountId)
    const elsewhere = await makeCaller(app)
    await app.owner`
      insert into members (account_id, user_id, role) values (${elsewhere.accountId}, ${manager.userId}, 'viewer')`
    await manager.call('updateUser', { name: 'Ada Byron' })
    await manager.call('addOptOuts', { identifiers: [{ identifier: 'rival.example' }] })
    const read = async () => ({
      entries: (await owner.call('listAuditLog', { userId: manager.userId })).data,
      optOuts: (await owner.call('listOptOuts', {})).data,
    })
    const before = await read()
    expect(before.entries[0]).toMatchObject({ userName: 'Ada Byron', userEmail: expect.any(String) })
    await owner.call('removeMember', { memberId: manager.userId })
    const { call } = createCaller(app, { ...manager, accountId: elsewhere.accountId })
    await call('updateUser', { name: 'Ada Lovelace' })
    expect(await read()).toEqual(before)
    const [removal] = (await owner.call('listAuditLog', { action: 'remove' })).data
    expect(removal).toMatchObject({ auditedType: 'member', auditedName: 'Ada Byron' })
  })

  it('can be filtered by member, object type, action and time', async () => {
    const owner = await makeCaller(app)
    const manager = await makeCaller(app, 'manager', owner.accountId)
    const { id: campaignId } = await manager.call('createCampaign', { name: 'Spring' })
    await manager.call('updateCampaign', { campaignId, name: 'Autumn' })
    await owner.call('createPerson', { email: 'ada@analytical.example' })
    const list = async (filters: RawInput<'listAuditLog'>) =>
      (await owner.call('listAuditLog', filters)).data.map(
        ({ action, auditedType }) => `${action} ${auditedType}`,
      )
    expect(await list({ userId: manager.userId })).toEqual(['update campaign', 'create campaign'])
    expect(await list({ auditedType: 'campaign', action: 'create' })).toEqual(['create campaign'])
    expect(await list({ userId: owner.userId, action: 'create' })).toContain('create person')
    expect(await list({ action: 'launch' })).toEqual([])
    expect(await list({ until: '2000-01-01T00:00:00Z' })).toEqual([])
    expect(await list({ since: '2000-01-01T00:00:00Z', auditedType: 'person' })).toEqual(['create person'])
    await expect(list({ userId: campaignId })).rejects.toMatchObject({
      code: 'NotFound',
      message: expect.stringContaining('this is the ID of a campaign'),
    })
  })
})
