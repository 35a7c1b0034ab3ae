import { randomUUIDv7 } from 'node:crypto'
import type {
  AuthenticationResponseJSON,
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
  RegistrationResponseJSON,
} from '@simplewebauthn/server'
import { getPublicUrl } from '../../kernel/config.ts'
import type { App } from '../../kernel/context.ts'
import type { Pool } from '../../kernel/db/database.ts'
import { AppError, conflict, invalid, notFound } from '../../kernel/errors.ts'
import { type Author, auditUser } from '../accounts/audit-log.ts'
import type { User } from '../accounts/users.ts'
import { lockSession } from './sessions.ts'
import type { AuthenticatedUser } from './sign-in.ts'

const MAX_PASSKEYS = 20
/** The time that the browser gives the user; the challenge expires later. */
const TIMEOUT_MS = 5 * 60_000

/** Loads the library on demand, because loading takes half a second. */
const loadWebAuthn = () => import('@simplewebauthn/server')

/** Returns the origin and the relying party that passkeys are bound to. */
function getRelyingParty({ config }: Pick<App, 'config'>): { expectedOrigin: string; expectedRPID: string } {
  const { origin, hostname } = new URL(getPublicUrl(config))
  return { expectedOrigin: origin, expectedRPID: hostname }
}

const toUserHandle = (userId: string): string => Buffer.from(userId).toString('base64url')

/** Returns options for a discoverable passkey with user verification. */
export async function getPasskeyRegistrationOptions(
  app: Pick<App, 'db' | 'config'>,
  { id, email, name }: User,
): Promise<PublicKeyCredentialCreationOptionsJSON> {
  const existing = await app.db.auth<{ credentialId: Buffer; transports: string[] }[]>`
    select credential_id as "credentialId", transports from passkeys where user_id = ${id}`
  const { generateRegistrationOptions } = await loadWebAuthn()
  return generateRegistrationOptions({
    rpName: 'Overture',
    rpID: getRelyingParty(app).expectedRPID,
    userID: new Uint8Array(Buffer.from(id)),
    userName: email,
    userDisplayName: name,
    timeout: TIMEOUT_MS,
    authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
    excludeCredentials: existing.map(({ credentialId, transports }) => ({
      id: credentialId.toString('base64url'),
      transports,
    })),
  })
}

export async function addPasskey(
  app: Pick<App, 'db' | 'config'>,
  input: {
    session: { id: string; userId: string }
    name: string
    challenge: string
    response: RegistrationResponseJSON
  },
  author: Author,
): Promise<void> {
  const { session, name, challenge, response } = input
  const { userId } = session
  const { verifyRegistrationResponse } = await loadWebAuthn()
  const { registrationInfo } = await verifyRegistrationResponse({
    response,
    expectedChallenge: challenge,
    ...getRelyingParty(app),
    requireUserVerification: true,
  }).catch((cause): never => {
    throw new AppError('ValidationError', 'This passkey was not accepted. Try again.', { cause })
  })
  if (!registrationInfo) throw invalid('', 'This passkey was not accepted. Try again.')
  const { id, publicKey, counter, transports = [] } = registrationInfo.credential
  await app.db.auth.begin(async sql => {
    // Locks the user, so that concurrent registrations count each other.
    await lockSession(sql, session)
    const [{ count }] = await sql<[{ count: number }]>`
      select count(*)::int as count from passkeys where user_id = ${userId}`
    if (count >= MAX_PASSKEYS) throw conflict(`You already have ${count} passkeys. Remove one first.`)
    const added = await sql`
      insert into passkeys (id, user_id, credential_id, public_key, counter, transports, name)
      values (${randomUUIDv7()}, ${userId}, ${Buffer.from(id, 'base64url')}, ${Buffer.from(publicKey)},
              ${counter}, ${transports}, ${name})
      on conflict (credential_id) do nothing`
    if (added.count === 0) throw conflict('This passkey is already in use.')
    await auditUser(sql, userId, author, 'add_passkey')
  })
}

export const removePasskey = (
  auth: Pool,
  { userId, passkeyId }: { userId: string; passkeyId: string },
  author: Author,
) =>
  auth.begin(async sql => {
    const removed = await sql`delete from passkeys where id = ${passkeyId} and user_id = ${userId}`
    if (removed.count === 0) throw notFound('passkey')
    await auditUser(sql, userId, author, 'remove_passkey')
  })

/** Returns the same options for everyone, because the user is not known yet. */
export async function getPasskeySignInOptions(
  app: Pick<App, 'config'>,
): Promise<PublicKeyCredentialRequestOptionsJSON> {
  const { generateAuthenticationOptions } = await loadWebAuthn()
  return generateAuthenticationOptions({
    rpID: getRelyingParty(app).expectedRPID,
    userVerification: 'required',
    timeout: TIMEOUT_MS,
  })
}

type StoredPasskey = {
  id: string
  userId: string
  publicKey: Uint8Array
  counter: bigint
  transports: string[]
  passwordHash: string | null
}

/** Returns the owner of the passkey. Throws the same Unauthorized error for every failure. */
export async function checkPasskey(
  app: Pick<App, 'db' | 'config' | 'now'>,
  { challenge, response }: { challenge: string; response: AuthenticationResponseJSON },
): Promise<AuthenticatedUser> {
  const { verifyAuthenticationResponse } = await loadWebAuthn()
  return app.db.auth.begin(async sql => {
    const [passkey] = await sql<StoredPasskey[]>`
      select p.id, p.user_id as "userId", p.public_key as "publicKey", p.counter, p.transports,
             u.password_hash as "passwordHash"
        from passkeys p join users u on u.id = p.user_id
       where p.credential_id = ${Buffer.from(response.id, 'base64url')} for update of p`
    if (!passkey || response.response.userHandle !== toUserHandle(passkey.userId)) throw passkeyRefused()
    const { verified, authenticationInfo } = await verifyAuthenticationResponse({
      response,
      expectedChallenge: challenge,
      ...getRelyingParty(app),
      requireUserVerification: true,
      credential: {
        id: response.id,
        publicKey: new Uint8Array(passkey.publicKey),
        counter: Number(passkey.counter),
        transports: passkey.transports,
      },
    }).catch((cause): never => {
      throw passkeyRefused(cause)
    })
    if (!verified) throw passkeyRefused()
    await sql`
      update passkeys set counter = ${authenticationInfo.newCounter}, last_used_at = ${app.now()}
       where id = ${passkey.id}`
    return { userId: passkey.userId, passwordHash: passkey.passwordHash }
  }) as Promise<AuthenticatedUser>
}

const passkeyRefused = (cause?: unknown): AppError =>
  new AppError('Unauthorized', 'This passkey was not accepted. Try again, or sign in another way.', { cause })
