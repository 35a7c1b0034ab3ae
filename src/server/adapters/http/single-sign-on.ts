import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import * as contract from '../../../contract/sign-in.ts'
import { findUserById } from '../../domain/accounts/users.ts'
import type { Access } from '../../domain/auth/access.ts'
import {
  beginProviderSignIn,
  findIdentityProvider,
  finishProviderSignIn,
  type IdentityProvider,
  type PendingProviderSignIn,
} from '../../domain/auth/identity-provider.ts'
import { findOrCreateMember, findOwnProvider } from '../../domain/auth/provider-sign-in.ts'
import { beginAttempt, consumeAttempt } from '../../domain/auth/sign-in-attempts.ts'
import { type App, isRecentSignIn } from '../../kernel/context.ts'
import { invalid, unavailable } from '../../kernel/errors.ts'
import { reportBuckets } from '../../kernel/rate-limit-buckets.ts'
import { type BrowserSessions, readBody } from './browser-sessions.ts'
import { readAttemptCookie, setAttemptCookie } from './session-cookie.ts'

/** Reasons for a failed sign-in, shown on the page that the callback redirects to. */
type Problem = (typeof contract.singleSignOnProblems)[number]

/** State stored while the browser visits the provider; `sessionId` is the session to confirm, if any. */
type StoredState = PendingProviderSignIn & { domain: string; next: string; sessionId?: string }

type Person = NonNullable<Awaited<ReturnType<typeof finishProviderSignIn>>>

/** Mounts the routes for signing in, and for confirming a session, with the identity provider of an email domain. */
export function mountSingleSignOn(scope: FastifyInstance, app: App, sessions: BrowserSessions): void {
  const { auth } = app.db
  const { findSession, requireSession, continueSignIn, renew, toAuthor, limits } = sessions

  const begin = async (
    reply: FastifyReply,
    provider: IdentityProvider,
    { email, next = '/', sessionId }: { email: string; next?: string | undefined; sessionId?: string },
  ): Promise<{ url: string }> => {
    const isFresh = sessionId !== undefined
    const { url, pending } = await beginProviderSignIn(app, provider, { email, isFresh }).catch(
      (cause: unknown): never => {
        throw unavailable('The identity provider of this domain is not responding.', cause)
      },
    )
    const payload: StoredState = { ...pending, domain: provider.domain, next, ...(isFresh && { sessionId }) }
    const attempt = await beginAttempt(auth, { kind: 'single-sign-on', payload, now: app.now() })
    setAttemptCookie(app.config, reply, 'single-sign-on', attempt)
    return { url }
  }

  /** Returns the person who signed in at the provider, or the problem. */
  const finish = async (request: FastifyRequest, { domain, ...pending }: StoredState) => {
    const provider = await findIdentityProvider(auth, domain)
    // The configuration may have changed since the sign-in began.
    if (provider?.accountId !== pending.accountId || provider.issuer !== pending.issuer) return 'expired'
    const query = request.url.slice(request.url.indexOf('?') + 1)
    const person = await finishProviderSignIn(app, provider, { pending, query }).catch((err: unknown) => {
      app.log.warn({ err, accountId: provider.accountId }, 'single sign-on: a callback was rejected')
      return 'failed' as const
    })
    if (typeof person === 'object') return { provider, person }
    return person ?? 'unverified'
  }

  /**
   * Confirms the session if the same person signed in just now. Without `auth_time`, the sign-in counts as new, because
   * the request required a new one.
   */
  const confirmSession = async (
    reply: FastifyReply,
    session: Access | undefined,
    { email, authenticatedAt = app.now() }: Person,
  ): Promise<Problem | undefined> => {
    if (!session) return 'expired'
    const user = await findUserById(auth, session.userId)
    if (user?.email !== email) return 'different'
    if (!isRecentSignIn(authenticatedAt, app.now())) return 'failed'
    await renew(reply, session, authenticatedAt)
    return undefined
  }

  scope.get('/v1/session/single-sign-on', { config: { name: 'findSingleSignOn' } }, async request => {
    await limits.countAnonymous(request.ip)
    const { domain } = request.query as { domain?: unknown }
    return { isOffered: (await findIdentityProvider(auth, String(domain))) !== undefined }
  })

  scope.post(
    '/v1/session/single-sign-on',
    { config: { name: 'beginSingleSignOn' } },
    async (request, reply) => {
      const input = readBody(contract.singleSignOn, request)
      const provider = await findIdentityProvider(auth, input.email)
      if (!provider) throw invalid('email', 'must belong to a domain with single sign-on')
      return begin(reply, provider, input)
    },
  )

  scope.post(
    '/v1/session/confirm/single-sign-on',
    { config: { name: 'beginConfirmation' } },
    async (request, reply) => {
      const { id: sessionId, userId } = await requireSession(request)
      const { next } = readBody(contract.confirmationBySingleSignOn, request)
      const own = await findOwnProvider(auth, userId)
      if (!own) throw invalid('', 'None of your accounts uses single sign-on.')
      return begin(reply, own.provider, { email: own.email, next, sessionId })
    },
  )

  scope.get(
    '/v1/session/single-sign-on/callback',
    { config: { name: 'endSingleSignOn' } },
    async (request, reply) => {
      const token = readAttemptCookie(app.config, request, 'single-sign-on')
      // Any page can send a browser here without the cookie; that must not count toward the browser's sign-in
      // limit.
      if (!token) return redirectToSignIn(reply, 'expired')
      reportBuckets(reply, await limits.countSingleSignOn(request.ip))
      const attempt = await consumeAttempt(auth, { kind: 'single-sign-on', token, now: app.now() })
      if (!attempt) return redirectToSignIn(reply, 'expired')
      const state = attempt.payload as StoredState
      const { next, sessionId } = state
      const result = await finish(request, state)
      if (sessionId) {
        const session = await findSession(request)
        const own = session?.id === sessionId ? session : undefined
        const problem = typeof result === 'string' ? result : await confirmSession(reply, own, result.person)
        if (!problem) return reply.redirect(toPath(next), 303)
        return reply.redirect(`/confirm?${new URLSearchParams({ problem, next })}`, 303)
      }
      if (typeof result === 'string') return redirectToSignIn(reply, result)
      const { provider, person } = result
      const user = await findOrCreateMember(auth, provider, person, toAuthor(request))
      if (!user) return redirectToSignIn(reply, 'stranger')
      const response = await continueSignIn(request, reply, {
        userId: user.userId,
        authenticatedAt: person.authenticatedAt ?? null,
      })
      return 'isCodeNeeded' in response
        ? reply.redirect(`/sign-in?${new URLSearchParams({ step: 'code', next })}`, 303)
        : reply.redirect(toPath(next), 303)
    },
  )
}

const redirectToSignIn = (reply: FastifyReply, problem: Problem) =>
  reply.redirect(`/sign-in?problem=${problem}`, 303)

/** Returns a path on this server, regardless of what `next` contains, which prevents open redirects. */
function toPath(next: string): string {
  const here = 'http://here.invalid'
  const url = URL.parse(next, here)
  // A leading `//` would name a host.
  return url?.origin === here ? url.pathname.replace(/^\/+/, '/') + url.search : '/'
}
