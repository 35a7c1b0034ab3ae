import { createRemoteJWKSet, customFetch, errors, type JWTPayload, type JWTVerifyGetKey } from 'jose'
import type { GrantAccess } from '../../domain/auth/grants.ts'
import { type Membership, openUserAccess, type UserAccess } from '../../domain/auth/user-access.ts'
import type { App } from '../../kernel/context.ts'
import { AppError, unavailable } from '../../kernel/errors.ts'
import { fetchJson } from './fetch-json.ts'
import { getResources, type Issuer, scopes } from './issuer.ts'
import { CLOCK_TOLERANCE_SECONDS, createTokenVerifier } from './verify-access-token.ts'

/** Metadata of an identity provider (RFC 8414 or OpenID Connect Discovery). */
export type ServerMetadata = { issuer: string; jwks_uri: string }

export type ExternalIssuer = Pick<Issuer, 'verifyAccessToken'> & {
  issuer: string
  getMetadata: () => Promise<ServerMetadata>
}

/** Claim with the ID of the account that the token is for. */
const ACCOUNT_CLAIM = 'overture_account'
const METADATA_MAX_AGE_MS = 60 * 60_000
const KEYS_MAX_AGE_MS = 5 * 60_000
/** Minimum time between two fetches for an unknown key. */
const KEYS_COOLDOWN_MS = 10_000
/** Minimum time between a failed fetch of a document and the next attempt. */
const FAILURE_COOLDOWN_MS = 5_000

/** Opens an external identity provider whose tokens are verified like our own: signature, audience and scopes. */
export async function openExternalIssuer(app: App, issuer: string): Promise<ExternalIssuer> {
  const findUserAccess = await openUserAccess(app)
  const getMetadata = openMetadataCache(app, issuer)
  let keys: { uri: string; find: ReturnType<typeof createRemoteJWKSet> } | undefined
  const getKey: JWTVerifyGetKey = async (header, token) => {
    const { jwks_uri: uri } = await getMetadata()
    if (keys?.uri !== uri) keys = { uri, find: openJwks(app, issuer, uri) }
    try {
      return await keys.find(header, token)
    } catch (error) {
      if (error instanceof errors.JWKSNoMatchingKey || error instanceof errors.JWKSMultipleMatchingKeys)
        throw error
      throw unavailable('The keys of the identity provider could not be fetched.', error)
    }
  }
  return {
    issuer,
    getMetadata,
    verifyAccessToken: createTokenVerifier(app, {
      getKey,
      rules: {
        issuer,
        audience: getResources(app),
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

/**
 * Returns whether a token was issued in the future. Such a token would outlive the membership that it was issued for,
 * because `iat` is compared with the join date.
 */
const isFromFuture = ({ iat }: JWTPayload, now: Date): boolean =>
  iat! > now.getTime() / 1000 + CLOCK_TOLERANCE_SECONDS

async function findGrant(
  findUserAccess: Awaited<ReturnType<typeof openUserAccess>>,
  claims: JWTPayload,
): Promise<GrantAccess | undefined> {
  const { email, email_verified, client_id, azp, cnf } = claims
  // A sender-constrained token (RFC 7800) needs proof of possession, which we don't verify.
  if (cnf !== undefined) return undefined
  if (typeof email !== 'string' || email_verified !== true) {
    throw new AppError(
      'Forbidden',
      'The token must contain the email claim, and email_verified must be true.',
    )
  }
  const access = await findUserAccess(email)
  if (!access)
    throw new AppError(
      'Forbidden',
      'There is no user with this email address, or the user is not a member of any account.',
    )
  const { account, role, joinedAt } = findMembership(access, claims)
  // A token issued before the user joined or rejoined belongs to an earlier membership.
  if (claims.iat! < joinedAt) return undefined
  const clientId = String(client_id ?? azp ?? 'unknown')
  return { user: access.user, account, role, grantId: clientId, clientId, scopes }
}

/**
 * Finds the membership in the account that the token names. A token without an account would remain valid when its
 * user moves to another account.
 */
function findMembership({ memberships }: UserAccess, { [ACCOUNT_CLAIM]: accountId }: JWTPayload): Membership {
  const membership = memberships.find(({ account }) => account.id === accountId)
  if (membership) return membership
  throw new AppError(
    'Forbidden',
    accountId === undefined
      ? `The token must contain the ${ACCOUNT_CLAIM} claim with the ID of the account to use.`
      : `The user of the token is not a member of the account in the ${ACCOUNT_CLAIM} claim.`,
  )
}

/**
 * Returns a function that reads the metadata from either of its well-known URLs and caches it. `issuer` must match the
 * issuer in the metadata exactly.
 */
function openMetadataCache(
  { config, now }: Pick<App, 'config' | 'now'>,
  issuer: string,
): () => Promise<ServerMetadata> {
  const { origin, pathname } = new URL(issuer)
  const path = pathname.replace(/\/$/, '')
  const urls = [
    `${origin}${path}/.well-known/openid-configuration`,
    `${origin}/.well-known/oauth-authorization-server${path}`,
  ]
  const fetchMetadata = () =>
    Promise.any(
      urls.map(async url => {
        const metadata = (await fetchJson(new URL(url), getAllowedHosts(config, issuer))) as ServerMetadata
        if (metadata?.issuer !== issuer) throw new Error(`${url} names a different issuer`)
        if (!URL.canParse(metadata.jwks_uri)) throw new Error(`${url} has no valid jwks_uri`)
        return metadata
      }),
    ).catch(cause => {
      throw unavailable('The metadata of the identity provider could not be fetched.', cause)
    })
  let cached: { metadata: Promise<ServerMetadata>; expiresAt: number } | undefined
  return () => {
    if (cached && now().getTime() < cached.expiresAt) return cached.metadata
    const entry = { metadata: fetchMetadata(), expiresAt: now().getTime() + METADATA_MAX_AGE_MS }
    entry.metadata.catch(() => {
      entry.expiresAt = now().getTime() + FAILURE_COOLDOWN_MS
    })
    cached = entry
    return entry.metadata
  }
}

/** Caches the keys and fetches them again for an unknown key, so that the provider can rotate them at any time. */
function openJwks({ config, now }: Pick<App, 'config' | 'now'>, issuer: string, uri: string) {
  let failedAt = Number.NEGATIVE_INFINITY
  return createRemoteJWKSet(new URL(uri), {
    cacheMaxAge: KEYS_MAX_AGE_MS,
    cooldownDuration: KEYS_COOLDOWN_MS,
    [customFetch]: async () => {
      if (now().getTime() - failedAt < FAILURE_COOLDOWN_MS)
        throw new Error('the last fetch failed moments ago')
      try {
        return Response.json(await fetchJson(new URL(uri), getAllowedHosts(config, issuer)))
      } catch (error) {
        failedAt = now().getTime()
        throw error
      }
    },
  })
}

/** Returns the private hosts that may be contacted, including that of the provider, which the operator configured. */
const getAllowedHosts = ({ privateHosts }: App['config'], issuer: string): string[] => [
  new URL(issuer).hostname,
  ...privateHosts,
]
