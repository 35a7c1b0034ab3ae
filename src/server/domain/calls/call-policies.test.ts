import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Caller, makeCaller, openTestApp, type TestApp } from '../../../../test/support/app.ts'

let app: TestApp
let viewer: Caller
beforeAll(async () => {
  app = await openTestApp()
  viewer = await makeCaller(app, 'viewer')
})
afterAll(() => app[Symbol.asyncDispose]())

const read = (phoneNumber?: string) => viewer.call('getCallPolicies', { phoneNumber })

it('a number has the global policy and the policy of its country', async () => {
  const { data, countries } = await read('+1 (212) 555-0123')
  expect(countries).toEqual(['US'])
  const [globalPolicy, usPolicy] = data
  expect(data).toHaveLength(2)
  expect(globalPolicy).toMatchObject({ countries: [], windows: [{ from: '08:00', to: '21:00' }] })
  expect(usPolicy).toMatchObject({ countries: expect.arrayContaining(['US', 'PR']), consent: ['written'] })
  expect(usPolicy).not.toHaveProperty('windows')
})

it('a number has the policies of all countries that share it, and only the global policy where no law is known', async () => {
  const shared = await read('+1 800 555 0123')
  expect(shared.countries).toEqual(['US', 'CA'])
  expect(shared.data.map(({ consent }) => consent)).toEqual([undefined, ['written'], expect.any(Array)])
  const { data, countries } = await read('+81 3 1234 5678')
  expect(countries).toEqual(['JP'])
  expect(data).toHaveLength(1)
})

it('all policies are returned without a number, and an invalid number is rejected', async () => {
  const { data, countries } = await read()
  expect(countries).toBeUndefined()
  const named = data.flatMap(policy => policy.countries)
  for (const country of ['US', 'FR', 'GB', 'CH', 'CA', 'AU', 'ZA']) expect(named).toContain(country)
  await expect(read('12')).rejects.toMatchObject({ details: [{ path: 'phoneNumber' }] })
})
