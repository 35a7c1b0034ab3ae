import { createPublicKey, type KeyObject } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { type JWTPayload, jwtVerify, UnsecuredJWT } from 'jose'
import type { Tokens } from '../../../src/server/protocols/mail-oauth/request-token.ts'
import { type OAuthFault, oauthFaults } from './oauth-faults.ts'
import {
  type Grant,
  hash,
  type IssuedToken,
  makeOAuthUser,
  newToken,
  OAuthGrants,
  type OAuthUser,
} from './oauth-grants.ts'

/** A client ID that Google and Microsoft could have issued. */
export const oauthClientId = '00001111-aaaa-2222-bbbb-3333cccc4444'

/**
 * The handling of refresh tokens: `google` keeps a token; `microsoft` issues a new token on each use; `strict` also
 * revokes a grant when an old token is used.
 */
export type OAuthMode = 'google' | 'microsoft' | 'strict'

/**
 * A request to the token endpoint. `email` is the mailbox whose token is requested; undefined if the request names no
 * mailbox. `closed` resolves when the client has received the response or disconnected.
 */
export type TokenRequest = {
  params: URLSearchParams
  email: string | undefined
  at: number
  closed: Promise<void>
}

type Code = { grant: Grant; redirectUri: string; challenge: string; nonce: string; isOffline: boolean }

/**
 * An OAuth server that behaves like Google's or Microsoft's towards a client for mailboxes. Everyone who visits the
 * authorization endpoint is signed in as `user` and consents, unless a property says otherwise.
 */
export class OAuthServer implements AsyncDisposable {
  readonly mode: OAuthMode
  readonly clients = new Map([[oauthClientId, 'client-secret-1']])
  readonly redirectUris = new Set<string>()
  /** Public keys of service accounts by the issuer of their assertions, and the users that they may act for. */
  readonly serviceAccounts = new Map<string, { key: KeyObject; users: Set<string> }>()
  readonly tokenRequests: TokenRequest[] = []
  /** Tokens that were revoked at the revocation endpoint. */
  readonly revoked: string[] = []
  user: OAuthUser = makeOAuthUser('ada@acme.example')
  /** The error that the authorization endpoint adds to the redirect URI. */
  denial: string | undefined
  /** The scopes that the user grants; all by default. */
  grantedScope: string | undefined
  /** True if only an administrator can consent for the tenant. */
  needsAdminConsent = false
  /** Shared mailboxes with the users who may open them and send as them. */
  readonly delegates = new Map<string, Set<string>>()
  /** The mailbox that an application's tokens open, by the application's client ID. */
  readonly appMailboxes = new Map<string, string>()
  /** The clock of the provider. */
  now: () => Date = () => new Date()
  /** Called for each token request. Its result replaces the response; `lost` issues tokens but loses the response. */
  onToken: (request: TokenRequest) => TokenReaction | Promise<TokenReaction> = () => undefined
  readonly #server: Server
  readonly #grants = new OAuthGrants(() => this.now())
  readonly #codes = new Map<string, Code>()

  private constructor(mode: OAuthMode, server: Server) {
    this.mode = mode
    this.#server = server
    server.on('request', (request, response) => void this.#serve(request, response))
  }

  static async open(mode: OAuthMode): Promise<OAuthServer> {
    const server = createServer().listen(0, '127.0.0.1')
    await once(server, 'listening')
    return new OAuthServer(mode, server)
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  get introspectionUrl(): string {
    return `${this.url}/introspect`
  }

  /** Expires all access tokens, or only those of a mailbox. */
  expireAccessTokens(email?: string): void {
    this.#grants.expireAccessTokens(email)
  }

  /** Revokes the grants of a user, or of everyone: their refresh tokens get this error. */
  revoke(fault: OAuthFault = 'revoked', email?: string): void {
    this.#grants.revoke(fault, email)
  }

  /** Makes the refresh tokens work again, for example after an administrator has consented. */
  restore(): void {
    this.#grants.restore()
  }

  /** Issues tokens for a new grant of the user. */
  issueGrant(user = this.user, clientId = oauthClientId): Tokens {
    const grant = this.#grants.add({ user, scope: '', clientId })
    const { access_token: accessToken, expires_in: seconds } = this.#issueTokens(grant)
    return { accessToken, refreshToken: this.#grants.issueRefreshToken(grant), lifetimeMs: seconds * 1000 }
  }

  /** Returns the user that an access token signs in, if it is valid. */
  findUser(token: string): { username: string } | undefined {
    return this.#grants.findUser(token)
  }

  /** Returns a token for a shared mailbox, and whether the user of the given token may open it. */
  exchangeToken(mailbox: string, token: string): { token: string; mayOpen: boolean } | undefined {
    const [user, delegates] = [this.findUser(token), this.delegates.get(mailbox)]
    if (!user || !delegates || user.username === mailbox) return undefined
    const { access_token: exchanged } = this.#grants.issueAccessToken(mailbox)
    return { token: exchanged, mayOpen: delegates.has(user.username) }
  }

  /** Visits an authorization URL as `user`, and returns the URL that the browser is redirected to. */
  async visit(url: string): Promise<URL> {
    const response = await fetch(url, { redirect: 'manual' })
    const location = response.headers.get('location')
    if (!location) throw new Error(await response.text())
    return new URL(location)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections()
    this.#server.close()
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url!, this.url)
    const body = new URLSearchParams(await text(request).catch(() => ''))
    if (/\/(auth|authorize)$/.test(url.pathname)) return this.#authorize(url.searchParams, response)
    if (url.pathname.endsWith('/adminconsent')) return this.#consentAsAdmin(url.searchParams, response)
    if (url.pathname.endsWith('/token')) return this.#answerToken(body, response)
    if (url.pathname === '/introspect') return this.#introspect(body, response)
    if (url.pathname === '/revoke') {
      this.revoked.push(body.get('token')!)
      return json(response, 200, {})
    }
    response.writeHead(404).end()
  }

  #authorize(params: URLSearchParams, response: ServerResponse): void {
    const redirectUri = params.get('redirect_uri') ?? ''
    const refuse = (reason: string) => response.writeHead(400).end(reason)
    if (!this.clients.has(params.get('client_id') ?? '')) return void refuse('unknown client')
    if (!this.redirectUris.has(redirectUri)) return void refuse('AADSTS50011: redirect_uri_mismatch')
    if (params.get('code_challenge_method') !== 'S256') return void refuse('PKCE is required')
    if (this.needsAdminConsent || (this.mode === 'microsoft' && params.get('prompt') === 'consent'))
      return void refuse('Approval required')
    const back = new URL(redirectUri)
    back.searchParams.set('state', params.get('state') ?? '')
    if (this.denial) {
      back.searchParams.set('error', this.denial)
    } else {
      const scope = this.grantedScope ?? params.get('scope') ?? ''
      const isOffline =
        this.mode === 'google' ? params.get('access_type') === 'offline' : scope.includes('offline_access')
      const hasConsented = this.#grants.hasGrant(this.user)
      const grant = this.#grants.add({ user: this.user, scope, clientId: params.get('client_id')! })
      const code = newToken('code')
      this.#codes.set(code, {
        grant,
        redirectUri,
        challenge: params.get('code_challenge') ?? '',
        nonce: params.get('nonce') ?? '',
        // Google returns no refresh token to a user who has consented before, unless the request prompts again.
        isOffline:
          isOffline &&
          !(this.mode === 'google' && hasConsented && !params.get('prompt')?.includes('consent')),
      })
      back.searchParams.set('code', code)
    }
    response.writeHead(302, { location: back.href }).end()
  }

  #consentAsAdmin(params: URLSearchParams, response: ServerResponse): void {
    const back = new URL(params.get('redirect_uri')!)
    back.searchParams.set('state', params.get('state') ?? '')
    back.searchParams.set('tenant', this.user.tid)
    back.searchParams.set('admin_consent', 'True')
    this.needsAdminConsent = false
    this.restore()
    response.writeHead(302, { location: back.href }).end()
  }

  async #answerToken(params: URLSearchParams, response: ServerResponse): Promise<void> {
    const closed = new Promise<void>(resolve => response.once('close', () => resolve()))
    const request = { params, email: this.#findMailbox(params), at: performance.now(), closed }
    this.tokenRequests.push(request)
    const reaction = await this.onToken(request)
    if (reaction === 'cut') return void response.destroy()
    if (typeof reaction === 'object') return respond(response, reaction)
    const issued = typeof reaction === 'string' && reaction !== 'lost' ? reaction : await this.#issue(params)
    if (reaction === 'lost') return void response.destroy()
    if (typeof issued === 'string') return respond(response, oauthFaults[issued])
    json(response, 200, issued)
  }

  #findMailbox(params: URLSearchParams): string | undefined {
    const assertion = params.get('assertion')
    if (assertion) return readAssertion(assertion).sub
    if (params.get('grant_type') === 'client_credentials')
      return this.appMailboxes.get(params.get('client_id') ?? '')
    const grant =
      this.#grants.find(params.get('refresh_token') ?? '') ?? this.#codes.get(params.get('code') ?? '')?.grant
    return grant?.user.email
  }

  async #issue(params: URLSearchParams): Promise<OAuthFault | object> {
    const type = params.get('grant_type')
    if (type === 'urn:ietf:params:oauth:grant-type:jwt-bearer') return this.#issueForAssertion(params)
    const clientId = params.get('client_id') ?? ''
    if (!this.clients.has(clientId) || this.clients.get(clientId) !== params.get('client_secret'))
      return 'wrongSecret'
    if (type === 'client_credentials')
      return this.#grants.issueAccessToken(this.appMailboxes.get(clientId) ?? '')
    if (type === 'authorization_code') {
      const code = this.#codes.get(params.get('code') ?? '')
      this.#codes.delete(params.get('code') ?? '')
      const challenge = hash(params.get('code_verifier') ?? '')
      const { grant } = code ?? {}
      const isValid = code?.challenge === challenge && code.redirectUri === params.get('redirect_uri')
      return grant && isValid && grant.clientId === clientId ? this.#redeemCode(code) : 'revoked'
    }
    const token = params.get('refresh_token') ?? ''
    const grant = this.#grants.find(token)
    if (grant?.clientId !== clientId) return 'revoked'
    if (this.mode === 'strict' && grant.tokens.at(-1) !== token) grant.fault = 'revoked'
    if (grant.fault) return grant.fault
    const isRotated = this.mode !== 'google'
    return {
      ...this.#issueTokens(grant),
      ...(isRotated && { refresh_token: this.#grants.issueRefreshToken(grant) }),
    }
  }

  #redeemCode({ grant, nonce, isOffline }: Code): object {
    const { email, sub, tid, oid, upn } = grant.user
    const iat = Math.floor(this.now().getTime() / 1000)
    const claims: JWTPayload = {
      iss: this.url,
      aud: grant.clientId,
      iat,
      exp: iat + 3600,
      sub,
      email,
      nonce,
      ...(this.mode === 'google' ? { email_verified: true } : { tid, oid, preferred_username: upn }),
    }
    const idToken = new UnsecuredJWT(claims).encode()
    return {
      ...this.#issueTokens(grant),
      id_token: idToken,
      ...(isOffline && { refresh_token: this.#grants.issueRefreshToken(grant) }),
    }
  }

  #issueTokens({ user, scope }: Grant): IssuedToken & { scope: string } {
    const username = this.mode === 'google' ? user.email : user.upn
    return { ...this.#grants.issueAccessToken(username), scope }
  }

  async #issueForAssertion(params: URLSearchParams): Promise<OAuthFault | object> {
    const { iss = '', sub = '' } = readAssertion(params.get('assertion')!)
    const account = this.serviceAccounts.get(iss)
    if (!account) return 'unknownAssertion'
    const options = { audience: `${this.url}/token`, maxTokenAge: '1h', currentDate: this.now() }
    const isSigned = await jwtVerify(params.get('assertion')!, createPublicKey(account.key), options).then(
      () => true,
      () => false,
    )
    if (!isSigned) return 'unknownAssertion'
    return account.users.has(sub) ? this.#grants.issueAccessToken(sub) : 'delegationMissing'
  }

  /** Responds to Dovecot, which compares `username` with the user who signs in. */
  #introspect(body: URLSearchParams, response: ServerResponse): void {
    const user = this.findUser(body.get('token') ?? '')
    json(response, 200, user ? { active: true, username: user.username } : { active: false })
  }
}

/** A reaction to a token request. `cut` closes the connection without a response; an `OAuthFault` is returned. */
export type TokenReaction =
  | 'cut'
  | 'lost'
  | OAuthFault
  | { status: number; body: string | object }
  | undefined

const readAssertion = (assertion: string): { iss?: string; sub?: string } =>
  JSON.parse(Buffer.from(assertion.split('.')[1] ?? '', 'base64url').toString() || '{}')

const json = (response: ServerResponse, status: number, body: object): void =>
  respond(response, { status, body })

function respond(
  response: ServerResponse,
  { status, body }: { status: number; body: string | object },
): void {
  const isText = typeof body === 'string'
  response.writeHead(status, { 'content-type': isText ? 'text/html' : 'application/json' })
  response.end(isText ? body : JSON.stringify(body))
}
