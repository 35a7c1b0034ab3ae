import { errors, type JWTPayload, type JWTVerifyGetKey, type JWTVerifyOptions, jwtVerify } from 'jose'
import type { GrantAccess } from '../accounts/grants.ts'
import type { App, Identity } from '../context.ts'

/** What the resource server is told of a token: who is connected, or why nobody is. */
export type Connected = {
  identity: Identity
  user: GrantAccess['user']
  account: GrantAccess['account']
  scopes: string[]
}

type Verified = { claims: JWTPayload; scopes: string[]; until: number }

const MAX_VERIFIED = 10_000
/** A key that was taken back counts after so long at the latest. */
const VERIFIED_FOR_MS = 300_000
const CLOCK_TOLERANCE_SECONDS = 5

/**
 * Checks access tokens (RFC 9068). A signature is checked every five minutes; the grant, the user and the membership
 * behind it are asked for with every request.
 */
export function openTokenCheck(
  { now }: Pick<App, 'now'>,
  options: {
    getKey: JWTVerifyGetKey
    /** What every token of this issuer says. */
    rules: JWTVerifyOptions
    findGrant: (claims: JWTPayload) => Promise<GrantAccess | undefined>
  },
): (token: string) => Promise<Connected | 'stale' | 'invalid'> {
  const verified = new Map<string, Verified>()

  const verify = async (token: string): Promise<Verified | 'stale' | 'invalid'> => {
    try {
      const { payload } = await jwtVerify(token, options.getKey, {
        ...options.rules,
        clockTolerance: CLOCK_TOLERANCE_SECONDS,
        currentDate: now(),
      })
      const found = {
        claims: payload,
        scopes: String(payload.scope ?? '').split(' '),
        until: Math.min(payload.exp! * 1000, now().getTime() + VERIFIED_FOR_MS),
      }
      if (verified.size >= MAX_VERIFIED) verified.delete(verified.keys().next().value!)
      verified.set(token, found)
      return found
    } catch (error) {
      if (error instanceof errors.JWTExpired) return 'stale'
      if (error instanceof errors.JOSEError) return 'invalid'
      throw error
    }
  }

  return async token => {
    const known = verified.get(token)
    const found = known && known.until > now().getTime() ? known : await verify(token)
    if (typeof found === 'string') return found
    const grant = await options.findGrant(found.claims)
    return grant ? connectedBy(grant, found.scopes) : 'stale'
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
