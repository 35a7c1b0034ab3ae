import { randomUUIDv7 } from 'node:crypto'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { aCaller, type Caller, openTestApp, type TestApp } from '../../../test/support/app.ts'

let app: TestApp
let admin: Caller
beforeAll(async () => {
  app = await openTestApp()
  admin = await aCaller(app, 'admin')
  await admin.call('updateAccount', { defaultCountry: 'GB' })
})
afterAll(() => app[Symbol.asyncDispose]())

it('calls from a number in E.164, national ones read as of the account’s country', async () => {
  const made = await admin.call('createAssistant', { name: 'Front desk', fromNumber: '020 7946 0018' })
  expect(made).toMatchObject({ objectType: 'assistant', fromNumber: '+442079460018', provider: 'simulated' })
  const changed = await admin.call('updateAssistant', {
    assistantId: made.id,
    fromNumber: '+1 (212) 555-0123',
    firstMessage: 'Good morning.',
  })
  expect(changed).toMatchObject({
    name: 'Front desk',
    fromNumber: '+12125550123',
    firstMessage: 'Good morning.',
  })
  const { firstMessage } = await admin.call('updateAssistant', { assistantId: made.id, firstMessage: null })
  expect(firstMessage).toBeUndefined()
})

it('refuses numbers and reps that cannot be', async () => {
  const path = (name: string) => ({ code: 'ValidationError', details: [{ path: name }] })
  await expect(admin.call('createAssistant', { name: 'a', fromNumber: '12' })).rejects.toMatchObject(
    path('fromNumber'),
  )
  await expect(
    admin.call('createAssistant', { name: 'a', fromNumber: '+442079460018', repId: randomUUIDv7() }),
  ).rejects.toMatchObject(path('repId'))
  await expect(
    admin.call('updateAssistant', { assistantId: randomUUIDv7(), name: 'a' }),
  ).rejects.toMatchObject({ code: 'NotFound' })
})

it('lets a member keep assistants of the reps it owns alone', async () => {
  const member = await aCaller(app, 'member', admin.accountId)
  const mine = await member.call('createRep', { name: 'Mine' })
  const theirs = await admin.call('createRep', { name: 'Theirs' })
  const made = await member.call('createAssistant', {
    name: 'a',
    fromNumber: '+442079460018',
    repId: mine.id,
  })
  expect((await member.call('updateAssistant', { assistantId: made.id, name: 'b' })).name).toBe('b')
  for (const repId of [theirs.id, undefined]) {
    const fields = { name: 'a', fromNumber: '+442079460018', ...(repId && { repId }) }
    await expect(member.call('createAssistant', fields)).rejects.toMatchObject({ code: 'Forbidden' })
    const { id: assistantId } = await admin.call('createAssistant', fields)
    await expect(member.call('updateAssistant', { assistantId, name: 'b' })).rejects.toMatchObject({
      code: 'Forbidden',
    })
  }
})

it('lists newest first', async () => {
  const other = await aCaller(app, 'admin')
  for (const name of ['a', 'b']) await other.call('createAssistant', { name, fromNumber: '+442079460018' })
  const { data } = await other.call('listAssistants', {})
  expect(data.map(assistant => assistant.name)).toEqual(['b', 'a'])
})
