import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openTestApp, type TestApp } from '../../../../test/support/app.ts'
import { verifyPassword } from '../../protocols/passwords/hash-password.ts'
import { createResetToken, resetPassword } from '../auth/password-resets.ts'
import { createAccount, listAccounts } from './accounts.ts'
import { addMember, setRole } from './memberships.ts'
import { createUser, findUser } from './users.ts'

const cli = { actor: 'cli' }

let app: TestApp
beforeAll(async () => {
  app = await openTestApp()
})
afterAll(() => app[Symbol.asyncDispose]())

describe('users', () => {
  it('are found by any spelling of their address', async () => {
    const user = await createUser(app.db.auth, {
      email: ' Ada@Acme.Example ',
      name: 'Ada',
      isEmailVerified: true,
    })
    expect(user.email).toBe('ada@acme.example')
    expect(await findUser(app.db.auth, 'ADA@acme.example')).toEqual(user)
    await expect(
      createUser(app.db.auth, { email: 'ada@ACME.example', name: 'Other', isEmailVerified: true }),
    ).rejects.toMatchObject({
      code: 'Conflict',
      message: 'A user with the email address ada@acme.example already exists.',
    })
  })

  it('have their password stored only as a hash', async () => {
    const { id } = await createUser(app.db.auth, {
      email: 'bea@acme.example',
      name: 'Bea',
      password: 'correct horse battery',
      isEmailVerified: true,
    })
    const [row] = await app.owner<{ text: string; password_hash: string }[]>`
      select u::text as text, password_hash from users u where id = ${id}`
    expect(row!.text).not.toContain('correct horse')
    expect(await verifyPassword(row!.password_hash, 'correct horse battery')).toBe(true)
  })

  it('need a valid address', async () => {
    await expect(
      createUser(app.db.auth, { email: 'nobody', name: 'X', isEmailVerified: true }),
    ).rejects.toMatchObject({
      code: 'ValidationError',
    })
    await expect(findUser(app.db.auth, 'nobody@acme.example')).rejects.toMatchObject({ code: 'NotFound' })
  })
})

describe('accounts and their members', () => {
  const makeAccount = async (ownerEmail: string) => {
    await createUser(app.db.auth, { email: ownerEmail, name: 'Owner', isEmailVerified: true })
    return createAccount(
      app.db.auth,
      { name: 'Acme', ownerEmail, timezone: 'Europe/Lisbon', country: 'pt' },
      cli,
    )
  }

  it('start with an owner, and every change is recorded in the audit log of the account', async () => {
    const account = await makeAccount('carl@acme.example')
    expect(account).toMatchObject({ timezone: 'Europe/Lisbon', defaultCountry: 'PT', members: 1 })
    const user = await createUser(app.db.auth, {
      email: 'dora@acme.example',
      name: 'Dora',
      isEmailVerified: true,
    })
    await addMember(app.db.auth, { accountId: account.id, email: 'dora@acme.example', role: 'member' }, cli)
    await setRole(app.db.auth, { accountId: account.id, email: 'dora@acme.example', role: 'admin' }, cli)
    expect(await listAccounts(app.db.auth, { id: account.id })).toMatchObject([{ members: 2 }])
    expect(
      await app.owner`
        select actor, action, object_type, object_id from audit_log where account_id = ${account.id} order by id`,
    ).toMatchObject([
      { actor: 'cli', action: 'create', object_type: 'account', object_id: account.id },
      { actor: 'cli', action: 'add as member', object_type: 'member', object_id: user.id },
      { actor: 'cli', action: 'make admin', object_type: 'member', object_id: user.id },
    ])
  })

  it('are not created when the owner is unknown', async () => {
    const options = { name: 'Nowhere', ownerEmail: 'stranger@acme.example' }
    await expect(createAccount(app.db.auth, options, cli)).rejects.toMatchObject({ code: 'NotFound' })
    expect(await listAccounts(app.db.auth, { name: 'Nowhere' })).toHaveLength(0)
  })

  it('accept a user with an unverified address only after a password reset by link', async () => {
    const { id: accountId } = await makeAccount('hugo@acme.example')
    const email = 'ida@acme.example'
    await createUser(app.db.auth, { email, name: 'Ida', isEmailVerified: false })
    const add = () => addMember(app.db.auth, { accountId, email, role: 'viewer' }, cli)
    const conflict = { code: 'Conflict', message: expect.stringContaining('overture user reset-password') }
    await expect(add()).rejects.toMatchObject(conflict)
    await expect(createAccount(app.db.auth, { name: 'Hers', ownerEmail: email }, cli)).rejects.toMatchObject(
      conflict,
    )
    const { token } = (await createResetToken(app.db.auth, app.keys, { email, now: app.now() }))!
    await resetPassword(
      app.db.auth,
      app.keys,
      { token, password: 'correct horse battery', now: app.now() },
      cli,
    )
    expect(await add()).toMatchObject({ role: 'viewer' })
  })

  it('include a member only once', async () => {
    const { id: accountId } = await makeAccount('emil@acme.example')
    await expect(
      addMember(app.db.auth, { accountId, email: 'emil@acme.example', role: 'viewer' }, cli),
    ).rejects.toMatchObject({ code: 'Conflict' })
  })

  it('never lose their last owner, even when two step down simultaneously', async () => {
    const { id: accountId } = await makeAccount('fred@acme.example')
    const stepDown = (email: string) => setRole(app.db.auth, { accountId, email, role: 'viewer' }, cli)
    await expect(stepDown('fred@acme.example')).rejects.toMatchObject({ code: 'Conflict' })
    await createUser(app.db.auth, { email: 'gina@acme.example', name: 'Gina', isEmailVerified: true })
    await addMember(app.db.auth, { accountId, email: 'gina@acme.example', role: 'owner' }, cli)
    const outcomes = await Promise.allSettled([stepDown('fred@acme.example'), stepDown('gina@acme.example')])
    expect(outcomes.map(outcome => outcome.status).sort()).toEqual(['fulfilled', 'rejected'])
  })

  it('reject an unknown time zone or country', async () => {
    const create = (options: object) => createAccount(app.db.auth, { name: 'X', ...options }, cli)
    await expect(async () => create({ timezone: 'Mars/Base' })).rejects.toMatchObject({
      code: 'ValidationError',
    })
    await expect(async () => create({ country: 'Portugal' })).rejects.toMatchObject({
      code: 'ValidationError',
    })
  })
})
