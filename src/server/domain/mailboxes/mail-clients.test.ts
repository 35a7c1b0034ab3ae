import { generateKeyPairSync } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Caller, makeCaller, openTestApp, type TestApp } from '../../../../test/support/app.ts'
import { oauthClientId } from '../../../../test/support/mail/oauth-server.ts'

let app: TestApp
beforeAll(async () => {
  app = await openTestApp()
})
afterAll(() => app[Symbol.asyncDispose]())

const google = { kind: 'google', clientId: 'client-1', secret: 'secret' } as const
const microsoft = { kind: 'microsoft', clientId: oauthClientId, secret: 'secret' } as const
const keyFile = JSON.stringify({
  type: 'service_account',
  client_id: '1234567890',
  client_email: 'overture@project.iam.gserviceaccount.example',
  private_key: generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({
    type: 'pkcs8',
    format: 'pem',
  }),
})

const makeMailbox = async (caller: Caller, provider: 'google' | 'microsoft' | 'google_service_account') => {
  const { id: repId } = await caller.call('createRep', { name: 'Ada Byron' })
  const email = `ada-${repId}@acme.example`
  return caller.call('createMailbox', { repId, kind: 'smtp', email, provider })
}

const getDayIn = (days: number): string =>
  new Date(app.now().getTime() + days * 86_400_000).toISOString().slice(0, 10)

/** Creates a mailbox that counts as connected when problems with its client are listed. */
async function makeConnectedMailbox(owner: Caller, provider: 'google' | 'microsoft') {
  const { id } = await makeMailbox(owner, provider)
  await app.owner`update mailbox_grants set connected_at = now(), subject = '1', client_id = 'x', refresh_token = 'x' where mailbox_id = ${id}`
}

describe('a Microsoft client', () => {
  it('is rejected with an ID that Microsoft does not issue, or with a tenant that cannot exist', async () => {
    const owner = await makeCaller(app)
    const set = (change: { clientId?: string; tenant?: string }) =>
      owner.call('setMailClient', { ...microsoft, tenant: 'organizations', ...change })
    await expect(set({ clientId: 'my-client' })).rejects.toMatchObject({
      code: 'ValidationError',
      message: expect.stringMatching(/^clientId: must be the application \(client\) ID/),
    })
    for (const tenant of ['acme', 'organization', 'acme.', '-.example', '8eaef023-2b34-4da1-9baa'])
      await expect(set({ tenant }), tenant).rejects.toMatchObject({
        code: 'ValidationError',
        message: expect.stringMatching(/^tenant: must be a tenant ID such as/),
      })
    for (const tenant of ['8eaef023-2b34-4da1-9baa-8bc8c9d6a490', 'acme.onmicrosoft.com', 'common'])
      expect(await set({ tenant })).toMatchObject({ tenant, clientId: oauthClientId })
  })

  it('is a problem in the month before its secret expires and a severe problem afterwards, for those who can renew it', async () => {
    const owner = await makeCaller(app)
    const manager = await makeCaller(app, 'manager', owner.accountId)
    const setDay = (day: string) =>
      owner.call('setMailClient', { ...microsoft, tenant: 'organizations', secretExpiresOn: day })
    const list = async (caller = owner) => (await caller.call('listProblems', {})).data
    app.setNow(new Date('2026-11-20T12:00:00Z'))
    await setDay('2026-12-10')
    expect(await list(), 'no mailbox depends on it').toEqual([])
    await makeConnectedMailbox(owner, 'microsoft')
    expect(await list()).toMatchObject([
      {
        kind: 'mail_client_expiring',
        severity: 'medium',
        message: expect.stringContaining('expires on 2026-12-10'),
        nextStep: expect.stringContaining('Create a new client secret'),
      },
    ])
    expect(await list(manager)).toEqual([])
    await setDay('2026-11-19')
    expect(await list()).toMatchObject([
      {
        kind: 'mail_client_expired',
        severity: 'high',
        message: expect.stringContaining('expired on 2026-11-19'),
      },
    ])
    await setDay('2026-12-21')
    expect(await list()).toEqual([])
    app.setNow(new Date())
  })
})

it('a Google client in testing is a problem while mailboxes are connected through it', async () => {
  const owner = await makeCaller(app)
  await owner.call('setMailClient', { ...google, publishingStatus: 'testing' })
  await makeConnectedMailbox(owner, 'google')
  expect((await owner.call('listProblems', {})).data).toMatchObject([
    {
      kind: 'mail_client_expiring',
      message: expect.stringContaining('7 days'),
      nextStep: expect.stringContaining('Publish the Google client'),
    },
  ])
  const expiring = { ...microsoft, tenant: 'organizations', secretExpiresOn: getDayIn(3) }
  await owner.call('setMailClient', expiring)
  await makeConnectedMailbox(owner, 'microsoft')
  const both = (await owner.call('listProblems', {})).data
  expect(both, 'with a Microsoft client whose secret expires').toMatchObject([
    {
      kind: 'mail_client_expiring',
      message: expect.stringMatching(/expires on .* 7 days/),
      nextStep: expect.stringMatching(/Create a new client secret .* Publish the Google client/),
    },
  ])
  await owner.call('setMailClient', { ...expiring, secretExpiresOn: getDayIn(300) })
  await owner.call('setMailClient', { ...google, publishingStatus: 'production' })
  expect((await owner.call('listProblems', {})).data).toEqual([])
})

it('only administrators can add a mailbox that is opened without its owner', async () => {
  const owner = await makeCaller(app)
  await owner.call('setMailClient', { kind: 'google_service_account', secret: keyFile })
  for (const role of ['member', 'manager'] as const) {
    const colleague = await makeCaller(app, role, owner.accountId)
    await expect(makeMailbox(colleague, 'google_service_account')).rejects.toMatchObject({
      code: 'Forbidden',
      message:
        'Your role lacks the permission Account.ManageSettings: an application opens mailboxes without the consent of their owners. Ask an owner or admin to add it.',
    })
  }
  const admin = await makeCaller(app, 'admin', owner.accountId)
  expect(await makeMailbox(admin, 'google_service_account')).toMatchObject({ status: 'unverified' })
})

describe('an installation', () => {
  it.each([
    ['https://192.0.2.7', false],
    ['https://[2001:db8::7]', false],
    ['http://outreach.acme.example', false],
    ['http://127.0.0.1:4400', true],
    ['http://[::1]:4400', true],
    ['http://localhost:4400', true],
    ['https://outreach.acme.example', true],
  ])('lets users sign in with Google only if its URL allows it (%s: %s)', async (url, isAllowed) => {
    await using installation = await openTestApp({ PUBLIC_URL: url })
    const owner = await makeCaller(installation)
    await owner.call('setMailClient', { ...google, publishingStatus: 'internal' })
    const { redirectUriProblem } = await owner.call('listMailClients', {})
    const { id: repId } = await owner.call('createRep', { name: 'Ada Byron' })
    const smtp = { host: 'smtp.acme.example', port: 465, tls: 'implicit' } as const
    const mailbox = { repId, kind: 'smtp', email: 'ada@acme.example' } as const
    const { id: mailboxId } = await owner.call('createMailbox', { ...mailbox, smtp })
    const connecting = owner.call('connectMailbox', { mailboxId, provider: 'google' })
    const creating = owner.call('createMailbox', {
      ...mailbox,
      email: 'grace@acme.example',
      provider: 'google',
    })
    if (isAllowed) {
      expect(redirectUriProblem).toBeUndefined()
      expect((await connecting).url).toContain('https://accounts.google.com/')
      expect(await creating).toMatchObject({ status: 'unverified' })
      return
    }
    const refusal = { code: 'Conflict', message: redirectUriProblem }
    expect(redirectUriProblem).toMatch(/set PUBLIC_URL to its https URL/)
    await Promise.all([
      expect(connecting).rejects.toMatchObject(refusal),
      expect(creating).rejects.toMatchObject(refusal),
    ])
  })
})
