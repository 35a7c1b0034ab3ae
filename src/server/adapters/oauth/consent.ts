import { randomUUIDv7 } from 'node:crypto'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Interaction, InteractionResults, Provider } from 'oidc-provider'
import { audit } from '../../domain/accounts/audit-log.ts'
import type { User } from '../../domain/accounts/users.ts'
import type { Access } from '../../domain/auth/access.ts'
import { storeGrant } from '../../domain/auth/grants.ts'
import { holdSession } from '../../domain/auth/sessions.ts'
import { readUser } from '../../domain/auth/sign-in.ts'
import { getPublicUrl } from '../../kernel/config.ts'
import { type App, isRecentSignIn } from '../../kernel/context.ts'
import { signToken, verifyToken } from '../../kernel/crypto.ts'
import { hostOf, isLoopback } from './client-metadata.ts'
import { markConnected } from './clients.ts'
import { consentPage, messagePage, notConnected, pageHeaders } from './consent-page.ts'
import { resourcesOf, scopes } from './issuer.ts'

export type FindUser = (request: FastifyRequest) => Promise<Access | undefined>

const BODY_LIMIT_BYTES = 16 * 1024
/** A connection that is used lives as long as nobody ends it; this is for those that are forgotten. */
const GRANT_SECONDS = 400 * 24 * 60 * 60
const PURPOSE = 'oauth consent'

/** Who asks, for whom, and what is asked. */
type Asked = {
  provider: Provider
  interaction: Interaction
  user: User
  session: Access
  /** Those in which the user is, the one joined first in front. */
  accounts: { id: string; name: string }[]
  client: { clientId: string; clientName: string; redirectUri: string; scopes: string[] }
}

/** The page on which a signed-in person lets an application in, or doesn't. */
export async function mountConsent(
  server: FastifyInstance,
  app: App,
  {
    findProvider,
    findUser,
    countAuthorization,
  }: {
    findProvider: () => Promise<Provider>
    findUser: FindUser
    countAuthorization: (userId: string) => Promise<void>
  },
): Promise<void> {
  const { origin } = new URL(getPublicUrl(app.config))

  /** Answers by itself, with a page or the way to the sign-in, when there is nothing to ask or nobody to ask. */
  const readAsked = async (request: FastifyRequest, reply: FastifyReply): Promise<Asked | undefined> => {
    const { uid } = request.params as { uid: string }
    const provider = await findProvider()
    const interaction = await provider.interactionDetails(request.raw, reply.raw).catch(() => undefined)
    if (interaction?.uid !== uid) return void sendMessage(reply, 400, expired)
    const found = await findUser(request)
    if (!found)
      return void reply.redirect(`/sign-in?next=${encodeURIComponent(`/v1/interaction/${uid}`)}`, 303)
    const { user, accounts } = await readUser(app.db.auth, found.userId)
    if (accounts.length === 0)
      return void sendMessage(reply, 403, 'You belong to no account, so there is nothing to connect to.')
    const { client_id, redirect_uri, scope } = interaction.params as Record<string, string>
    const client = await provider.Client.find(client_id ?? '')
    if (!client || !redirect_uri) return void sendMessage(reply, 400, expired)
    return {
      provider,
      interaction,
      user,
      session: found,
      accounts,
      client: {
        clientId: client.clientId,
        clientName: client.clientName ?? client.clientId,
        redirectUri: redirect_uri,
        scopes: scopes.filter(name => (scope ?? '').split(' ').includes(name)),
      },
    }
  }

  await server.register(async scope => {
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser(
      'application/x-www-form-urlencoded',
      { parseAs: 'string', bodyLimit: BODY_LIMIT_BYTES },
      (_request, body, done) => done(null, new URLSearchParams(body as string)),
    )
    scope.get('/v1/interaction/:uid', { config: { name: 'oauthConsent' } }, async (request, reply) => {
      const asked = await readAsked(request, reply)
      if (!asked) return reply
      if (!isRecentSignIn(asked.session.authenticatedAt, app.now())) return askToConfirm(reply, asked)
      const { client, user, accounts, interaction } = asked
      const html = consentPage({
        clientName: client.clientName,
        publisher: URL.parse(client.clientId)?.host,
        host: hostOf(client.redirectUri),
        isLoopback: isLoopback(client.redirectUri) || !/^https?:/.test(client.redirectUri),
        accounts,
        email: user.email,
        canWrite: client.scopes.includes('outreach.write'),
        csrfToken: signToken(app.keys, PURPOSE, `${interaction.uid} ${user.id}`),
      })
      return reply
        .code(200)
        .headers(pageHeaders(formTarget(client.redirectUri)))
        .send(html)
    })

    scope.post('/v1/interaction/:uid', { config: { name: 'oauthConsent' } }, async (request, reply) => {
      const asked = await readAsked(request, reply)
      if (!asked) return reply
      const form = request.body instanceof URLSearchParams ? request.body : new URLSearchParams()
      const isOurs =
        (request.headers.origin === undefined || request.headers.origin === origin) &&
        ['same-origin', undefined].includes(request.headers['sec-fetch-site'] as string | undefined) &&
        verifyToken(app.keys, PURPOSE, form.get('csrf') ?? '') === `${asked.interaction.uid} ${asked.user.id}`
      if (!isOurs)
        return sendMessage(reply, 403, 'This request did not come from the page that asks for your consent.')
      let result: InteractionResults = {
        error: 'access_denied',
        error_description: 'the person did not allow it',
      }
      if (form.get('decision') === 'allow') {
        // The connection outlives the session, so a browser found open must not make one.
        if (!isRecentSignIn(asked.session.authenticatedAt, app.now())) return askToConfirm(reply, asked)
        await countAuthorization(asked.user.id)
        const grantId = await grant(app, asked, form.get('account'), request)
        if (!grantId) return sendMessage(reply, 409, 'You are not a member of that account.')
        result = { login: { accountId: asked.user.id, remember: false }, consent: { grantId } }
      }
      const next = await asked.provider.interactionResult(request.raw, reply.raw, result, {
        mergeWithLastSubmission: false,
      })
      return reply.redirect(next, 303)
    })
  })
}

/** The person proves who they are, and comes back to the page that asks. */
const askToConfirm = (reply: FastifyReply, { interaction }: Asked): FastifyReply =>
  reply.redirect(`/confirm?${new URLSearchParams({ next: `/v1/interaction/${interaction.uid}` })}`, 303)

const expired = 'This request has expired, or was opened in another browser.'

const sendMessage = (reply: FastifyReply, status: number, message: string): FastifyReply =>
  reply.code(status).headers(pageHeaders()).send(messagePage(notConnected, message))

/** What a policy can name of the place that the form leads to in the end. */
function formTarget(redirectUri: string): string {
  const { protocol, origin } = new URL(redirectUri)
  return protocol === 'https:' || protocol === 'http:' ? origin : protocol
}

/** Undefined when the user is no member of the account. */
async function grant(
  app: App,
  asked: Asked,
  accountId: string | null,
  { ip, id: requestId }: FastifyRequest,
): Promise<string | undefined> {
  const { provider, session, user, accounts, client, interaction } = asked
  const account = accounts.find(({ id }) => id === accountId)
  if (!account) return undefined
  const id = randomUUIDv7()
  const granted = new provider.Grant({ accountId: user.id, clientId: client.clientId })
  granted.addOIDCScope('offline_access')
  const [resource = resourcesOf(app)[0]!] = [interaction.params.resource].flat() as string[]
  granted.addResourceScope(resource, client.scopes.join(' '))
  const now = Math.floor(Date.now() / 1000)
  return (await app.db.auth.begin(async sql => {
    await holdSession(sql, session)
    const isStored = await storeGrant(sql, {
      id,
      accountId: account.id,
      userId: user.id,
      clientId: client.clientId,
      clientName: client.clientName,
      clientHost: hostOf(client.redirectUri),
      scopes: client.scopes,
      payload: {
        kind: 'Grant',
        jti: id,
        accountId: user.id,
        clientId: client.clientId,
        openid: granted.openid,
        resources: granted.resources,
        iat: now,
        exp: now + GRANT_SECONDS,
      },
      expiresAt: new Date((now + GRANT_SECONDS) * 1000),
    })
    if (!isStored) return undefined
    await markConnected(sql, client.clientId)
    const author = { actor: 'sign-in', userId: user.id, address: ip, requestId }
    await audit({ ...author, sql, accountId: account.id }, 'connect', 'oauth_grant', id)
    return id
  })) as string | undefined
}
