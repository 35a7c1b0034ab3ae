import { errors, type JWTPayload, type JWTVerifyGetKey, type JWTVerifyOptions, jwtVerify } from 'jose'
import type { GrantAccess } from '../../domain/auth/grants.ts'
import type { App, Identity } from '../../kernel/context.ts'

/** What the resource server is told of a token: who is connected, or why nobody is. */
export type Connected = {
  identity: Identity
  user: GrantAccess['user']
  account: GrantAccess['account']
  scopes: string[]
}

/** By how much the clocks of an issuer and of this server may differ. */
export const CLOCK_TOLERANCE_SECONDS = 5

/** Checks access tokens (RFC 9068) with every request, and asks for the grant, the user and the membership behind them. */
export function openTokenCheck(
  { now }: Pick<App, 'now'>,
  options: {
    getKey: JWTVerifyGetKey
    /** What every token of this issuer says. */
    rules: JWTVerifyOptions
    findGrant: (claims: JWTPayload) => Promise<GrantAccess | undefined>
  },
): (token: string) => Promise<Connected | 'stale' | 'invalid'> {
  return async token => {
    const claims = await verify(token)
    if (typeof claims === 'string') return claims
    const grant = await options.findGrant(claims)
    return grant ? connectedBy(grant, String(claims.scope ?? '').split(' ')) : 'stale'
  }

  async function verify(token: string): Promise<JWTPayload | 'stale' | 'invalid'> {
    try {
      const currentDate = now()
      const clockTolerance = CLOCK_TOLERANCE_SECONDS
      return (await jwtVerify(token, options.getKey, { ...options.rules, clockTolerance, currentDate }))
        .payload
    } catch (error) {
      if (error instanceof errors.JWTExpired) return 'stale'
      if (error instanceof errors.JOSEError) return 'invalid'
      throw error
    }
  }
}

/** What was granted and the token still says. */
function connectedBy(grant: GrantAccess, tokenScopes: string[]): Connected {
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
