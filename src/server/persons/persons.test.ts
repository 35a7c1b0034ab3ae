import { randomUUIDv7 } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { aCaller, openTestApp, type TestApp } from '../../../test/support/app.ts'
import type { RawInput } from '../../contract/index.ts'

let app: TestApp
beforeAll(async () => {
  app = await openTestApp()
})
afterAll(() => app[Symbol.asyncDispose]())

/** An account with these people, in the order given. */
async function anAccount(...data: RawInput<'addProspectsToCampaign'>['data']) {
  const caller = await aCaller(app)
  const { id } = await caller.call('createCampaign', { name: 'Spring' })
  const added = await caller.call('addProspectsToCampaign', { campaignId: id, data })
  return { caller, personIds: added.data.map(({ personId }) => personId!) }
}

describe('persons', () => {
  it('are found by their address in any spelling, or by company', async () => {
    const { caller, personIds } = await anAccount({ email: 'ada@bücher.example' }, { email: 'ben@x.example' })
    const { data } = await caller.call('listPersons', { email: ' <ADA@xn--bcher-kva.example>' })
    expect(data.map(({ id }) => id)).toEqual([personIds[0]])
    const { companyId } = data[0]!
    expect((await caller.call('listPersons', { companyId })).data).toEqual(data)
    expect((await caller.call('listPersons', { email: 'nobody@x.example' })).data).toEqual([])
    await expect(caller.call('listPersons', { email: 'nobody' })).rejects.toMatchObject({
      details: [{ path: 'email' }],
    })
  })

  it('change to the canonical form of what is given; null clears, absent leaves', async () => {
    const { caller, personIds } = await anAccount({
      email: 'ada@x.example',
      firstName: 'Ada',
      jobTitle: 'CTO',
    })
    await caller.call('updateAccount', { defaultCountry: 'GB' })
    const changed = await caller.call('updatePerson', {
      personId: personIds[0]!,
      email: 'ADA.B@X.example',
      linkedinUrl: 'linkedin.com/in/Ada/',
      phone: '020 7946 0018',
      timezone: 'Europe/London',
      title: null,
      lastName: '',
    })
    expect(changed).toMatchObject({
      firstName: 'Ada',
      lastName: null,
      email: 'ada.b@x.example',
      linkedinUrl: 'https://www.linkedin.com/in/ada',
      phone: '+442079460018',
      timezone: 'Europe/London',
      title: null,
    })
    expect(await caller.call('updatePerson', { personId: personIds[0]! })).toEqual(changed)
    const cleared = await caller.call('updatePerson', { personId: personIds[0]!, timezone: null })
    expect(cleared).not.toHaveProperty('timezone')
  })

  it('refuse what cannot be read, naming each field', async () => {
    const { caller, personIds } = await anAccount({ email: 'ada@x.example' })
    await expect(
      caller.call('updatePerson', {
        personId: personIds[0]!,
        email: 'x',
        linkedinUrl: 'x',
        phone: 'x',
        timezone: '+01:00',
      }),
    ).rejects.toMatchObject({
      code: 'ValidationError',
      details: ['email', 'linkedinUrl', 'phone', 'timezone'].map(path => ({ path })),
    })
  })

  it('refuse an address or profile that another person has', async () => {
    const { caller, personIds } = await anAccount(
      { email: 'ada@x.example', linkedinUrl: 'linkedin.com/in/ada' },
      { email: 'ben@x.example' },
    )
    const personId = personIds[1]!
    for (const [field, value] of [
      ['email', 'ada@x.example'],
      ['linkedinUrl', 'https://www.linkedin.com/in/ada'],
    ]) {
      await expect(caller.call('updatePerson', { personId, [field!]: value })).rejects.toMatchObject({
        code: 'Conflict',
        message: expect.stringContaining(value!),
      })
    }
    expect(await caller.call('updatePerson', { personId, email: 'ben@x.example' })).toMatchObject({
      email: 'ben@x.example',
      linkedinUrl: null,
    })
  })

  it('are unknown outside of their account', async () => {
    const { personIds } = await anAccount({ email: 'ada@x.example' })
    const stranger = await aCaller(app)
    for (const personId of [personIds[0]!, randomUUIDv7()]) {
      await expect(stranger.call('getPerson', { personId })).rejects.toMatchObject({ code: 'NotFound' })
      await expect(stranger.call('updatePerson', { personId, title: 'X' })).rejects.toMatchObject({
        code: 'NotFound',
      })
    }
  })
})
