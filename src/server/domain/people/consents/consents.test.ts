import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Caller, makeCaller, openTestApp, type TestApp } from '../../../../../test/support/app.ts'
import { makeConsent } from '../../../../../test/support/voice/consents.ts'
import { inAccount } from '../../../kernel/context.ts'
import { findConsentKinds } from './consents.ts'

let app: TestApp
let member: Caller
beforeAll(async () => {
  app = await openTestApp()
  app.setNow('2026-11-23T12:00:00.000Z')
  const admin = await makeCaller(app, 'admin')
  await admin.call('updateAccount', { defaultCountry: 'GB' })
  member = await makeCaller(app, 'member', admin.accountId)
})
afterAll(() => app[Symbol.asyncDispose]())

let lastNumber = 100
const makeNumber = () => `+44207946${String(++lastNumber).padStart(4, '0')}`
const findKinds = (phone: string) =>
  inAccount(app.db.app, member.accountId, sql =>
    findConsentKinds({ sql, accountId: member.accountId }, phone),
  )
const errorAt = (path: string) => ({ code: 'ValidationError', details: [{ path }] })

describe('a consent', () => {
  it('is stored with the user who recorded it, and is found by any spelling of its number', async () => {
    const consent = {
      name: 'Ada Byron',
      kind: 'express',
      proof: 'https://acme.example/calls/7',
      source: 'By phone',
      givenAt: '2026-11-20T09:30:00.000Z',
    } as const
    const made = await member.call('recordConsent', { ...consent, phoneNumber: '020 7946 0050' })
    expect(made).toMatchObject({
      ...consent,
      objectType: 'consent',
      phoneNumber: '+442079460050',
      covers: 'ai_voice_marketing',
      recordedById: member.userId,
    })
    await makeConsent(member, makeNumber())
    const { data } = await member.call('listConsents', { phoneNumber: '+44 (0)20 7946-0050' })
    expect(data).toEqual([made])
    expect(await findKinds('+442079460050')).toEqual(['express'])
  })

  it('is rejected without proof, with an invalid number, or with a date in the future', async () => {
    const written = { phoneNumber: makeNumber(), kind: 'written', proof: 'Form' } as const
    for (const [path, value] of [
      ['proof', ' '],
      ['phoneNumber', 'nobody'],
      ['givenAt', '2026-11-23T12:00:00.001Z'],
    ] as const) {
      await expect(member.call('recordConsent', { ...written, [path]: value })).rejects.toMatchObject(
        errorAt(path),
      )
    }
  })

  it('is no longer in force once withdrawn, and keeps its first withdrawal', async () => {
    const phone = makeNumber()
    const { id: consentId } = await makeConsent(member, phone)
    const withdrawn = await member.call('withdrawConsent', { consentId, reason: 'By mail to Grace' })
    expect(withdrawn).toMatchObject({
      withdrawnAt: '2026-11-23T12:00:00.000Z',
      withdrawnById: member.userId,
      withdrawalReason: 'By mail to Grace',
    })
    expect(await member.call('withdrawConsent', { consentId, reason: 'Again' })).toEqual(withdrawn)
    expect(await findKinds(phone)).toEqual([])
  })

  it('does not permit sales calls if it covers only service calls', async () => {
    const phone = makeNumber()
    await member.call('recordConsent', {
      phoneNumber: phone,
      kind: 'written',
      covers: 'ai_voice_service',
      proof: 'Contract',
    })
    expect(await findKinds(phone)).toEqual([])
  })

  it('can be neither changed nor deleted by the application', async () => {
    const { id } = await makeConsent(member, makeNumber())
    const run = (statement: string) =>
      inAccount(app.db.app, member.accountId, tx => tx.unsafe(`${statement} where id = '${id}'`))
    await expect(run(`update consents set proof = 'another'`)).rejects.toThrow('permission denied')
    // A consent is deleted only when its person is erased, after it was withdrawn.
    expect((await run('delete from consents')).count).toBe(0)
  })
})

describe('the Do Not Contact list', () => {
  it('withdraws the consents of a number, which stay withdrawn when the entry is removed', async () => {
    const [phone, other] = [makeNumber(), makeNumber()]
    const { id } = await makeConsent(member, phone)
    await makeConsent(member, other)
    await member.call('addOptOuts', { identifiers: [{ identifier: phone }] })
    const manager = await makeCaller(app, 'manager', member.accountId)
    await manager.call('removeOptOut', { identifier: phone })
    expect(await findKinds(phone)).toEqual([])
    const { data } = await member.call('listConsents', { phoneNumber: phone })
    expect(data).toMatchObject([{ id, withdrawalReason: 'opt_out' }])
    expect(await findKinds(other)).toEqual(['written'])
  })
})
