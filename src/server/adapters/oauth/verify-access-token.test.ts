import { createLocalJWKSet, exportJWK, generateKeyPair, type JWTVerifyGetKey, SignJWT } from 'jose'
import { describe, expect, it } from 'vitest'
import type { GrantAccess } from '../../domain/auth/grants.ts'
import { createTokenVerifier } from './verify-access-token.ts'

const grant: GrantAccess = {
  grantId: 'grant',
  clientId: 'client',
  user: { id: 'user', email: 'ada@acme.example', name: 'Ada' },
  account: {
    id: 'account',
    name: 'Acme',
    timezone: 'Europe/London',
    assistantsMayRequestCalls: false,
    assistantSendsNeedApproval: false,
  },
  role: 'owner',
  scopes: ['outreach.read'],
}

/** Opens a verifier with its own clock and one signing key; both can change. */
async function openVerifier() {
  const { publicKey, privateKey } = await generateKeyPair('ES256')
  const jwk = { ...(await exportJWK(publicKey)), kid: 'one', alg: 'ES256' }
  let find: JWTVerifyGetKey = createLocalJWKSet({ keys: [jwk] })
  let seconds = 1_800_000_000
  const verify = createTokenVerifier(
    { now: () => new Date(seconds * 1000) },
    {
      getKey: (header, token) => find(header, token),
      rules: { issuer: 'us', algorithms: ['ES256'] },
      findGrant: async () => grant,
    },
  )
  const sign = (lifetimeSeconds: number) =>
    new SignJWT({ scope: 'outreach.read' })
      .setProtectedHeader({ alg: 'ES256', kid: 'one' })
      .setIssuer('us')
      .setExpirationTime(seconds + lifetimeSeconds)
      .sign(privateKey)
  return {
    verify,
    sign,
    advance: (by: number) => {
      seconds += by
    },
    removeKey: () => {
      find = createLocalJWKSet({ keys: [] })
    },
    reloadKey: () => {
      find = createLocalJWKSet({ keys: [jwk] })
    },
  }
}

const valid = { scopes: ['outreach.read'] }

describe('an access token that was verified before', () => {
  it('stays valid when its key is loaded again', async () => {
    const { verify, sign, reloadKey } = await openVerifier()
    const token = await sign(60)
    expect(await verify(token)).toMatchObject(valid)
    expect(await verify(token)).toMatchObject(valid)
    reloadKey()
    expect(await verify(token)).toMatchObject(valid)
  })

  it('is invalid as soon as its key is removed', async () => {
    const { verify, sign, removeKey } = await openVerifier()
    const token = await sign(60)
    expect(await verify(token)).toMatchObject(valid)
    removeKey()
    expect(await verify(token)).toBe('invalid')
  })

  it('is stale once it expires', async () => {
    const { verify, sign, advance } = await openVerifier()
    const token = await sign(60)
    expect(await verify(token)).toMatchObject(valid)
    advance(59)
    expect(await verify(token)).toMatchObject(valid)
    advance(10)
    expect(await verify(token)).toBe('stale')
  })

  it('does not make a token with another signature or payload valid', async () => {
    const { verify, sign } = await openVerifier()
    const token = await sign(60)
    expect(await verify(token)).toMatchObject(valid)
    const [header, payload, signature] = token.split('.') as [string, string, string]
    const [, otherPayload] = (await sign(3600)).split('.') as [string, string, string]
    expect(await verify(`${header}.${otherPayload}.${signature}`)).toBe('invalid')
    expect(await verify(`${header}.${payload}.${signature.slice(0, -4)}AAAA`)).toBe('invalid')
  })
})
