import type { FastifyInstance, FastifyReply } from 'fastify'
import * as contract from '../../contract/sign-in.ts'
import { beginVisit, endVisit, findIdentityProvider, type Visit } from '../accounts/identity-provider.ts'
import { findMemberOrMake } from '../accounts/provider-sign-in.ts'
import { beginAttempt, takeAttempt } from '../accounts/sign-in-attempts.ts'
import type { App } from '../context.ts'
import { invalid, unavailable } from '../errors.ts'
import { type BrowserSessions, readBody } from './browser-sessions.ts'
import { readAttemptCookie, setAttemptCookie } from './session-cookie.ts'

/** What the sign-in page tells of who came back and was not let in. */
type Problem = (typeof contract.singleSignOnProblems)[number]

/** Signing in with the identity provider that answers for the domain of an address. */
export function mountSingleSignOn(door: FastifyInstance, app: App, sessions: BrowserSessions): void {
  const { auth } = app.db
  const { enter, authorOf, countSignIn, limits } = sessions

  door.get('/v1/session/single-sign-on', { config: { name: 'findSingleSignOn' } }, async request => {
    await limits.countStranger(request.ip)
    const { domain } = request.query as { domain?: unknown }
    return { isOffered: (await findIdentityProvider(auth, String(domain))) !== undefined }
  })

  door.post(
    '/v1/session/single-sign-on',
    { config: { name: 'beginSingleSignOn' } },
    async (request, reply) => {
      const { email, next = '/' } = readBody(contract.singleSignOn, request)
      const provider = await findIdentityProvider(auth, email)
      if (!provider) throw invalid('email', 'has a domain without single sign-on')
      const { url, visit } = await beginVisit(app, provider, email).catch((cause: unknown): never => {
        throw unavailable('The identity provider of this domain does not answer.', cause)
      })
      const attempt = await beginAttempt(auth, {
        kind: 'single-sign-on',
        payload: { ...visit, domain: provider.domain, next },
        now: app.now(),
      })
      setAttemptCookie(app.config, reply, 'single-sign-on', attempt)
      return { url }
    },
  )

  door.get(
    '/v1/session/single-sign-on/callback',
    { config: { name: 'endSingleSignOn' } },
    async (request, reply) => {
      await countSignIn(request, reply)
      const token = readAttemptCookie(app.config, request, 'single-sign-on')
      const attempt = await takeAttempt(auth, { kind: 'single-sign-on', token, now: app.now() })
      if (!attempt) return refuse(reply, 'expired')
      const {
        domain = '',
        next = '/',
        ...visit
      } = attempt.payload as Visit & { domain?: string; next?: string }
      const provider = await findIdentityProvider(auth, domain)
      // Neither may have changed since.
      if (provider?.accountId !== visit.accountId || provider.issuer !== visit.issuer)
        return refuse(reply, 'expired')
      const query = request.url.slice(request.url.indexOf('?') + 1)
      const person = await endVisit(app, provider, { visit, query }).catch((err: unknown) => {
        app.log.warn({ err, accountId: provider.accountId }, 'single sign-on: an answer was refused')
        return 'failed' as const
      })
      if (person === 'failed') return refuse(reply, 'failed')
      if (!person) return refuse(reply, 'unverified')
      const user = await findMemberOrMake(auth, provider, person, authorOf(request))
      if (!user) return refuse(reply, 'stranger')
      const answer = await enter(request, reply, user.userId)
      return 'isCodeNeeded' in answer
        ? reply.redirect(`/sign-in?${new URLSearchParams({ step: 'code', next })}`, 303)
        : reply.redirect(pathOf(next), 303)
    },
  )
}

const refuse = (reply: FastifyReply, problem: Problem) => reply.redirect(`/sign-in?problem=${problem}`, 303)

/** Of this server alone, wherever else the page was told to go on. */
function pathOf(next: string): string {
  const here = 'http://here.invalid'
  const url = URL.parse(next, here)
  // Two slashes at its beginning would name a host.
  return url?.origin === here ? url.pathname.replace(/^\/+/, '/') + url.search : '/'
}
