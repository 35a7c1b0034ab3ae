import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { forgetAccess } from '../../domain/accounts/access-cache.ts'
import { getPublicUrl } from '../../kernel/config.ts'
import type { App } from '../../kernel/context.ts'
import { AppError, invalid } from '../../kernel/errors.ts'
import { openClients } from './clients.ts'
import type { FindUser } from './consent.ts'
import { mountConsent } from './consent.ts'
import { securityHeaders } from './consent-page.ts'
import { mountDiscovery } from './discovery.ts'
import { type Issuer, scopes } from './issuer.ts'
import { mountRegistration } from './registration.ts'
import { mountRevocation } from './revocation.ts'
import { toPublicJwk } from './signing-keys.ts'

/** Dependencies of the OAuth routes. */
export type OauthGuards = {
  issuer: Issuer
  /** Finds the user signed in to the browser that sent the request. */
  findUser: FindUser
  /** Counts an unauthenticated request; throws TooManyRequests. */
  countAnonymous: (address: string) => Promise<void>
  /** Counts a client registration; throws TooManyRequests. */
  countRegistration: (address: string) => Promise<void>
  /** Counts a step of an authorization that is stored: request, consent, return. Throws TooManyRequests. */
  countAuthorization: (userId: string) => Promise<void>
}

/** Limits the size of an authorization request, which is stored until the user decides. */
const MAX_AUTHORIZATION_LENGTH = 8_000

/** Mounts the authorization server: metadata, client registration, consent, tokens and revocation. */
export async function mountOauth(server: FastifyInstance, app: App, guards: OauthGuards): Promise<void> {
  const clients = openClients(app)
  const { createProvider } = await loadProvider()
  let current: { version: string; provider: ReturnType<typeof createProvider> } | undefined
  /** Returns the provider, which is replaced only when the signing keys change. */
  const findProvider = async () => {
    const keys = await guards.issuer.keys()
    if (current?.version !== keys.version) {
      current = { version: keys.version, provider: createProvider(app, keys, clients.find) }
      current.provider.on('grant.revoked', () => forgetAccess(app))
    }
    return current.provider
  }
  mountDiscovery(server, app)
  await mountRegistration(server, clients, guards)
  await mountRevocation(server, app, guards.issuer)
  await mountConsent(server, app, { findProvider, ...guards })

  server.get('/v1/jwks', { config: { name: 'oauthKeys' } }, async (_request, reply) => {
    const { jwks } = await guards.issuer.keys()
    return reply
      .headers({ 'access-control-allow-origin': '*', 'cache-control': 'public, max-age=10' })
      .send({ keys: jwks.map(toPublicJwk) })
  })

  const publicUrl = new URL(getPublicUrl(app.config))
  const delegateToProvider = async (request: FastifyRequest, reply: FastifyReply) => {
    const provider = await findProvider()
    reply.hijack()
    const { raw } = request
    const headers = { ...reply.getHeaders(), ...securityHeaders() }
    for (const [name, value] of Object.entries(headers)) reply.raw.setHeader(name, String(value))
    // The provider builds its URLs from these headers, which a proxy or caller may have changed.
    raw.headers.host = publicUrl.host
    raw.headers['x-forwarded-proto'] = publicUrl.protocol.slice(0, -1)
    delete raw.headers['x-forwarded-host']
    await provider.callback()(raw, reply.raw)
  }
  /** Redirects a request without a session to the sign-in page, so that nothing is stored or fetched for it. */
  const requireUser = async (request: FastifyRequest, reply: FastifyReply) => {
    await guards.countAnonymous(request.ip)
    if (request.url.length > MAX_AUTHORIZATION_LENGTH) throw invalid('', 'The URL is too long.')
    const user = await guards.findUser(request)
    if (!user) {
      const { client_id: clientId } = request.query as { client_id?: unknown }
      const client = typeof clientId === 'string' ? await clients.find(clientId) : undefined
      const search = new URLSearchParams({ next: request.url, ...(client && { app: client.client_name }) })
      return reply.redirect(`/sign-in?${search}`, 303)
    }
    await guards.countAuthorization(user.userId)
  }
  await server.register(async scope => {
    // The provider parses bodies itself.
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser('*', (_request, _body, done) => done(null))
    await scope.register(async signedIn => {
      signedIn.addHook('preHandler', requireUser)
      signedIn.get('/v1/authorize', { config: { name: 'oauthAuthorize' } }, async (request, reply) => {
        await clients.refresh(prepareAuthorization(request) ?? '')
        await delegateToProvider(request, reply)
      })
      signedIn.get('/v1/authorize/:uid', { config: { name: 'oauthAuthorize' } }, async (request, reply) => {
        dropProviderSession(request)
        await delegateToProvider(request, reply)
      })
    })
    scope.post('/v1/token', { config: { name: 'oauthToken' } }, async (request, reply) => {
      await delegateToProvider(request, reply)
    })
  })
}

const ISSUER_PATHS = [
  'authorize',
  'authorize/:uid',
  'interaction/:uid',
  'token',
  'register',
  'revoke',
  'jwks',
]

/** Serves the metadata of an external identity provider. Our own endpoints return errors that refer to the provider. */
export function mountExternalIssuer(
  server: FastifyInstance,
  app: App,
  external: { issuer: string; getMetadata: () => Promise<object> },
): void {
  mountDiscovery(server, app, external)
  for (const path of ISSUER_PATHS) {
    server.route({
      method: ['GET', 'POST'],
      url: `/v1/${path}`,
      config: { name: 'oauthElsewhere' },
      onRequest: async () => {
        throw new AppError(
          'NotFound',
          `This server does not issue tokens. Applications connect at ${external.issuer}.`,
        )
      },
      handler: async () => {},
    })
  }
}

/** Removes the provider's session cookie, which may be from another user's authorization in this browser. */
function dropProviderSession({ raw }: FastifyRequest): void {
  const cookies = (raw.headers.cookie ?? '')
    .split(/; */)
    .filter(cookie => !/^ovt_oauth(\.sig)?=/.test(cookie))
  raw.headers.cookie = cookies.join('; ')
}

/**
 * Adds all scopes to a request without scopes. Makes the provider reject token response types as unsupported instead of
 * complaining about their response mode. Returns the client ID.
 */
function prepareAuthorization(request: FastifyRequest): string | null {
  dropProviderSession(request)
  const { raw } = request
  const url = new URL(raw.url ?? '', 'http://localhost')
  const query = url.searchParams
  for (const [name, value] of query)
    if (value.includes('\0')) throw invalid(name, 'must not contain NUL (U+0000)')
  if (!query.has('scope')) query.set('scope', [...scopes, 'offline_access'].join(' '))
  const types = query.getAll('response_type')
  if (types.length === 1 && types[0]!.includes('token')) {
    query.set('response_type', 'unsupported')
    query.delete('response_mode')
  }
  raw.url = url.pathname + url.search
  return query.get('client_id')
}

/** Loads the provider only for the server, not for CLI commands, and mutes its warning about non-LTS Node versions. */
async function loadProvider() {
  const { warn } = console
  console.warn = (...args) => {
    if (!String(args[0]).includes('Unsupported runtime')) warn(...args)
  }
  try {
    return await import('./provider.ts')
  } finally {
    console.warn = warn
  }
}
