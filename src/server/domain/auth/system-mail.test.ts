import { randomUUID } from 'node:crypto'
import type { Email } from 'postal-mime'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createCaller } from '../../../../test/support/app.ts'
import { openTestServer, type TestServer } from '../../../../test/support/http/server.ts'
import { makeSignedIn, makeUser, PASSWORD, SignInBrowser } from '../../../../test/support/http/sign-in.ts'
import { type MailServer, openMailServer } from '../../../../test/support/mail/mail-server.ts'
import { sendSystemMail } from './system-mail.ts'

let mailServer: MailServer
let server: TestServer
let ada: Awaited<ReturnType<typeof makeSignedIn>>
beforeAll(async () => {
  mailServer = await openMailServer('http://localhost')
  server = await openTestServer(mailServer.settings)
})
beforeEach(async () => {
  mailServer.emails.length = 0
  ada = await makeSignedIn(server)
})
afterAll(async () => {
  await server?.[Symbol.asyncDispose]()
  await mailServer?.[Symbol.asyncDispose]()
})

const makeAddress = () => `grace-${randomUUID()}@b.example`

const invite = (email: string, role = 'manager') => ada.browser.send('POST', '/invitations', { email, role })

/** Invites as Ada, always with the same idempotency key. */
const inviteWithKey = (email: string) => {
  const { accountId, userId } = ada
  const identity = { accountId, userId, role: 'owner', actor: 'session:test', isReadOnly: false } as const
  return createCaller(server.app, identity).call('inviteMember', { email, role: 'viewer' }, 'a key')
}

/** Returns the token of the link in the latest email. */
const getMailedToken = (): string => {
  const [, token] = /\?token=([\w-]+)/.exec(mailServer.emails.at(-1)?.text ?? '') ?? []
  if (!token) throw new Error('no email with a link')
  return token
}

const isVerified = async (email: string): Promise<boolean> => {
  const [user] = await server.app.owner`
    select email_verified_at is not null as "isVerified" from users where email = ${email}`
  return user!.isVerified
}

/** Registers with the link, signs in and accepts the invitation. */
async function join(email: string, token: string, password?: string) {
  const browser = new SignInBrowser(server)
  await browser.send('POST', '/invitations/user', { token, name: 'Grace', password: PASSWORD })
  await browser.signIn(email)
  const response = await browser.send('POST', '/invitations/accept', { token, ...(password && { password }) })
  return { browser, response }
}

describe('an invitation', () => {
  it('is mailed to its address only, and its link never appears in a response', async () => {
    const email = makeAddress()
    const { status, body, text } = await invite(email)
    expect(status, text).toBe(200)
    expect(body).toMatchObject({ email, role: 'manager' })
    expect(text).not.toContain('token')
    const [mail, ...others] = mailServer.emails as [Email]
    expect(others).toEqual([])
    expect(mail).toMatchObject({
      from: { address: 'overture@acme.example' },
      to: [{ address: email }],
      subject: 'Invitation to Overture',
    })
    expect(mail.headers).toContainEqual(
      expect.objectContaining({ key: 'auto-submitted', value: 'auto-generated' }),
    )
    expect(mail.text).toContain('Ada invites you to join Acme on Overture, with the role manager.')
    expect(mail.text).toContain(`http://localhost/invitation?token=${getMailedToken()}`)
  })

  it('reads the same whether or not its address belongs to a user of another account', async () => {
    const { email: known } = await makeUser(server)
    const unknown = makeAddress()
    const seen = []
    for (const email of [known, unknown]) {
      const { status, body } = await invite(email)
      const { text, subject } = mailServer.emails.at(-1)!
      const template = text!.replaceAll(email, 'X').replace(getMailedToken(), '')
      seen.push({ status, fields: Object.keys(body as object), template, subject })
    }
    expect(seen[0]).toEqual(seen[1])
  })

  it('verifies the address of a user who joins with its link, without a second password', async () => {
    const email = makeAddress()
    await invite(email)
    const { response } = await join(email, getMailedToken())
    expect(response.body).toMatchObject({ user: { email } })
    expect(await isVerified(email)).toBe(true)
  })

  it("revokes a stranger's credentials for its address when the invited user joins", async () => {
    const email = makeAddress()
    const { userId } = await makeUser(server, email)
    await server.app.owner`update users set email_verified_at = null where id = ${userId}`
    const stranger = new SignInBrowser(server)
    await stranger.signIn(email)
    const token = await server.createToken({ userId })
    await invite(email)
    // Registering doesn't change an existing user, so the password is still the old one.
    const { response } = await join(email, getMailedToken())
    expect(response.body).toMatchObject({ details: [{ path: 'password' }] })
    expect(await isVerified(email)).toBe(false)
    const joined = await join(email, getMailedToken(), 'another long password')
    expect(joined.response.status).toBe(200)
    expect(await isVerified(email)).toBe(true)
    expect(await stranger.isSignedIn()).toBe(false)
    const headers = { 'x-account-id': ada.accountId }
    expect((await server.request('GET', '/campaigns', { token, headers })).status).toBe(401)
  })

  it('is saved and can be resent when the mail server rejects its email, and the response says so', async () => {
    const email = makeAddress()
    mailServer.refused.add(email)
    const failed = await invite(email)
    expect(failed.status).toBe(503)
    expect(failed.body).toMatchObject({
      message: `The invitation is saved, but the email could not be sent. Check the address and invite ${email} again.`,
    })
    const list = async () => ((await ada.browser.send('GET', '/invitations')).body as { data: object[] }).data
    expect(await list()).toMatchObject([{ email }])
    mailServer.refused.delete(email)
    expect((await invite(email)).status).toBe(200)
    expect(await list()).toHaveLength(1)
    expect((await join(email, getMailedToken())).response.status).toBe(200)
  })

  it('is resent by a retry with the same idempotency key only if sending failed before', async () => {
    const email = makeAddress()
    const attempt = () => inviteWithKey(email)
    mailServer.refused.add(email)
    await expect(attempt()).rejects.toMatchObject({ code: 'ServiceUnavailable' })
    mailServer.refused.delete(email)
    expect(await attempt()).toEqual(await attempt())
    expect(mailServer.emails).toHaveLength(1)
  })

  it('is sent once when a second request with its idempotency key arrives before the email is sent', async () => {
    const email = makeAddress()
    const attempt = () => inviteWithKey(email)
    const reachedServer = Promise.withResolvers<void>()
    const release = Promise.withResolvers<void>()
    mailServer.onRecipient = () => {
      reachedServer.resolve()
      return release.promise
    }
    const first = attempt()
    await reachedServer.promise
    await expect(attempt()).rejects.toMatchObject({
      code: 'Conflict',
      message: expect.stringContaining('still running'),
    })
    mailServer.onRecipient = () => undefined
    release.resolve()
    expect(await attempt().catch(() => first)).toEqual(await first)
    expect(mailServer.emails).toHaveLength(1)
  })

  it('is rejected once the account has sent a hundred invitations in a day', async () => {
    await server.app.owner`
      insert into audit_log (account_id, id, actor, action, object_type)
      select ${ada.accountId}, gen_random_uuid(), 'test', 'invite as viewer', 'invitation'
        from generate_series(1, 99)`
    expect((await invite(makeAddress())).status).toBe(200)
    expect((await invite(makeAddress())).status).toBe(429)
    expect(mailServer.emails).toHaveLength(1)
  })

  it('is rejected beyond a hundred invitations a day, even when many are sent concurrently', async () => {
    await server.app.owner`
      insert into audit_log (account_id, id, actor, action, object_type)
      select ${ada.accountId}, gen_random_uuid(), 'test', 'invite as viewer', 'invitation'
        from generate_series(1, 95)`
    const responses = await Promise.all(Array.from({ length: 15 }, () => invite(makeAddress())))
    const statuses = responses.map(({ status }) => status).sort()
    expect(statuses).toEqual([...Array(5).fill(200), ...Array(10).fill(429)])
    expect(mailServer.emails).toHaveLength(5)
  })

  it('keeps user-chosen names on one line of its email', async () => {
    await server.app.owner`
      update accounts set name = ${'Acme\r\nBcc: eve@evil.example\r\n\r\nYou won'} where id = ${ada.accountId}`
    await invite(makeAddress())
    const [mail] = mailServer.emails as [Email]
    expect(mail.bcc ?? []).toEqual([])
    expect(mail.text).toMatch(/^Ada invites you to join Acme Bcc: eve evil example You won on Overture,/)
  })

  it.each([
    [
      'Your Overture account is suspended, sign in at https://evil.example/ now',
      'Your Overture account is suspended, sign in at https evil ex…',
    ],
    ['www.evil.example/login?a=b', 'www evil example login?a=b'],
    ['evil。example evil．example ev\u200bil.e\u200bxample', 'evil example evil example evil example'],
    ['mailto:eve@evil.example', 'mailto eve evil example'],
    ['Booking.com', 'Booking com'],
    ['Müller & Söhne S.A., St. Gallen', 'Müller & Söhne S.A., St. Gallen'],
    ['名'.repeat(61), `${'名'.repeat(60)}…`],
  ])('shows the name of its inviter without links or excess length: %s', async (name, written) => {
    await server.app.owner`update accounts set name = ${name} where id = ${ada.accountId}`
    await server.app.owner`update users set name = ${name} where id = ${ada.userId}`
    await invite(makeAddress())
    const [{ subject, text }] = mailServer.emails as [Email]
    expect(subject).toBe('Invitation to Overture')
    expect(text?.split('\n')[0]).toBe(
      `${written} invites you to join ${written} on Overture, with the role manager.`,
    )
    expect(text).toContain(`If you don't know ${written}, ignore this email.`)
  })
})

it('emails beyond the twenty that wait for the mail server are rejected', async () => {
  const mail = { subject: 'Hello', text: 'Hello' }
  const results = await Promise.allSettled(
    Array.from({ length: 25 }, () => sendSystemMail(server.app.config, { ...mail, to: makeAddress() })),
  )
  expect(results.filter(({ status }) => status === 'rejected')).toHaveLength(5)
  expect(mailServer.emails).toHaveLength(20)
})

it('an email that the mail server rejects fails with an error that contains no address and can be logged', async () => {
  const to = makeAddress()
  mailServer.refused.add(to)
  const sending = sendSystemMail(server.app.config, { to, subject: 'Hello', text: 'Hello' })
  await expect(sending).rejects.toThrow(/5\.1\.1 <…>: no such mailbox/)
})

describe('a password reset link', () => {
  const request = (email: string) => server.request('POST', '/password-reset', { body: { email } })

  it('is mailed to existing users only, with the same response for others', async () => {
    for (const email of [makeAddress(), ada.email]) {
      const { status, body } = await request(email)
      expect({ status, body }).toEqual({ status: 200, body: {} })
    }
    await expect.poll(() => mailServer.emails.length).toBe(1)
    const [mail] = mailServer.emails as [Email]
    expect(mail.to).toMatchObject([{ address: ada.email }])
    expect(mail.text).toContain(`http://localhost/reset?token=${getMailedToken()}`)
  })

  it('is mailed with a list of what a reset revokes', async () => {
    await request(ada.email)
    await expect.poll(() => mailServer.emails.length).toBe(1)
    expect(mailServer.emails[0]!.text).toMatch(
      /revokes your API tokens, disconnects your apps, and removes your\s+passkeys and authenticator app/,
    )
  })

  it('verifies the address', async () => {
    await server.app.owner`update users set email_verified_at = null where id = ${ada.userId}`
    await request(ada.email)
    await expect.poll(() => mailServer.emails.length).toBe(1)
    const body = { token: getMailedToken(), password: 'another long password' }
    expect((await server.request('POST', '/password-reset/confirm', { body })).status).toBe(200)
    expect(await isVerified(ada.email)).toBe(true)
  })
})
