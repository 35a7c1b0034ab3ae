import { beforeAll, describe, expect, it } from 'vitest'
import { isApplicationKind } from '../../src/server/protocols/mail-oauth/provider.ts'
import type { TokenErrorClass } from '../../src/server/protocols/mail-oauth/token-error.ts'
import { hasDovecot } from '../support/mail/dovecot.ts'
import {
  type Activity,
  activitiesByServer,
  type Case,
  formatCase,
  getCases,
  type Provider,
} from './failing-provider.ts'
import { type Outcome, provokeErrors } from './oauth-errors.ts'

const providers = ['google', 'microsoft'] as const satisfies Provider[]

type Expected = {
  status: string
  resolvedBy?: string
  syncStatus?: string
  problems: string[]
  deliveries: number
  /** The maximum number of requests to the token endpoint. */
  requests: number
}

const tokenProblems: Record<Exclude<TokenErrorClass, 'transient'>, string> = {
  user: 'mailbox_disconnected',
  admin: 'mailbox_consent_missing',
  operator: 'mail_client_failing',
}

/** Returns what a user sees while the error lasts. */
function getExpected(each: Case, activity: Activity): Expected {
  const retries = 'isAboutToken' in each.fault ? 1 : 0
  if (each.server === 'SMTP server') {
    const isFailing = activity === 'connecting' || each.fault.outcome === 'refused'
    return {
      status: isFailing ? 'failing' : 'active',
      problems: [isFailing ? 'mailbox_failing' : 'mailbox_waiting'],
      deliveries: 0,
      requests: 1 + retries,
    }
  }
  // Emails are sent even if replies cannot be read.
  if (each.server === 'IMAP server')
    return {
      status: 'active',
      syncStatus: 'failing',
      problems: ['replies_unread'],
      deliveries: activity === 'connecting' ? 1 : 0,
      requests: 1 + retries,
    }
  const { resolvedBy } = each.fault
  const isTransient = resolvedBy === 'transient'
  const problem = isTransient ? [] : [tokenProblems[resolvedBy]]
  const expected = {
    resolvedBy: isTransient ? 'nobody' : resolvedBy,
    problems: problem,
    deliveries: 0,
    requests: 1,
  }
  if (activity === 'sending')
    return { ...expected, status: resolvedBy === 'user' || resolvedBy === 'admin' ? 'failing' : 'active' }
  const unread = isTransient ? ['mail_provider_unavailable'] : problem
  if (activity === 'syncing')
    return { ...expected, status: 'active', syncStatus: 'failing', problems: unread }
  if (!isApplicationKind(each.kind)) return { status: 'unverified', problems: [], deliveries: 0, requests: 1 }
  // The SMTP and IMAP sign-ins both request a token, without backoff, because a user is waiting for the result.
  return {
    ...expected,
    ...{ status: 'failing', syncStatus: 'failing', requests: 2 },
    problems: unread,
  }
}

const combinations = providers.flatMap(provider =>
  getCases(provider).flatMap(each =>
    activitiesByServer[each.server].map(activity => [formatCase(each), activity, each, provider] as const),
  ),
)

it('at least 300 combinations of errors and activities are tested', () => {
  expect(new Set(combinations.map(([name, activity]) => `${name} ${activity}`)).size).toBe(
    combinations.length,
  )
  expect(combinations.length).toBeGreaterThanOrEqual(300)
})

describe.runIf(hasDovecot()).each(providers)('at %s', provider => {
  let outcomes: Map<string, Record<Activity, Outcome>>
  beforeAll(async () => {
    outcomes = await provokeErrors(provider)
  })

  it.each(combinations.filter(combination => combination[3] === provider))(
    '%s, while %s: the mailbox says who has to act, and nothing is lost or delivered twice',
    (name, activity, each) => {
      const { during, after } = outcomes.get(name)![activity]
      const { status, resolvedBy, syncStatus, problems, deliveries, requests } = getExpected(each, activity)
      expect(during.mailbox.status).toBe(status)
      expect(during.mailbox.connection?.error?.resolvedBy).toBe(resolvedBy)
      if (syncStatus)
        expect(during.mailbox).toMatchObject({ syncStatus, syncStatusReason: expect.stringMatching(/\S/) })
      else expect(during.mailbox.syncStatus).not.toBe('failing')
      expect(during.problems.map(({ kind }) => kind)).toEqual(problems)
      for (const { message } of during.problems) expect(message).toMatch(/: \S.*\.$/)
      const hasLink = each.kind.startsWith('microsoft') && resolvedBy === 'admin'
      if (problems.length > 0)
        expect(during.problems[0]!.url ?? '').toMatch(hasLink ? /\/adminconsent\?client_id=[\da-f]/ : /^$/)
      expect(during.deliveries).toBe(deliveries)
      expect(during.replies).toBe(0)
      expect(during.requests).toBeGreaterThan(0)
      expect(during.requests).toBeLessThanOrEqual(requests)
      if (activity === 'connecting') {
        if (status === 'unverified')
          expect(during.refusal).toMatchObject({ code: 'Conflict', message: expect.stringMatching(/\.$/) })
        else expect(during.refusal).toBeUndefined()
        // A campaign can be launched only if its mailbox is active.
        expect(during.isLaunched).toBe(status === 'active')
      }

      expect(after.mailbox.status).toBe('active')
      expect(after.mailbox.connection).not.toHaveProperty('error')
      expect(after.mailbox.syncStatus).not.toBe('failing')
      expect(after.problems).toEqual([])
      expect(after.deliveries).toBe(activity === 'syncing' ? 0 : 1)
      expect(after.replies).toBe(activity === 'syncing' ? 1 : 0)
    },
  )
})
