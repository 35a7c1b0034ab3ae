import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type Caller, inSession, makeCaller } from '../../../../test/support/app.ts'
import { Browser } from '../../../../test/support/http/browser.ts'
import {
  client,
  type OpenidProvider,
  openOpenidProvider,
} from '../../../../test/support/http/openid-provider.ts'
import { openTestServer, type TestServer } from '../../../../test/support/http/server.ts'
import { makeUser, PASSWORD, SignInBrowser, type TestUser } from '../../../../test/support/http/sign-in.ts'
import { type DnsServer, openDnsServer } from '../../../../test/support/mail/dns-server.ts'
import { isMissing } from '../../../../test/support/processes/environment.ts'
import { findFreePort } from '../../../../test/support/processes/ports.ts'

describe.skipIf(isMissing('openssl'))('single sign-on', () => {
  let provider: OpenidProvider
  let dns: DnsServer
  let server: TestServer
  let owner: Caller
  let user: TestUser
  let number = 0
  let domain: string
  beforeAll(async () => {
    const publicUrl = `http://localhost:${await findFreePort()}`
    provider = await openOpenidProvider(`${publicUrl}/v1/session/single-sign-on/callback`)
    dns = await openDnsServer()
    server = await openTestServer({
      PUBLIC_URL: publicUrl,
      ALLOW_PRIVATE_HOSTS: 'localhost',
      DNS_SERVERS: dns.address,
    })
  })
  afterAll(async () => {
    await server?.[Symbol.asyncDispose]()
    await dns?.[Symbol.asyncDispose]()
    await provider?.[Symbol.asyncDispose]()
  })

  /** Creates an account with a verified domain and its member Ada, who also owns another account. */
  beforeEach(async () => {
    domain = `acme-${++number}.example`
    owner = await makeCaller(server.app)
    user = await makeUser(server, `ada@${domain}`)
    await join(user, owner, 'member')
    await verifyDomain(owner)
    provider.person = { email: user.email, email_verified: true, name: 'Ada Byron' }
  })

  const join = ({ userId }: TestUser, { accountId }: Caller, role: string) => server.app.db.auth`
    insert into members (account_id, user_id, role) values (${accountId}, ${userId}, ${role})`

  type Settings = {
    issuer?: string
    clientId?: string
    isRequired?: boolean
    newMemberRole?: 'viewer' | null
    domain?: string
  }
  const set = (caller: Caller, settings: Settings = {}) =>
    inSession(caller).call('setSingleSignOn', { issuer: provider.origin, domain, ...client, ...settings })
  /** Publishes the TXT record and verifies the domain. */
  const verifyDomain = async (caller: Caller, settings: Settings = {}) => {
    const { recordName, recordValue } = await set(caller, settings)
    dns.zone[recordName] = { txt: [...(dns.zone[recordName]?.txt ?? []), recordValue] }
    const { problems } = await caller.call('verifySingleSignOn', {})
    expect(problems).toEqual([])
  }

  /** Starts the sign-in and returns the URL of the identity provider. */
  const begin = async (browser: SignInBrowser, next?: string): Promise<URL> => {
    const { status, body, text } = await browser.send('POST', '/session/single-sign-on', {
      email: `whoever@${domain}`,
      ...(next && { next }),
    })
    expect(status, text).toBe(200)
    return new URL((body as { url: string }).url)
  }
  /** Signs in at the provider and returns the callback URL. */
  const visit = async (url: URL): Promise<URL> => {
    const { leadsTo, response } = await new Browser(provider.origin).open(url.href)
    if (!leadsTo) throw new Error(await response.text())
    return new URL(leadsTo)
  }
  const followCallback = async (
    browser: SignInBrowser,
    { pathname, search }: URL,
  ): Promise<string | null> => {
    const { status, headers } = await browser.send('GET', pathname.slice('/v1'.length) + search)
    expect(status).toBe(303)
    return headers.get('location')
  }
  const signInAtProvider = async (browser = new SignInBrowser(server)) => ({
    browser,
    location: await followCallback(browser, await visit(await begin(browser))),
  })
  const expectRefused = async (problem: string) => {
    const { browser, location } = await signInAtProvider()
    expect(location).toBe(`/sign-in?problem=${problem}`)
    expect(await browser.isSignedIn()).toBe(false)
  }

  it('opens a session for a member with a verified email address and redirects to the requested page', async () => {
    const browser = new SignInBrowser(server)
    const url = await begin(browser, '/settings/members?a=b')
    expect(url.origin).toBe(provider.origin)
    expect(Object.fromEntries(url.searchParams)).toMatchObject({
      response_type: 'code',
      code_challenge_method: 'S256',
      login_hint: `whoever@${domain}`,
      state: expect.stringMatching(/.{40}/),
      nonce: expect.stringMatching(/.{40}/),
    })
    expect(await browser.isSignedIn()).toBe(false)
    expect(await followCallback(browser, await visit(url))).toBe('/settings/members?a=b')
    expect((await browser.send('GET', '/session')).body).toMatchObject({ user: { id: user.userId } })
  })

  describe('confirmation of a session', () => {
    const createToken = (browser: SignInBrowser) => browser.send('POST', '/api-tokens', { name: 'CRM' })
    const signInBeforeConfirmation = async () => {
      const { browser } = await signInAtProvider()
      // Every page does this first: the response contains the CSRF token.
      expect(await browser.isSignedIn()).toBe(true)
      return browser
    }
    /** Returns a browser whose sign-in is no longer recent. */
    const withOldSession = async () => {
      const browser = await signInBeforeConfirmation()
      await server.app.owner`
        update sessions set authenticated_at = now() - interval '11 minutes' where user_id = ${user.userId}`
      return browser
    }
    const beginConfirmation = async (browser: SignInBrowser) => {
      const { body, text, status } = await browser.send('POST', '/session/confirm/single-sign-on', {
        next: '/settings/api-tokens',
      })
      expect(status, text).toBe(200)
      return new URL((body as { url: string }).url)
    }

    it('requires a new sign-in at the provider, then returns to the page', async () => {
      const browser = await withOldSession()
      expect((await createToken(browser)).status).toBe(403)
      const url = await beginConfirmation(browser)
      expect(Object.fromEntries(url.searchParams)).toMatchObject({
        prompt: 'login',
        max_age: '0',
        login_hint: user.email,
      })
      expect(await followCallback(browser, await visit(url))).toBe('/settings/api-tokens')
      expect((await createToken(browser)).status).toBe(200)
    })

    it('fails for another user or in another browser', async () => {
      const browser = await withOldSession()
      const usersCallback = await visit(await beginConfirmation(browser))
      const thief = new SignInBrowser(server)
      thief.copyCookie('overture-single-sign-on', browser)
      expect(await followCallback(thief, usersCallback)).toBe(
        '/confirm?problem=expired&next=%2Fsettings%2Fapi-tokens',
      )
      const url = await beginConfirmation(browser)
      provider.person = { email: `grace@${domain}`, email_verified: true, name: 'Grace Hopper' }
      expect(await followCallback(browser, await visit(url))).toBe(
        '/confirm?problem=different&next=%2Fsettings%2Fapi-tokens',
      )
      expect((await createToken(browser)).status).toBe(403)
      const [{ count }] = await server.app.owner<[{ count: number }]>`
        select count(*)::int as count from users where email = ${`grace@${domain}`}`
      expect(count).toBe(0)
    })

    it('is the only method when single sign-on is required', async () => {
      const browser = await withOldSession()
      const methods = async () =>
        ((await browser.send('GET', '/user/sign-in')).body as { confirmWays: string[] }).confirmWays
      expect(await methods()).toEqual(['password', 'single_sign_on'])
      await set(owner, { isRequired: true })
      expect(await methods()).toEqual(['single_sign_on'])
      expect((await browser.send('POST', '/session/confirm', { password: PASSWORD })).status).toBe(403)
    })

    it('is required right after a sign-in if the provider did not report when the user signed in', async () => {
      const browser = await signInBeforeConfirmation()
      expect((await createToken(browser)).body).toMatchObject({ details: [{ path: 'recentSignIn' }] })
    })
  })

  it.each([
    ['https://evil.example/', '/'],
    ['//evil.example', '/'],
    ['/\\evil.example', '/'],
    ['javascript:alert(1)', '/'],
    ['/.//evil.example/a', '/evil.example/a'],
  ])('redirects only within the app: %s', async (next, path) => {
    const browser = new SignInBrowser(server)
    expect(await followCallback(browser, await visit(await begin(browser, next)))).toBe(path)
  })

  it('is offered by domain, without disclosing users', async () => {
    const readOffer = async (name: string) =>
      (await server.request('GET', `/session/single-sign-on?domain=${name}`)).body
    expect(await readOffer(domain.toUpperCase())).toEqual({ isOffered: true })
    expect(await readOffer(`other-${domain}`)).toEqual({ isOffered: false })
    const response = await new SignInBrowser(server).send('POST', '/session/single-sign-on', {
      email: `ada@other-${domain}`,
    })
    expect(response.body).toMatchObject({ details: [{ path: 'email' }] })
  })

  it.each([
    ['returns no email address', () => ({})],
    ['has not verified the email address', () => ({ email: user.email, email_verified: false })],
    ['omits email_verified', () => ({ email: user.email })],
    ['sends email_verified as a string', () => ({ email: user.email, email_verified: 'true' })],
    [
      'sends the address after another one',
      () => ({ email: `x@evil.example <${user.email}>`, email_verified: true }),
    ],
    ['sends a mailto: URL', () => ({ email: `mailto:${user.email}`, email_verified: true })],
    ['sends an array', () => ({ email: [user.email], email_verified: true })],
    ['sends an address of another domain', () => ({ email: `ada@sub.${domain}`, email_verified: true })],
  ])('is refused when the provider %s', async (_what, person) => {
    provider.person = person()
    await expectRefused('unverified')
  })

  it('is refused to users who are not members of the account', async () => {
    provider.person = { email: `grace@${domain}`, email_verified: true }
    await expectRefused('stranger')
    await makeUser(server, `grace@${domain}`)
    await expectRefused('stranger')
    await verifyDomain(owner, { newMemberRole: 'viewer' })
    await expectRefused('stranger')
  })

  it('adds a new user as a member if the account allows it', async () => {
    await verifyDomain(owner, { newMemberRole: 'viewer' })
    provider.person = { email: `grace@${domain}`, email_verified: true, name: 'Grace' }
    for (let n = 0; n < 2; n++) {
      const { browser } = await signInAtProvider()
      expect((await browser.send('GET', '/session')).body).toMatchObject({
        user: { email: `grace@${domain}`, name: 'Grace' },
        accounts: [{ id: owner.accountId, role: 'viewer' }],
      })
    }
    const { data } = await owner.call('listAuditLog', {})
    expect(data[0]).toMatchObject({ action: 'join as viewer', actor: 'sign-in' })
  })

  it('removes the password, sessions and tokens of an unverified user and verifies the email address', async () => {
    await server.app.owner`update users set email_verified_at = null where id = ${user.userId}`
    const stranger = new SignInBrowser(server)
    await stranger.signIn(user.email)
    const token = await server.createToken(user)
    const headers = { 'x-account-id': owner.accountId }
    const getStatus = async () => (await server.request('GET', '/campaigns', { token, headers })).status
    expect(await getStatus()).toBe(200)
    await server.app.owner`
      insert into authenticator_apps (user_id, secret, last_step) values (${user.userId}, '\\x00', 0)`
    const { browser } = await signInAtProvider()
    expect((await browser.send('GET', '/session')).body).toMatchObject({ user: { id: user.userId } })
    expect(
      await server.app.owner`
      select email_verified_at is not null as "isVerified" from users where id = ${user.userId}`,
    ).toEqual([{ isVerified: true }])
    expect(await getStatus()).toBe(401)
    expect(await stranger.isSignedIn()).toBe(false)
    expect((await stranger.signIn(user.email)).status).toBe(401)
  })

  it('ends the sessions and tokens of a user whom somebody else had created with the email address', async () => {
    const email = `grace@${domain}`
    const squatter = await makeCaller(server.app)
    const { link } = await squatter.call('inviteMember', { email, role: 'viewer' })
    const invitation = new URL(link!).searchParams.get('token')
    const stranger = new SignInBrowser(server)
    await stranger.send('POST', '/invitations/user', { token: invitation, name: 'Grace', password: PASSWORD })
    const { body } = await stranger.signIn(email)
    const token = await server.createToken({ userId: (body as { user: { id: string } }).user.id })
    provider.person = { email, email_verified: true, name: 'Grace Hopper' }
    // Without newMemberRole, an account must invite its members, even existing users.
    await expectRefused('stranger')
    expect(await stranger.isSignedIn()).toBe(true)
    await verifyDomain(owner, { newMemberRole: 'viewer' })
    const { browser } = await signInAtProvider()
    expect((await browser.send('GET', '/session')).body).toMatchObject({
      user: { email },
      accounts: [{ id: owner.accountId, role: 'viewer' }],
    })
    const headers = { 'x-account-id': owner.accountId }
    expect((await server.request('GET', '/campaigns', { token, headers })).status).toBe(401)
    expect(await stranger.isSignedIn()).toBe(false)
    expect((await stranger.signIn(email)).status).toBe(401)
  })

  it('keeps the password and API tokens of a verified user', async () => {
    const token = await server.createToken(user)
    await signInAtProvider()
    const headers = { 'x-account-id': owner.accountId }
    expect((await server.request('GET', '/campaigns', { token, headers })).status).toBe(200)
    expect((await new SignInBrowser(server).signIn(user.email)).status).toBe(200)
  })

  it('asks for a code if the user has turned on an authenticator app', async () => {
    await server.app.owner`
      insert into authenticator_apps (user_id, secret, last_step) values (${user.userId}, '\\x00', 0)`
    const { browser, location } = await signInAtProvider()
    expect(location).toBe('/sign-in?step=code&next=%2F')
    expect(await browser.isSignedIn()).toBe(false)
  })

  describe('callback', () => {
    const withParam = (url: URL, name: string, value: string): URL => {
      const copy = new URL(url)
      copy.searchParams.set(name, value)
      return copy
    }

    it.each([
      ['nonce', 'of-another-sign-in'],
      ['code_challenge', 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM'],
    ])('is rejected after a request with another %s', async (name, value) => {
      const browser = new SignInBrowser(server)
      const back = await visit(withParam(await begin(browser), name, value))
      expect(await followCallback(browser, back)).toBe('/sign-in?problem=failed')
      expect(await browser.isSignedIn()).toBe(false)
    })

    it.each([
      ['state', 'another'],
      ['iss', 'https://login.evil.example'],
      ['code', 'made-up'],
      ['error', 'access_denied'],
    ])('is rejected with a forged %s and cannot be retried', async (name, value) => {
      const browser = new SignInBrowser(server)
      const back = await visit(await begin(browser))
      expect(await followCallback(browser, withParam(back, name, value))).toBe('/sign-in?problem=failed')
      expect(await followCallback(browser, back)).toBe('/sign-in?problem=expired')
      expect(await browser.isSignedIn()).toBe(false)
    })

    it('is rejected with the code of another sign-in of the same user', async () => {
      const [one, two] = [new SignInBrowser(server), new SignInBrowser(server)]
      const back = await visit(await begin(one))
      const other = await visit(await begin(two))
      const mixed = withParam(back, 'code', other.searchParams.get('code')!)
      expect(await followCallback(one, mixed)).toBe('/sign-in?problem=failed')
    })

    it('is rejected with an ID token signed by an unknown key', async () => {
      const browser = new SignInBrowser(server)
      const back = await visit(await begin(browser))
      const { answer } = provider
      provider.answer = (request, response) =>
        request.url === '/jwks'
          ? response.writeHead(200, { 'content-type': 'application/json' }).end('{"keys":[]}')
          : answer(request, response)
      try {
        expect(await followCallback(browser, back)).toBe('/sign-in?problem=failed')
      } finally {
        provider.answer = answer
      }
    })

    it('works once, in the browser that started the sign-in, within ten minutes', async () => {
      const browser = new SignInBrowser(server)
      const back = await visit(await begin(browser))
      const other = new SignInBrowser(server)
      expect(await followCallback(other, back)).toBe('/sign-in?problem=expired')
      other.copyCookie('overture-single-sign-on', browser)
      expect(await followCallback(browser, back)).toBe('/')
      expect(await followCallback(browser, back)).toBe('/sign-in?problem=expired')
      expect(await followCallback(other, back)).toBe('/sign-in?problem=expired')
      const late = new SignInBrowser(server)
      const lateBack = await visit(await begin(late))
      server.app.setNow(new Date(Date.now() + 600_000))
      expect(await followCallback(late, lateBack)).toBe('/sign-in?problem=expired')
      server.app.setNow(new Date())
    })

    it('expires when the settings change to another provider or are deleted', async () => {
      const browser = new SignInBrowser(server)
      const back = await visit(await begin(browser))
      await set(owner, { issuer: 'https://login.other.example' })
      expect(await followCallback(browser, back)).toBe('/sign-in?problem=expired')
      await verifyDomain(owner)
      const again = await visit(await begin(browser))
      await inSession(owner).call('deleteSingleSignOn', {})
      expect(await followCallback(browser, again)).toBe('/sign-in?problem=expired')
    })
  })

  describe('domain', () => {
    it('is verified by a DNS record that is specific to the account', async () => {
      const rival = await makeCaller(server.app)
      const ownSettings = await set(owner)
      const rivalSettings = await set(rival)
      expect(rivalSettings.recordName).toBe(ownSettings.recordName)
      expect(rivalSettings.recordValue).not.toBe(ownSettings.recordValue)
      const { problems, domainVerifiedAt } = await rival.call('verifySingleSignOn', {})
      expect(problems).toEqual([expect.stringContaining(`No TXT record of ${rivalSettings.recordName}`)])
      expect(domainVerifiedAt).toBeUndefined()
      const { location } = await signInAtProvider()
      expect(location).toBe('/')
    })

    it('must be verified again when it changes', async () => {
      expect((await set(owner)).domainVerifiedAt).toBeDefined()
      expect((await set(owner, { domain: `other-${domain}` })).domainVerifiedAt).toBeUndefined()
      expect((await set(owner)).domainVerifiedAt).toBeUndefined()
      const response = await new SignInBrowser(server).send('POST', '/session/single-sign-on', {
        email: user.email,
      })
      expect(response.status).toBe(400)
    })

    it.each([
      ['issuer', { issuer: 'https://login.evil.example' }],
      ['client ID', { clientId: 'another' }],
    ])('must be verified again with a new record when the %s changes', async (_what, change) => {
      const { recordValue } = await set(owner)
      const changed = await set(owner, change)
      expect(changed.domainVerifiedAt).toBeUndefined()
      expect(changed.recordValue).not.toBe(recordValue)
      const { problems, domainVerifiedAt } = await owner.call('verifySingleSignOn', {})
      expect(problems).toContainEqual(expect.stringContaining('No TXT record'))
      expect(domainVerifiedAt).toBeUndefined()
      const response = await new SignInBrowser(server).send('POST', '/session/single-sign-on', {
        email: user.email,
      })
      expect(response.status).toBe(400)
    })

    it('is not verified for a provider that changes during the DNS lookup', async () => {
      const { answer } = provider
      let changing: ReturnType<typeof set> | undefined
      provider.answer = async (request, response) => {
        changing ??= set(owner, { clientId: 'another' })
        await changing
        answer(request, response)
      }
      try {
        const { domainVerifiedAt } = await owner.call('verifySingleSignOn', {})
        expect(changing).toBeDefined()
        expect(domainVerifiedAt).toBeUndefined()
      } finally {
        provider.answer = answer
      }
    })

    it('gives an account no control over members of another account that verified the same domain', async () => {
      const rival = await makeCaller(server.app)
      server.app.setNow(new Date(Date.now() + 1000))
      await verifyDomain(rival, { newMemberRole: 'viewer', isRequired: true })
      await expectRefused('stranger')
      const browser = new SignInBrowser(server)
      expect((await browser.signIn(user.email)).status).toBe(200)
    })
  })

  describe('when required', () => {
    beforeEach(() => verifyDomain(owner, { isRequired: true }))

    it('is the only sign-in method of the domain’s members, disclosed only after a correct password', async () => {
      const browser = new SignInBrowser(server)
      const response = await browser.signIn(user.email)
      expect([response.status, response.body]).toEqual([
        403,
        expect.objectContaining({ message: 'Acme requires single sign-on. Sign in with it.' }),
      ])
      expect((await browser.signIn(user.email, 'wrong')).status).toBe(401)
      expect(await browser.isSignedIn()).toBe(false)
      expect((await signInAtProvider()).location).toBe('/')
    })

    it('keeps users from extending a session by changing their password', async () => {
      await set(owner, { isRequired: false })
      const browser = new SignInBrowser(server)
      expect((await browser.signIn(user.email)).status).toBe(200)
      await set(owner, { isRequired: true })
      const change = { currentPassword: PASSWORD, newPassword: 'another long password' }
      expect(await browser.send('POST', '/user/password', change)).toMatchObject({ status: 403 })
    })

    it('applies to a user who has just accepted an invitation', async () => {
      const email = `grace@${domain}`
      await makeUser(server, email)
      const browser = new SignInBrowser(server)
      expect((await browser.signIn(email)).status).toBe(200)
      const { link } = await owner.call('inviteMember', { email, role: 'member' })
      const token = new URL(link!).searchParams.get('token')
      const response = await browser.send('POST', '/invitations/accept', { token })
      expect(response.body).toMatchObject({ message: 'Acme requires single sign-on. Sign in with it.' })
      expect(await browser.isSignedIn()).toBe(false)
      provider.person = { email, email_verified: true }
      expect((await signInAtProvider()).location).toBe('/')
    })

    it('does not apply to owners and members with another domain', async () => {
      const other = await makeUser(server)
      await join(other, owner, 'member')
      expect((await new SignInBrowser(server).signIn(other.email)).status).toBe(200)
      await inSession(owner).call('updateMember', { memberId: user.userId, role: 'owner' })
      expect((await new SignInBrowser(server).signIn(user.email)).status).toBe(200)
    })
  })

  it('can be configured only by owners, because the provider can sign in as anyone', async () => {
    const admin = await makeCaller(server.app, 'admin', owner.accountId)
    await expect(set(admin)).rejects.toMatchObject({ code: 'Forbidden' })
    await expect(admin.call('getSingleSignOn', {})).rejects.toMatchObject({ code: 'Forbidden' })
  })

  it('can be configured and deleted only with a session, not with an API token', async () => {
    const headers = { 'x-account-id': owner.accountId }
    const token = await server.createToken(owner)
    const body = { issuer: 'https://login.evil.example', domain, ...client }
    expect((await server.request('PUT', '/single-sign-on', { token, headers, body })).status).toBe(403)
    expect((await server.request('DELETE', '/single-sign-on', { token, headers })).status).toBe(403)
    expect(await owner.call('getSingleSignOn', {})).toMatchObject({
      singleSignOn: { issuer: provider.origin, domainVerifiedAt: expect.any(String) },
    })
  })

  it.each([
    ['reports another issuer', () => `${provider.origin}/tenant`, /can't be used as an identity provider/],
    ['is unreachable', () => 'https://localhost:9', /can't be used as an identity provider/],
    ['has a private address', () => 'https://127.0.0.1', /private or reserved/],
  ])('reports a provider that %s on verification and on sign-in', async (_what, issuer, problem) => {
    const { recordName, recordValue } = await set(owner, { issuer: issuer() })
    dns.zone[recordName] = { txt: [recordValue] }
    const { problems } = await owner.call('verifySingleSignOn', {})
    expect(problems).toEqual([expect.stringMatching(problem)])
    const response = await new SignInBrowser(server).send('POST', '/session/single-sign-on', {
      email: user.email,
    })
    expect([response.status, response.body]).toEqual([
      503,
      expect.objectContaining({ message: 'The identity provider of this domain is not responding.' }),
    ])
  })

  it('stores the client secret encrypted, never returns it, and requires https', async () => {
    const shown = await owner.call('getSingleSignOn', {})
    expect(JSON.stringify(shown)).not.toContain(client.clientSecret)
    const [{ text }] = await server.app.owner<[{ text: string }]>`
      select encode(client_secret, 'escape') as text from single_sign_ons where account_id = ${owner.accountId}`
    expect(text).not.toContain(client.clientSecret)
    for (const issuer of [
      'http://login.acme.example',
      'https://a@login.acme.example',
      'https://a.example?b',
    ]) {
      await expect(set(owner, { issuer })).rejects.toMatchObject({ details: [{ path: 'issuer' }] })
    }
    await expect(
      inSession(owner).call('setSingleSignOn', {
        issuer: 'https://thief.example',
        clientId: client.clientId,
        domain,
      }),
    ).rejects.toMatchObject({ details: [{ path: 'clientSecret' }] })
    const stranger = await makeCaller(server.app)
    await expect(
      inSession(stranger).call('setSingleSignOn', { issuer: provider.origin, clientId: 'x', domain }),
    ).rejects.toMatchObject({ details: [{ path: 'clientSecret' }] })
    expect(await stranger.call('getSingleSignOn', {})).toEqual({ redirectUri: shown.redirectUri })
  })
})
