import { describe, expect, it } from 'vitest'
import { canonicalEmail } from '../server/protocols/identity/email.ts'
import { canonicalLinkedin } from '../server/protocols/identity/linkedin.ts'
import { parseOptOutIdentifier } from '../server/protocols/identity/opt-out-identifier.ts'
import { canonicalPhone } from '../server/protocols/identity/phone.ts'
import { isTimezone } from '../server/protocols/identity/timezone.ts'
import { detectReplyIntent } from '../server/protocols/mail-reading/reply-intent.ts'
import { timed } from './call-rows.ts'
import { acmeCalls } from './calls.ts'
import { companies } from './people.ts'
import { tellStory } from './story.ts'

const madeAt = new Date('2026-11-21T00:00:00.000Z')
const stories = { acme: tellStory('acme', madeAt), globex: tellStory('globex', madeAt) }
type Column = Record<string, string>[]
type CampaignRow = { name: string; created_at: Date; launched_at: Date | null; updated_at: Date }
type ConnectionRow = { person_id: string; accepted_at: Date | null }
type CallRow = {
  prospect_id: string
  transcript: { role: string; text: string; at: number }[] | null
  duration_seconds: number | null
  started_at: Date | null
  ended_at: Date | null
  created_at: Date
  outcome: string | null
}

/** Each with what was said in it, which the row has as JSON. */
const callsOf = (story: (typeof stories)['acme'], key: string): CallRow[] =>
  (story.rows.calls as CallRow[]).map((row, index) => {
    const { transcript } = (key === 'acme' ? acmeCalls : [])[index]!
    return { ...row, transcript: transcript ? timed(transcript) : null }
  })

describe.each(Object.entries(stories))('the story of %s', (key, story) => {
  it('is the same on every machine and all day long', () => {
    expect(tellStory(key as keyof typeof stories, new Date('2026-11-21T23:59:59.999Z'))).toEqual(story)
  })

  it('keeps its ids when it is told on another day', () => {
    const later = tellStory(key as keyof typeof stories, new Date('2027-03-05T12:00:00.000Z'))
    const idsOf = ({ rows, threads, conversations }: typeof story) => [
      ...Object.values(rows).flatMap(rows => rows.map(row => row.id)),
      ...[...threads, ...conversations].flatMap(({ id, messages }) => [id, ...messages.map(each => each.id)]),
    ]
    expect(idsOf(later)).toEqual(idsOf(story))
  })

  it('knows everybody by what the records would have made of it', () => {
    const persons = story.rows.persons as Column
    expect(persons.map(person => canonicalEmail(person.email!))).toEqual(persons.map(person => person.email))
    expect(persons.map(person => canonicalLinkedin(person.linkedin_url!))).toEqual(
      persons.map(person => person.linkedin_url),
    )
    const called = persons.filter(person => person.phone)
    expect(called.map(person => canonicalPhone(person.phone!))).toEqual(called.map(person => person.phone))
    expect(persons.filter(person => !isTimezone(person.timezone!))).toEqual([])
    for (const { kind, value } of story.rows.opt_outs as Column) {
      expect(parseOptOutIdentifier({ identifier: value!, identifierType: kind as 'email' })).toEqual({
        kind,
        value,
      })
    }
  })

  it('lets each thread go on in the order in which it is told, all of it in the past', () => {
    const emails = story.threads.map(({ messages }) => messages.map(message => message.sentAt))
    const onLinkedin = story.conversations.map(({ messages }) => messages.map(message => message.happenedAt))
    for (const thread of [...emails, ...onLinkedin]) {
      const times = thread.map(at => at.getTime())
      expect(times).toEqual([...new Set(times)].sort((a, b) => a - b))
      expect(times.at(-1)).toBeLessThan(madeAt.getTime())
    }
  })

  it('changes a campaign when it was launched at the earliest', () => {
    for (const { name, created_at, launched_at, updated_at } of story.rows.campaigns as CampaignRow[]) {
      expect(+updated_at, name).toBeGreaterThanOrEqual(+(launched_at ?? created_at))
      expect(+updated_at, name).toBeLessThan(+madeAt)
    }
  })

  it('gives each address one fate: who bounces says nothing, and who is away does not opt out by it', () => {
    const kinds = new Map<unknown, Set<unknown>>()
    const threadOf = new Map(
      story.threads.flatMap(({ prospectId, messages }) =>
        messages.map(({ id }) => [id, prospectId] as const),
      ),
    )
    for (const { about_id, kind } of story.received) {
      const prospectId = threadOf.get(about_id as string)
      kinds.set(prospectId, (kinds.get(prospectId) ?? new Set()).add(kind))
    }
    for (const own of kinds.values()) {
      if (own.has('bounce')) expect([...own]).toEqual(['bounce'])
      expect(own.has('auto_reply') && (own.has('unsubscribe') || own.has('complaint'))).toBe(false)
    }
    const refused = story.threads.filter(({ messages }) => messages[0].deliveryStatus === 'failed')
    expect(refused.filter(({ messages }) => messages.length > 1)).toEqual([])
  })

  it('lets a call last as long as what was said in it', () => {
    for (const { transcript, duration_seconds, started_at, ended_at, outcome } of callsOf(story, key)) {
      const last = transcript?.at(-1)
      if (outcome === 'answered') expect(last).toBeDefined()
      if (!last) continue
      expect(duration_seconds).toBeGreaterThan(last.at)
      expect(duration_seconds! - last.at).toBeLessThan(15)
      expect(+ended_at! - +started_at!).toBe(duration_seconds! * 1000)
    }
  })

  it('proposes no call to anybody who asked to be left alone until later', () => {
    const askedAt = new Map<string, Date>()
    const ask = (prospectId: unknown, words: string, at: Date) => {
      if (detectReplyIntent(words, at)?.intent === 'not_now') askedAt.set(prospectId as string, at)
    }
    for (const { prospectId, messages } of story.threads)
      for (const { type, body, sentAt } of messages) if (type === 'received') ask(prospectId, body, sentAt)
    const calls = callsOf(story, key)
    for (const { prospect_id, transcript, started_at } of calls)
      for (const { role, text } of transcript ?? [])
        if (role === 'person') ask(prospect_id, text, started_at!)
    if (key === 'acme') expect(askedAt.size).toBeGreaterThan(0)
    const proposed = [
      ...calls
        .filter(
          ({ prospect_id, created_at }) => askedAt.has(prospect_id) && created_at > askedAt.get(prospect_id)!,
        )
        .map(({ prospect_id }) => prospect_id),
      ...(story.rows.call_requests as CallRow[]).map(({ prospect_id }) => prospect_id),
    ]
    expect(proposed.filter(prospectId => askedAt.has(prospectId))).toEqual([])
  })

  it('lets nobody answer on LinkedIn before they accepted the invitation', () => {
    const acceptedAt = new Map<unknown, Date | null>(
      (story.rows.linkedin_connections as ConnectionRow[]).map(row => [row.person_id, row.accepted_at]),
    )
    for (const { personId, messages } of story.conversations) {
      const first = messages.find(({ type }) => type === 'received')
      if (!first || !acceptedAt.has(personId)) continue
      expect(acceptedAt.get(personId)).toBeInstanceOf(Date)
      expect(+first.happenedAt).toBeGreaterThan(+acceptedAt.get(personId)!)
    }
  })

  it('writes down nothing that would be sent again', () => {
    const states = (story.sends as Column).map(send => send.state)
    expect(new Set(states).isSubsetOf(new Set(['sent', 'failed', 'unconfirmed']))).toBe(true)
  })
})

it('names nobody who could exist: domains nobody can own, numbers kept for films and books', () => {
  expect(companies.filter(({ domain }) => !domain.endsWith('.example'))).toEqual([])
  const fictional =
    /^\+(1\d{3}55501\d\d|44(113|131)4960\d{3}|447700900\d{3}|35320911\d{4}|3346571\d{4}|498999998\d{3}|494066969\d{3}|463139006\d\d|467017406\d\d|61755500\d{3}|61770100\d{3}|61491570156)$/
  const phones = companies.flatMap(({ people }) => people.flatMap(person => person[4] ?? []))
  expect(phones.filter(phone => !fictional.test(phone))).toEqual([])
})

it('has people enough to look real, each under a name of their own', () => {
  const people = companies.flatMap(company => company.people)
  expect(people.length).toBeGreaterThan(100)
  expect(new Set(people.map(([, , slug]) => slug)).size).toBe(people.length)
})
