import { createRemoteJWKSet, customFetch, errors, type JWTPayload, type JWTVerifyGetKey } from 'jose'
import type { GrantAccess } from '../../domain/auth/grants.ts'
import { type Membership, openUserAccess, type UserAccess } from '../../domain/auth/user-access.ts'
import type { App } from '../../kernel/context.ts'
import { AppError, unavailable } from '../../kernel/errors.ts'
import { CLOCK_TOLERANCE_SECONDS, openTokenCheck } from './access-tokens.ts'
import { fetchJson } from './fetch-json.ts'
import { type Issuer, resourcesOf, scopes } from './issuer.ts'

/** What an identity provider publishes of itself (RFC 8414, or OpenID's). */
export type ServerMetadata = { issuer: string; jwks_uri: string }

export type ExternalIssuer = Pick<Issuer, 'checkToken'> & {
  issuer: string
  readMetadata: () => Promise<ServerMetadata>
}

/** Names the account a token is for, by its id. */
const ACCOUNT_CLAIM = 'overture_account'
const METADATA_FRESH_MS = 60 * 60_000
const KEYS_FRESH_MS = 5 * 60_000
/** At least so long between two looks for a key that is not known; and after a document could not be read. */
const KEYS_REST_MS = 10_000
const FAILURE_REST_MS = 5_000

/** Another's tokens, for our addresses: their signature, audience and scopes are checked as those of our own. */
export async function openExternalIssuer(app: App, issuer: string): Promise<ExternalIssuer> {
  const findUserAccess = await openUserAccess(app)
  const readMetadata = openMetadata(app, issuer)
  let keys: { uri: string; find: ReturnType<typeof createRemoteJWKSet> } | undefined
  const getKey: JWTVerifyGetKey = async (header, token) => {
    const { jwks_uri: uri } = await readMetadata()
    if (keys?.uri !== uri) keys = { uri, find: openKeys(app, issuer, uri) }
    try {
      return await keys.find(header, token)
    } catch (error) {
      if (error instanceof errors.JWKSNoMatchingKey || error instanceof errors.JWKSMultipleMatchingKeys)
        throw error
      throw unavailable('The keys of the identity provider could not be read.', error)
    }
  }
  return {
    issuer,
    readMetadata,
    checkToken: openTokenCheck(app, {
      getKey,
      rules: {
        issuer,
        audience: resourcesOf(app),
        algorithms: [
          'ES256',
          'ES384',
          'ES512',
          'PS256',
          'PS384',
          'PS512',
          'RS256',
          'RS384',
          'RS512',
          'EdDSA',
        ],
        requiredClaims: ['exp', 'iat', 'sub', 'scope'],
      },
      findGrant: async claims =>
        isFromFuture(claims, app.now()) ? undefined : findGrant(findUserAccess, claims),
    }),
  }
}

/** Such a token would outlive the membership it was issued for, because `iat` is compared with when its user joined. */
const isFromFuture = ({ iat }: JWTPayload, now: Date): boolean =>
  iat! > now.getTime() / 1000 + CLOCK_TOLERANCE_SECONDS

async function findGrant(
  findUserAccess: Awaited<ReturnType<typeof openUserAccess>>,
  claims: JWTPayload,
): Promise<GrantAccess | undefined> {
  const { email, email_verified, client_id, azp, cnf } = claims
  // It says that it is good only with a proof, for which we don't ask.
  if (cnf !== undefined) return undefined
  if (typeof email !== 'string' || email_verified !== true) {
    throw new AppError('Forbidden', 'The token names no verified address: it needs email and email_verified.')
  }
  const access = await findUserAccess(email)
  if (!access) throw new AppError('Forbidden', 'There is no user with this address, or in no account.')
  const { account, role, joinedAt } = findMembership(access, claims)
  // From before the user joined, or joined again: it was meant for another membership.
  if (claims.iat! < joinedAt) return undefined
  const clientId = String(client_id ?? azp ?? 'unknown')
  return { user: access.user, account, role, grantId: clientId, clientId, scopes }
}

/** In the account that the token names: one that names none would follow its user into another account. */
function findMembership({ memberships }: UserAccess, { [ACCOUNT_CLAIM]: accountId }: JWTPayload): Membership {
  const named = memberships.find(({ account }) => account.id === accountId)
  if (named) return named
  throw new AppError(
    'Forbidden',
    accountId === undefined
      ? `The token needs the claim ${ACCOUNT_CLAIM} with the id of the account that it is for.`
      : `The claim ${ACCOUNT_CLAIM} of the token names no account of its user.`,
  )
}

/** Both places where a provider may publish what it is; `issuer` must be the very name that it gives itself. */
function openMetadata(
  { config, now }: Pick<App, 'config' | 'now'>,
  issuer: string,
): () => Promise<ServerMetadata> {
  const { origin, pathname } = new URL(issuer)
  const path = pathname.replace(/\/$/, '')
  const places = [
    `${origin}${path}/.well-known/openid-configuration`,
    `${origin}/.well-known/oauth-authorization-server${path}`,
  ]
  const read = () =>
    Promise.any(
      places.map(async place => {
        const given = (await fetchJson(new URL(place), reachable(config, issuer))) as ServerMetadata
        if (given?.issuer !== issuer) throw new Error(`${place} is of another issuer`)
        if (!URL.canParse(given.jwks_uri)) throw new Error(`${place} names no jwks_uri`)
        return given
      }),
    ).catch(cause => {
      throw unavailable('The identity provider could not be read.', cause)
    })
  let kept: { found: Promise<ServerMetadata>; until: number } | undefined
  return () => {
    if (kept && now().getTime() < kept.until) return kept.found
    const reading = { found: read(), until: now().getTime() + METADATA_FRESH_MS }
    reading.found.catch(() => {
      reading.until = now().getTime() + FAILURE_REST_MS
    })
    kept = reading
    return reading.found
  }
}

/** Cached, and read anew for a key that is not known, so that the provider may change its keys at any time. */
function openKeys({ config, now }: Pick<App, 'config' | 'now'>, issuer: string, uri: string) {
  let failedAt = Number.NEGATIVE_INFINITY
  return createRemoteJWKSet(new URL(uri), {
    cacheMaxAge: KEYS_FRESH_MS,
    cooldownDuration: KEYS_REST_MS,
    [customFetch]: async () => {
      if (now().getTime() - failedAt < FAILURE_REST_MS) throw new Error('they could not be read a moment ago')
      try {
        return Response.json(await fetchJson(new URL(uri), reachable(config, issuer)))
      } catch (error) {
        failedAt = now().getTime()
        throw error
      }
    },
  })
}

/** Whoever runs this server named the provider's host, so it may be a private one. */
const reachable = ({ privateHosts }: App['config'], issuer: string): string[] => [
  new URL(issuer).hostname,
  ...privateHosts,
]
