import { randomUUIDv7 } from 'node:crypto'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Interaction, InteractionResults, Provider } from 'oidc-provider'
import { audit } from '../../domain/accounts/audit-log.ts'
import type { User } from '../../domain/accounts/users.ts'
import type { Access } from '../../domain/auth/access.ts'
import { storeGrant } from '../../domain/auth/grants.ts'
import { lockSession } from '../../domain/auth/sessions.ts'
import { readUser } from '../../domain/auth/sign-in.ts'
import { getPublicUrl } from '../../kernel/config.ts'
import { type App, isRecentSignIn } from '../../kernel/context.ts'
import { signToken, verifyToken } from '../../kernel/crypto.ts'
import { isLoopback, toDisplayHost } from './client-metadata.ts'
import { markConnected } from './clients.ts'
import {
  getConsentPageHeaders,
  NOT_CONNECTED_TITLE,
  renderConsentPage,
  renderMessagePage,
} from './consent-page.ts'
import { getResources, scopes } from './issuer.ts'

export type FindUser = (request: FastifyRequest) => Promise<Access | undefined>

const BODY_LIMIT_BYTES = 16 * 1024
/** Lifetime of a grant that nobody revokes. */
const GRANT_SECONDS = 400 * 24 * 60 * 60
const PURPOSE = 'oauth consent'

/** A pending authorization request and the user who decides on it. */
type ConsentRequest = {
  provider: Provider
  interaction: Interaction
  user: User
  session: Access
  /** Accounts of the user, ordered by join date. */
  accounts: { id: string; name: string }[]
  client: { clientId: string; clientName: string; redirectUri: string; scopes: string[] }
}

/** Mounts the page where a signed-in user grants or denies an application access to an account. */
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

  /**
   * Reads the request and its user. If either is missing, sends an error page or a redirect to sign-in and returns
   * undefined.
   */
  const readConsentRequest = async (
    request: FastifyRequest,
    reply: FastifyReply,
  ): Promise<ConsentRequest | undefined> => {
    const { uid } = request.params as { uid: string }
    const provider = await findProvider()
    const interaction = await provider.interactionDetails(request.raw, reply.raw).catch(() => undefined)
    if (interaction?.uid !== uid) return void sendMessage(reply, 400, EXPIRED)
    const session = await findUser(request)
    if (!session)
      return void reply.redirect(`/sign-in?next=${encodeURIComponent(`/v1/interaction/${uid}`)}`, 303)
    const { user, accounts } = await readUser(app.db.auth, session.userId)
    if (accounts.length === 0) return void sendMessage(reply, 403, 'You are not a member of any account.')
    const { client_id, redirect_uri, scope } = interaction.params as Record<string, string>
    const client = await provider.Client.find(client_id ?? '')
    if (!client || !redirect_uri) return void sendMessage(reply, 400, EXPIRED)
    return {
      provider,
      interaction,
      user,
      session,
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
      const consentRequest = await readConsentRequest(request, reply)
      if (!consentRequest) return reply
      if (!isRecentSignIn(consentRequest.session.authenticatedAt, app.now()))
        return redirectToConfirm(reply, consentRequest)
      const { client, user, accounts, interaction } = consentRequest
      const html = renderConsentPage({
        clientName: client.clientName,
        publisher: URL.parse(client.clientId)?.host,
        redirectHost: toDisplayHost(client.redirectUri),
        isLocal: isLoopback(client.redirectUri) || !/^https?:/.test(client.redirectUri),
        accounts,
        email: user.email,
        canWrite: client.scopes.includes('outreach.write'),
        csrfToken: signToken(app.keys, PURPOSE, `${interaction.uid} ${user.id}`),
      })
      return reply
        .code(200)
        .headers(getConsentPageHeaders(toCspSource(client.redirectUri)))
        .send(html)
    })

    scope.post('/v1/interaction/:uid', { config: { name: 'oauthConsent' } }, async (request, reply) => {
      const consentRequest = await readConsentRequest(request, reply)
      if (!consentRequest) return reply
      const form = request.body instanceof URLSearchParams ? request.body : new URLSearchParams()
      const isSentByConsentPage =
        (request.headers.origin === undefined || request.headers.origin === origin) &&
        ['same-origin', undefined].includes(request.headers['sec-fetch-site'] as string | undefined) &&
        verifyToken(app.keys, PURPOSE, form.get('csrf') ?? '') ===
          `${consentRequest.interaction.uid} ${consentRequest.user.id}`
      if (!isSentByConsentPage)
        return sendMessage(reply, 403, 'This request was not sent by the consent page.')
      let result: InteractionResults = {
        error: 'access_denied',
        error_description: 'the user denied access',
      }
      if (form.get('decision') === 'allow') {
        // The grant outlives the session, so an unattended browser must not be able to create one.
        if (!isRecentSignIn(consentRequest.session.authenticatedAt, app.now()))
          return redirectToConfirm(reply, consentRequest)
        await countAuthorization(consentRequest.user.id)
        const grantId = await createGrant(app, consentRequest, form.get('account'), request)
        if (!grantId) return sendMessage(reply, 409, 'You are not a member of that account.')
        result = { login: { accountId: consentRequest.user.id, remember: false }, consent: { grantId } }
      }
      const next = await consentRequest.provider.interactionResult(request.raw, reply.raw, result, {
        mergeWithLastSubmission: false,
      })
      return reply.redirect(next, 303)
    })
  })
}

/** Redirects the user to confirm their identity and then back to the consent page. */
const redirectToConfirm = (reply: FastifyReply, { interaction }: ConsentRequest): FastifyReply =>
  reply.redirect(`/confirm?${new URLSearchParams({ next: `/v1/interaction/${interaction.uid}` })}`, 303)

const EXPIRED = 'This request has expired or was opened in another browser.'

const sendMessage = (reply: FastifyReply, status: number, message: string): FastifyReply =>
  reply.code(status).headers(getConsentPageHeaders()).send(renderMessagePage(NOT_CONNECTED_TITLE, message))

/** Returns the CSP source expression of a redirect URI. */
function toCspSource(redirectUri: string): string {
  const { protocol, origin } = new URL(redirectUri)
  return protocol === 'https:' || protocol === 'http:' ? origin : protocol
}

/** Returns the ID of the new grant; undefined when the user isn't a member of the account. */
async function createGrant(
  app: App,
  consentRequest: ConsentRequest,
  accountId: string | null,
  { ip, id: requestId }: FastifyRequest,
): Promise<string | undefined> {
  const { provider, session, user, accounts, client, interaction } = consentRequest
  const account = accounts.find(({ id }) => id === accountId)
  if (!account) return undefined
  const id = randomUUIDv7()
  const providerGrant = new provider.Grant({ accountId: user.id, clientId: client.clientId })
  providerGrant.addOIDCScope('offline_access')
  const [resource = getResources(app)[0]!] = [interaction.params.resource].flat() as string[]
  providerGrant.addResourceScope(resource, client.scopes.join(' '))
  const now = Math.floor(Date.now() / 1000)
  return (await app.db.auth.begin(async sql => {
    await lockSession(sql, session)
    const isStored = await storeGrant(sql, {
      id,
      accountId: account.id,
      userId: user.id,
      clientId: client.clientId,
      clientName: client.clientName,
      clientHost: toDisplayHost(client.redirectUri),
      scopes: client.scopes,
      payload: {
        kind: 'Grant',
        jti: id,
        accountId: user.id,
        clientId: client.clientId,
        openid: providerGrant.openid,
        resources: providerGrant.resources,
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
