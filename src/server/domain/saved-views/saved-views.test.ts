import { randomUUIDv7 } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type Caller, makeCaller, openTestApp, type TestApp } from '../../../../test/support/app.ts'
import type { RawInput } from '../../../contract/index.ts'
import { maxSavedViews } from '../../../contract/saved-views.ts'

let app: TestApp
let manager: Caller
let member: Caller
let viewer: Caller
beforeAll(async () => {
  app = await openTestApp()
})
beforeEach(async () => {
  manager = await makeCaller(app, 'manager')
  member = await makeCaller(app, 'member', manager.accountId)
  viewer = await makeCaller(app, 'viewer', manager.accountId)
})
afterAll(() => app[Symbol.asyncDispose]())

const create = (who: Caller, name: string, more: Partial<RawInput<'createSavedView'>> = {}) =>
  who.call('createSavedView', { kind: 'people', name, filters: {}, ...more })
const names = async (who: Caller, filters: RawInput<'listSavedViews'> = {}) =>
  (await who.call('listSavedViews', filters)).data.map(({ name }) => name)

describe('a saved view', () => {
  it('keeps filters, order and columns as they were saved', async () => {
    const filters = {
      query: 'CTO',
      notContactedForDays: 30,
      sort: 'lastContactedAt',
      excludeOptedOut: true,
    } as const
    const columns = ['phone', 'custom.plan']
    const view = await create(viewer, 'Call back', { filters, columns })
    expect(view).toMatchObject({ kind: 'people', name: 'Call back', isShared: false, filters, columns })
    const { id: savedViewId } = view
    const changed = await viewer.call('updateSavedView', {
      savedViewId,
      filters: { tag: 'Fair' },
      columns: null,
    })
    expect(changed).toMatchObject({ name: 'Call back', filters: { tag: 'Fair' } })
    expect(changed.columns).toBeUndefined()
    expect((await viewer.call('listSavedViews', {})).data).toEqual([changed])
  })

  it('rejects filters that the list does not accept', async () => {
    const id = randomUUIDv7()
    for (const filters of [
      { prospectStatus: 'active' },
      { tag: 'Fair', campaignId: id },
      { sort: 'name', notContactedForDays: 30 },
      { notContactedForDays: 0 },
      { email: 'ada@analytical.example' },
      { nonsense: true },
    ])
      await expect(create(member, 'Wrong', { filters: filters as object })).rejects.toMatchObject({
        code: 'ValidationError',
        details: [{ path: expect.stringMatching(/^filters/) }],
      })
  })

  it('can be seen and changed only by its user, regardless of the roles of others', async () => {
    const { id: savedViewId } = await create(member, 'Own')
    await create(manager, 'Ours', { isShared: true })
    expect(await names(member)).toEqual(['Ours', 'Own'])
    expect(await names(member, { isShared: false })).toEqual(['Own'])
    expect(await names(manager)).toEqual(['Ours'])
    expect(await names(manager, { isShared: false })).toEqual([])
    for (const attempt of [
      () => manager.call('updateSavedView', { savedViewId, name: 'Mine' }),
      () => manager.call('deleteSavedView', { savedViewId }),
    ])
      await expect(attempt()).rejects.toMatchObject({ code: 'NotFound' })
    const rows = await app.db.app.begin(async sql => {
      await sql`select set_config('app.account_id', ${manager.accountId}, true),
                       set_config('app.user_id', ${manager.userId}, true)`
      return sql`select name from saved_views`
    })
    expect(rows).toEqual([{ name: 'Ours' }])
  })

  it('can be shared, and changed or deleted once shared, only by those who may edit campaigns', async () => {
    const own = await create(member, 'Own')
    const shared = await create(manager, 'Ours', { isShared: true })
    for (const attempt of [
      () => create(member, 'Theirs', { isShared: true }),
      () => member.call('updateSavedView', { savedViewId: own.id, isShared: true }),
      () => member.call('updateSavedView', { savedViewId: shared.id, filters: {} }),
      () => member.call('deleteSavedView', { savedViewId: shared.id }),
    ])
      await expect(attempt()).rejects.toMatchObject({
        code: 'Forbidden',
        message: expect.stringContaining('Campaign.EditCampaign'),
      })
    await manager.call('updateSavedView', { savedViewId: shared.id, isShared: false })
    expect(await names(member)).toEqual(['Own'])
    await manager.call('updateSavedView', { savedViewId: shared.id, isShared: true })
    expect(await names(member)).toEqual(['Ours', 'Own'])
    await manager.call('deleteSavedView', { savedViewId: shared.id })
    expect(await names(manager)).toEqual([])
  })

  it('has a unique name among the views of its user, and among the shared ones', async () => {
    const { id: savedViewId } = await create(manager, 'Hot leads')
    await create(member, 'Hot leads')
    await create(manager, 'Hot leads', { isShared: true })
    for (const attempt of [
      () => create(manager, 'HOT leads'),
      () => manager.call('updateSavedView', { savedViewId, isShared: true }),
    ])
      await expect(attempt()).rejects.toMatchObject({
        code: 'Conflict',
        message: expect.stringMatching(/A view named hot leads already exists/i),
      })
    await manager.call('updateSavedView', { savedViewId, name: 'hot leads' })
  })

  it('is deleted when its user leaves the account, unless it is shared', async () => {
    const admin = await makeCaller(app, 'admin', manager.accountId)
    await create(manager, 'Own')
    await create(manager, 'Ours', { isShared: true })
    await admin.call('removeMember', { memberId: manager.userId })
    expect(await app.owner`select name from saved_views where account_id = ${admin.accountId}`).toEqual([
      { name: 'Ours' },
    ])
  })

  it('cannot be created beyond the limit, even when many are created at once', async () => {
    await app.owner`
      insert into saved_views (account_id, id, owner_id, kind, name, filters)
      select ${member.accountId}, new_id(), ${member.userId}, 'people', n::text, '{}'
        from generate_series(2, ${maxSavedViews}) n`
    const results = await Promise.allSettled(['A', 'B', 'C'].map(name => create(member, name)))
    expect(results.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected', 'rejected'])
    await create(manager, 'Shared', { isShared: true })
  })

  it('is named in the audit log only for users who can see it', async () => {
    await create(member, 'Own')
    await create(manager, 'Ours', { isShared: true })
    const admin = await makeCaller(app, 'admin', manager.accountId)
    const { data } = await admin.call('listAuditLog', { limit: 100 })
    const created = data.filter(({ auditedType }) => auditedType === 'saved_view')
    expect(created.map(({ action, auditedName }) => [action, auditedName])).toEqual([
      ['create', 'Ours'],
      ['create', undefined],
    ])
  })
})
