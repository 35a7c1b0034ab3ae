import { afterAll, beforeAll, expect, it } from 'vitest'
import { makeCaller, openTestApp, type TestApp } from '../../../../test/support/app.ts'

let app: TestApp
beforeAll(async () => {
  app = await openTestApp()
})
afterAll(() => app[Symbol.asyncDispose]())

it('an account update changes the given fields and clears those set to null', async () => {
  const admin = await makeCaller(app, 'admin')
  await admin.call('updateAccount', {
    postalAddress: '1 Mill Lane',
    optOutLine: 'Answer stop',
    timezone: 'Europe/London',
  })
  const changed = await admin.call('updateAccount', {
    defaultCountry: 'gb',
    postalAddress: null,
    optOutLine: ' ',
  })
  expect(changed).toMatchObject({
    defaultCountry: 'GB',
    optOutLine: 'Answer stop',
    timezone: 'Europe/London',
  })
  expect(changed.postalAddress).toBeUndefined()
  expect(await admin.call('getAccount', {})).toEqual(changed)
})

it('unknown time zones and countries are rejected', async () => {
  const admin = await makeCaller(app, 'admin')
  for (const change of [{ timezone: 'Mars/Olympus' }, { timezone: '+02:00' }, { defaultCountry: 'ZZ' }]) {
    await expect(admin.call('updateAccount', change)).rejects.toMatchObject({
      code: 'ValidationError',
      details: [{ path: Object.keys(change)[0] }],
    })
  }
})

it('only roles that manage settings can change the account, and all members can see it', async () => {
  const viewer = await makeCaller(app, 'viewer')
  expect((await viewer.call('getAccount', {})).id).toBe(viewer.accountId)
  await expect(viewer.call('updateAccount', { name: 'Mine' })).rejects.toMatchObject({ code: 'Forbidden' })
})
