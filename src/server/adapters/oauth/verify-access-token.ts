import {
  errors,
  type JWTHeaderParameters,
  type JWTPayload,
  type JWTVerifyGetKey,
  type JWTVerifyOptions,
  jwtVerify,
} from 'jose'
import type { GrantAccess } from '../../domain/auth/grants.ts'
import type { App, Identity } from '../../kernel/context.ts'
import { setBounded } from '../../kernel/set-bounded.ts'

/** The user, account and scopes of a valid access token. */
export type VerifiedToken = {
  identity: Identity
  user: GrantAccess['user']
  account: GrantAccess['account']
  scopes: string[]
}

/** Allowed clock skew between an issuer and this server. */
export const CLOCK_TOLERANCE_SECONDS = 5

/**
 * Returns a function that verifies access tokens (RFC 9068) and looks up the grant, user and membership behind them.
 * It returns `stale` for a token that was valid once, such as an expired one, and `invalid` for one that never was.
 */
export function createTokenVerifier(
  { now }: Pick<App, 'now'>,
  options: {
    getKey: JWTVerifyGetKey
    /** The checks that every token of this issuer must pass. */
    rules: JWTVerifyOptions
    findGrant: (claims: JWTPayload) => Promise<GrantAccess | undefined>
  },
): (token: string) => Promise<VerifiedToken | 'stale' | 'invalid'> {
  const verified = new Map<string, VerifiedSignature>()
  return async token => {
    const claims = await verify(token)
    if (typeof claims === 'string') return claims
    const grant = await options.findGrant(claims)
    return grant ? toVerifiedToken(grant, String(claims.scope ?? '').split(' ')) : 'stale'
  }

  async function verify(token: string): Promise<JWTPayload | 'stale' | 'invalid'> {
    try {
      return (await findVerified(token)) ?? (await verifySignature(token))
    } catch (error) {
      if (error instanceof errors.JWTExpired) return 'stale'
      if (error instanceof errors.JOSEError) return 'invalid'
      throw error
    }
  }

  /**
   * Returns the claims of a token that was verified before, ten times as fast as verifying its signature. Still looks
   * up the key, so that a token is invalid as soon as its key is removed.
   */
  async function findVerified(token: string): Promise<JWTPayload | undefined> {
    const found = verified.get(token)
    if (!found || (await options.getKey(found.header, { payload: '', signature: '' })) !== found.key)
      return undefined
    const { nbf = 0, exp = 0 } = found.claims
    const seconds = now().getTime() / 1000
    return nbf <= seconds && seconds < exp ? found.claims : undefined
  }

  async function verifySignature(token: string): Promise<JWTPayload> {
    verified.delete(token)
    const { payload, protectedHeader, key } = await jwtVerify(token, options.getKey, {
      ...options.rules,
      clockTolerance: CLOCK_TOLERANCE_SECONDS,
      currentDate: now(),
    })
    setBounded(verified, token, { header: protectedHeader, key, claims: payload }, MAX_VERIFIED)
    return payload
  }
}

/** A token whose signature is valid under `key`. */
type VerifiedSignature = { header: JWTHeaderParameters; key: unknown; claims: JWTPayload }

const MAX_VERIFIED = 2_000

/** Returns the verified token, with the scopes that are both granted and in the token. */
function toVerifiedToken(grant: GrantAccess, tokenScopes: string[]): VerifiedToken {
  const scopes = grant.scopes.filter(scope => tokenScopes.includes(scope))
  return {
    identity: {
      accountId: grant.account.id,
      userId: grant.user.id,
      role: grant.role,
      actor: `oauth:${grant.grantId}`,
      isReadOnly: !scopes.includes('outreach.write'),
    },
    user: grant.user,
    account: grant.account,
    scopes,
  }
}
