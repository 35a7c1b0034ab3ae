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

/** Reasons for a failed sign-in, shown by the page. */
type Problem = (typeof contract.singleSignOnProblems)[number]

/** State stored for a visit to the provider; `sessionId` is the session that it confirms, if any. */
type Kept = PendingProviderSignIn & { domain: string; next: string; sessionId?: string }

type Person = NonNullable<Awaited<ReturnType<typeof finishProviderSignIn>>>

/** Routes to sign in with the identity provider of an address's domain, and to confirm a session there. */
export function mountSingleSignOn(door: FastifyInstance, app: App, sessions: BrowserSessions): void {
  const { auth } = app.db
  const { findSession, signedIn, enter, renew, toAuthor, limits } = sessions

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
    const payload: Kept = { ...pending, domain: provider.domain, next, ...(isFresh && { sessionId }) }
    const attempt = await beginAttempt(auth, { kind: 'single-sign-on', payload, now: app.now() })
    setAttemptCookie(app.config, reply, 'single-sign-on', attempt)
    return { url }
  }

  /** Returns the person who came back, or the problem. */
  const end = async (request: FastifyRequest, { domain, ...pending }: Kept) => {
    const provider = await findIdentityProvider(auth, domain)
    // The configuration may have changed since.
    if (provider?.accountId !== pending.accountId || provider.issuer !== pending.issuer) return 'expired'
    const query = request.url.slice(request.url.indexOf('?') + 1)
    const person = await finishProviderSignIn(app, provider, { pending, query }).catch((err: unknown) => {
      app.log.warn({ err, accountId: provider.accountId }, 'single sign-on: an answer was refused')
      return 'failed' as const
    })
    if (typeof person === 'object') return { provider, person }
    return person ?? 'unverified'
  }

  /** Confirms the session if the same person signed in just now. Providers that omit `auth_time` were asked for a new sign-in. */
  const confirmBy = async (
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

  door.get('/v1/session/single-sign-on', { config: { name: 'findSingleSignOn' } }, async request => {
    await limits.countStranger(request.ip)
    const { domain } = request.query as { domain?: unknown }
    return { isOffered: (await findIdentityProvider(auth, String(domain))) !== undefined }
  })

  door.post(
    '/v1/session/single-sign-on',
    { config: { name: 'beginSingleSignOn' } },
    async (request, reply) => {
      const given = readBody(contract.singleSignOn, request)
      const provider = await findIdentityProvider(auth, given.email)
      if (!provider) throw invalid('email', 'must belong to a domain with single sign-on')
      return begin(reply, provider, given)
    },
  )

  door.post(
    '/v1/session/confirm/single-sign-on',
    { config: { name: 'beginConfirmation' } },
    async (request, reply) => {
      const { id: sessionId, userId } = await signedIn(request)
      const { next } = readBody(contract.confirmationBySingleSignOn, request)
      const company = await findOwnProvider(auth, userId)
      if (!company) throw invalid('', 'None of your accounts uses single sign-on.')
      return begin(reply, company.provider, { email: company.email, next, sessionId })
    },
  )

  door.get(
    '/v1/session/single-sign-on/callback',
    { config: { name: 'endSingleSignOn' } },
    async (request, reply) => {
      const token = readAttemptCookie(app.config, request, 'single-sign-on')
      // Any page can send a browser here without the cookie; that must not count towards its sign-in limit.
      if (!token) return refuse(reply, 'expired')
      reportBuckets(reply, await limits.countSingleSignOn(request.ip))
      const attempt = await consumeAttempt(auth, { kind: 'single-sign-on', token, now: app.now() })
      if (!attempt) return refuse(reply, 'expired')
      const kept = attempt.payload as Kept
      const { next, sessionId } = kept
      const ended = await end(request, kept)
      if (sessionId) {
        const session = await findSession(request)
        const own = session?.id === sessionId ? session : undefined
        const problem = typeof ended === 'string' ? ended : await confirmBy(reply, own, ended.person)
        if (!problem) return reply.redirect(toPath(next), 303)
        return reply.redirect(`/confirm?${new URLSearchParams({ problem, next })}`, 303)
      }
      if (typeof ended === 'string') return refuse(reply, ended)
      const { provider, person } = ended
      const user = await findOrCreateMember(auth, provider, person, toAuthor(request))
      if (!user) return refuse(reply, 'stranger')
      const answer = await enter(request, reply, {
        userId: user.userId,
        authenticatedAt: person.authenticatedAt ?? null,
      })
      return 'isCodeNeeded' in answer
        ? reply.redirect(`/sign-in?${new URLSearchParams({ step: 'code', next })}`, 303)
        : reply.redirect(toPath(next), 303)
    },
  )
}

const refuse = (reply: FastifyReply, problem: Problem) => reply.redirect(`/sign-in?problem=${problem}`, 303)

/** Returns a path on this server, whatever `next` says (open redirects). */
function toPath(next: string): string {
  const here = 'http://here.invalid'
  const url = URL.parse(next, here)
  // A leading `//` would name a host.
  return url?.origin === here ? url.pathname.replace(/^\/+/, '/') + url.search : '/'
}
