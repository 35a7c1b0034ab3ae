import { createHash, randomBytes } from 'node:crypto'
import type { OAuthFault } from './oauth-faults.ts'

/** The user who signs in at the authorization endpoint. */
export type OAuthUser = { email: string; sub: string; tid: string; oid: string; upn: string }

/** A user's grant to a client, with every refresh token issued for it. */
export type Grant = { user: OAuthUser; scope: string; clientId: string; tokens: string[]; fault?: OAuthFault }

export type IssuedToken = { access_token: string; token_type: string; expires_in: number }

/** The user that an access token signs in. */
type AccessToken = { username: string; expiresAt: number }

const LIFETIME_SECONDS = 3600

/** The grants and access tokens of an OAuth server. */
export class OAuthGrants {
  readonly #now: () => Date
  readonly #grants = new Set<Grant>()
  readonly #byRefreshToken = new Map<string, Grant>()
  readonly #accessTokens = new Map<string, AccessToken>()

  constructor(now: () => Date) {
    this.#now = now
  }

  add(grant: Omit<Grant, 'tokens'>): Grant {
    const added = { ...grant, tokens: [] }
    this.#grants.add(added)
    return added
  }

  hasGrant(user: OAuthUser): boolean {
    return [...this.#grants].some(({ user: { sub } }) => sub === user.sub)
  }

  find(refreshToken: string): Grant | undefined {
    return this.#byRefreshToken.get(refreshToken)
  }

  issueRefreshToken(grant: Grant): string {
    const token = newToken('refresh')
    grant.tokens.push(token)
    this.#byRefreshToken.set(token, grant)
    return token
  }

  issueAccessToken(username: string): IssuedToken {
    const token = newToken('access')
    this.#accessTokens.set(token, { username, expiresAt: this.#now().getTime() + LIFETIME_SECONDS * 1000 })
    return { access_token: token, token_type: 'Bearer', expires_in: LIFETIME_SECONDS }
  }

  findUser(token: string): AccessToken | undefined {
    const found = this.#accessTokens.get(token)
    return found && found.expiresAt > this.#now().getTime() ? found : undefined
  }

  /** Expires all access tokens, or only those that sign in as this user. */
  expireAccessTokens(username?: string): void {
    for (const [token, found] of this.#accessTokens)
      if (!username || found.username === username) this.#accessTokens.delete(token)
  }

  /** Makes the refresh tokens of a user, or of everyone, fail with this fault. Expires all access tokens. */
  revoke(fault: OAuthFault, email: string | undefined): void {
    for (const grant of this.#grants) if (!email || grant.user.email === email) grant.fault = fault
    this.expireAccessTokens()
  }

  restore(): void {
    for (const grant of this.#grants) delete grant.fault
  }
}

export const makeOAuthUser = (email: string): OAuthUser => ({
  email,
  sub: hash(`sub ${email}`),
  tid: 'a7f3c1d2-0000-4000-8000-000000000001',
  oid: hash(`oid ${email}`),
  upn: email,
})

export const newToken = (kind: string): string => `${kind}-${randomBytes(24).toString('base64url')}`

export const hash = (value: string): string => createHash('sha256').update(value).digest('base64url')
