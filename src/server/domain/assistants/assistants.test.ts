import { randomUUIDv7 } from 'node:crypto'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Caller, makeCaller, openTestApp, type TestApp } from '../../../../test/support/app.ts'

let app: TestApp
let admin: Caller
beforeAll(async () => {
  app = await openTestApp()
  admin = await makeCaller(app, 'admin')
  await admin.call('updateAccount', { defaultCountry: 'GB' })
})
afterAll(() => app[Symbol.asyncDispose]())

it('an assistant stores its number in E.164, and parses national numbers in the account’s country', async () => {
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
  const [viewer, stranger] = [
    await makeCaller(app, 'viewer', admin.accountId),
    await makeCaller(app, 'owner'),
  ]
  expect(await viewer.call('getAssistant', { assistantId: made.id })).toMatchObject({ name: 'Front desk' })
  await expect(stranger.call('getAssistant', { assistantId: made.id })).rejects.toMatchObject({
    code: 'NotFound',
  })
})

it('an assistant with an invalid number or an unknown rep is rejected', async () => {
  const errorAt = (path: string) => ({ code: 'ValidationError', details: [{ path }] })
  await expect(admin.call('createAssistant', { name: 'a', fromNumber: '12' })).rejects.toMatchObject(
    errorAt('fromNumber'),
  )
  await expect(
    admin.call('createAssistant', { name: 'a', fromNumber: '+442079460018', repId: randomUUIDv7() }),
  ).rejects.toMatchObject(errorAt('repId'))
  await expect(
    admin.call('updateAssistant', { assistantId: randomUUIDv7(), name: 'a' }),
  ).rejects.toMatchObject({ code: 'NotFound' })
})

it('a member can manage only the assistants of their own reps', async () => {
  const member = await makeCaller(app, 'member', admin.accountId)
  const ownRep = await member.call('createRep', { name: 'Mine' })
  const otherRep = await admin.call('createRep', { name: 'Theirs' })
  const made = await member.call('createAssistant', {
    name: 'a',
    fromNumber: '+442079460018',
    repId: ownRep.id,
  })
  expect((await member.call('updateAssistant', { assistantId: made.id, name: 'b' })).name).toBe('b')
  for (const repId of [otherRep.id, undefined]) {
    const fields = { name: 'a', fromNumber: '+442079460018', ...(repId && { repId }) }
    const refusal = {
      code: 'Forbidden',
      message: expect.stringContaining('Rep.EditRep only for your own reps'),
    }
    await expect(member.call('createAssistant', fields)).rejects.toMatchObject(refusal)
    const { id: assistantId } = await admin.call('createAssistant', fields)
    await expect(member.call('updateAssistant', { assistantId, name: 'b' })).rejects.toMatchObject(refusal)
  }
})

it('assistants are listed newest first', async () => {
  const other = await makeCaller(app, 'admin')
  const { id } = await other.call('createAssistant', { name: 'a', fromNumber: '+442079460018' })
  await app.owner`update assistants set created_at = created_at - interval '1 second' where id = ${id}`
  await other.call('createAssistant', { name: 'b', fromNumber: '+442079460018' })
  const { data } = await other.call('listAssistants', {})
  expect(data.map(assistant => assistant.name)).toEqual(['b', 'a'])
})

const vapi = { assistantId: 'a', phoneNumberId: 'p' }
const base = { name: 'a', fromNumber: '+442079460018' }

it('an assistant requires the settings and secrets of its provider, and allows no others', async () => {
  const secret = `whsec_${Buffer.alloc(32, 1).toString('base64')}`
  const http = { baseUrl: 'https://voice.acme.example' }
  const errors: [object, string][] = [
    [{ provider: 'vapi' }, 'vapi'],
    [{ provider: 'vapi', vapi }, 'apiKey'],
    [{ provider: 'retell', vapi, apiKey: 'k' }, 'vapi'],
    [{ vapi }, 'vapi'],
    [{ apiKey: 'k' }, 'apiKey'],
    [{ provider: 'http', http, apiKey: 'k' }, 'callbackSecret'],
    [{ provider: 'http', http, apiKey: 'k', callbackSecret: 'whsec_short' }, 'callbackSecret'],
    [
      { provider: 'http', http: { baseUrl: 'http://10.0.0.1' }, apiKey: 'k', callbackSecret: secret },
      'http.baseUrl',
    ],
    [{ disclosure: 'Hello there.' }, 'disclosure'],
    [{ transferNumber: '12' }, 'transferNumber'],
  ]
  for (const [fields, path] of errors)
    await expect(admin.call('createAssistant', { ...base, ...fields }), path).rejects.toMatchObject({
      code: 'ValidationError',
      details: [{ path }],
    })
  const made = await admin.call('createAssistant', {
    ...base,
    provider: 'http',
    http,
    apiKey: 'k',
    callbackSecret: secret,
  })
  expect(made).toMatchObject({ provider: 'http', http, status: 'unverified' })
  const elsewhere = { assistantId: made.id, http: { baseUrl: 'https://voice.rival.example' } }
  await expect(admin.call('updateAssistant', elsewhere)).rejects.toMatchObject({
    details: [{ path: 'apiKey' }],
  })
  expect((await admin.call('updateAssistant', { ...elsewhere, apiKey: 'k2' })).http).toEqual(elsewhere.http)
})

it('an assistant becomes unverified when a setting that affects verification changes', async () => {
  const { id: assistantId } = await admin.call('createAssistant', {
    ...base,
    provider: 'vapi',
    vapi,
    apiKey: 'k',
  })
  await app.owner`update assistants set status = 'active', verified_at = now() where id = ${assistantId}`
  const statusAfter = async (fields: object) =>
    (await admin.call('updateAssistant', { assistantId, ...fields })).status
  expect(await statusAfter({ ...base, vapi, firstMessage: 'Good evening.', dailyCap: 5 })).toBe('active')
  expect(await statusAfter({ vapi: { ...vapi, phoneNumberId: 'q' } })).toBe('unverified')
})

it.each([
  ['apiKey', 'API key'],
  ['callbackSecret', 'callback secret'],
])('an assistant whose %s cannot be decrypted asks for its %s', async (secret, name) => {
  const { id: assistantId } = await admin.call('createAssistant', {
    ...base,
    provider: 'vapi',
    vapi,
    apiKey: 'k',
  })
  await app.owner`
    update assistants
       set api_key = case when ${secret} = 'apiKey' then 'x' else api_key end,
           callback_secret = case when ${secret} = 'callbackSecret' then 'x' else callback_secret end
     where id = ${assistantId}`
  expect(await admin.call('verifyAssistant', { assistantId })).toMatchObject({
    statusReason: `The ${name} of this assistant was encrypted with a different secret. Enter it again.`,
  })
})

it('an assistant stores its keys encrypted and never returns them', async () => {
  const made = await admin.call('createAssistant', {
    ...base,
    provider: 'vapi',
    vapi,
    apiKey: 'very secret key',
  })
  expect(JSON.stringify(made)).not.toContain('very secret key')
  const [stored] = await app.owner<{ key: string; secret: string }[]>`
    select encode(api_key, 'escape') as key, encode(callback_secret, 'escape') as secret from assistants where id = ${made.id}`
  expect(stored!.key).not.toContain('very secret key')
  expect(stored!.secret.length).toBeGreaterThan(40)
})
