import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { forgetAccess } from '../../domain/accounts/access-cache.ts'
import { getPublicUrl } from '../../kernel/config.ts'
import type { App } from '../../kernel/context.ts'
import { AppError, invalid } from '../../kernel/errors.ts'
import { openClients } from './clients.ts'
import type { FindUser } from './consent.ts'
import { mountConsent } from './consent.ts'
import { securityHeaders } from './consent-page.ts'
import { type Issuer, scopes } from './issuer.ts'
import { publicHalf } from './keys.ts'
import { mountMetadata } from './metadata.ts'
import { mountRegistration } from './register.ts'
import { mountRevocation } from './revoke.ts'

/** What the door needs beside the app. */
export type OauthGuards = {
  issuer: Issuer
  /** Who is signed in in the browser that asks. */
  findUser: FindUser
  /** Counts a request of a stranger; throws TooManyRequests. */
  countStranger: (address: string) => Promise<void>
  /** Counts what an address registers; throws likewise. */
  countRegistration: (address: string) => Promise<void>
  /** Counts a step of a user's authorization that stores something: request, consent, return; throws likewise. */
  countAuthorization: (userId: string) => Promise<void>
}

/** What is stored of a request until a person answers it is not much longer. */
const MAX_AUTHORIZATION_LENGTH = 8_000

/** How applications connect: metadata, registration, consent, tokens, revocation. */
export async function mountOauth(server: FastifyInstance, app: App, guards: OauthGuards): Promise<void> {
  const clients = openClients(app)
  const { makeProvider } = await loadProvider()
  let made: { id: string; provider: ReturnType<typeof makeProvider> } | undefined
  /** One provider as long as the keys stay. */
  const findProvider = async () => {
    const keys = await guards.issuer.keys()
    if (made?.id !== keys.id) {
      made = { id: keys.id, provider: makeProvider(app, keys, clients.find) }
      made.provider.on('grant.revoked', () => forgetAccess(app))
    }
    return made.provider
  }
  mountMetadata(server, app)
  await mountRegistration(server, clients, guards)
  await mountRevocation(server, app, guards.issuer)
  await mountConsent(server, app, { findProvider, ...guards })

  server.get('/v1/jwks', { config: { name: 'oauthKeys' } }, async (_request, reply) => {
    const { jwks } = await guards.issuer.keys()
    return reply
      .headers({ 'access-control-allow-origin': '*', 'cache-control': 'public, max-age=10' })
      .send({ keys: jwks.map(publicHalf) })
  })

  const publicUrl = new URL(getPublicUrl(app.config))
  const handOver = async (request: FastifyRequest, reply: FastifyReply) => {
    const provider = await findProvider()
    reply.hijack()
    const { raw } = request
    const headers = { ...reply.getHeaders(), ...securityHeaders() }
    for (const [name, value] of Object.entries(headers)) reply.raw.setHeader(name, String(value))
    // Its links are those of the public address, whatever a proxy or a caller made of it.
    raw.headers.host = publicUrl.host
    raw.headers['x-forwarded-proto'] = publicUrl.protocol.slice(0, -1)
    delete raw.headers['x-forwarded-host']
    await provider.callback()(raw, reply.raw)
  }
  /** Sends strangers to the sign-in page: nothing is stored or fetched for anybody who is not signed in. */
  const admitUser = async (request: FastifyRequest, reply: FastifyReply) => {
    await guards.countStranger(request.ip)
    if (request.url.length > MAX_AUTHORIZATION_LENGTH) throw invalid('', 'This address is too long.')
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
    // The provider reads bodies itself.
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser('*', (_request, _body, done) => done(null))
    await scope.register(async signedIn => {
      signedIn.addHook('preHandler', admitUser)
      signedIn.get('/v1/authorize', { config: { name: 'oauthAuthorize' } }, async (request, reply) => {
        await clients.refresh(prepareAuthorization(request) ?? '')
        await handOver(request, reply)
      })
      signedIn.get('/v1/authorize/:uid', { config: { name: 'oauthAuthorize' } }, async (request, reply) => {
        dropProviderSession(request)
        await handOver(request, reply)
      })
    })
    scope.post('/v1/token', { config: { name: 'oauthToken' } }, async (request, reply) => {
      await handOver(request, reply)
    })
  })
}

const OUR_PATHS = ['authorize', 'authorize/:uid', 'interaction/:uid', 'token', 'register', 'revoke', 'jwks']

/** Where an identity provider connects applications: who asks us for it is told who does. */
export function mountExternal(
  server: FastifyInstance,
  app: App,
  external: { issuer: string; readMetadata: () => Promise<object> },
): void {
  mountMetadata(server, app, external)
  for (const path of OUR_PATHS) {
    server.route({
      method: ['GET', 'POST'],
      url: `/v1/${path}`,
      config: { name: 'oauthElsewhere' },
      onRequest: async () => {
        throw new AppError(
          'NotFound',
          `Applications connect at ${external.issuer}; here are no tokens to be had.`,
        )
      },
      handler: async () => {},
    })
  }
}

/** Each authorization stands alone: the provider's session of an earlier one may be another user's. */
function dropProviderSession({ raw }: FastifyRequest): void {
  const cookies = (raw.headers.cookie ?? '')
    .split(/; */)
    .filter(cookie => !/^ovt_oauth(\.sig)?=/.test(cookie))
  raw.headers.cookie = cookies.join('; ')
}

/**
 * Clients that name no scope mean what there is. Of a token asked for at once the provider says only that its way back
 * may not be a fragment; what it has never heard of, it calls unsupported. Returns the id of the client.
 */
function prepareAuthorization(request: FastifyRequest): string | null {
  dropProviderSession(request)
  const { raw } = request
  const url = new URL(raw.url ?? '', 'http://localhost')
  const query = url.searchParams
  for (const [name, value] of query)
    if (value.includes('\0')) throw invalid(name, 'holds a character that no text has (U+0000)')
  if (!query.has('scope')) query.set('scope', [...scopes, 'offline_access'].join(' '))
  const types = query.getAll('response_type')
  if (types.length === 1 && types[0]!.includes('token')) {
    query.set('response_type', 'unsupported')
    query.delete('response_mode')
  }
  raw.url = url.pathname + url.search
  return query.get('client_id')
}

/** Only here, because every command would load it else; and it warns of each Node that calls itself no LTS. */
async function loadProvider() {
  const { warn } = console
  console.warn = (...words) => {
    if (!String(words[0]).includes('Unsupported runtime')) warn(...words)
  }
  try {
    return await import('./provider.ts')
  } finally {
    console.warn = warn
  }
}
