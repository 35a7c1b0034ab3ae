import { describe, expect, it } from 'vitest'
import { canonicalEmail } from '../../server/protocols/identity/email.ts'
import { canonicalLinkedin } from '../../server/protocols/identity/linkedin.ts'
import { parseOptOutIdentifier } from '../../server/protocols/identity/opt-out-identifier.ts'
import { canonicalPhone } from '../../server/protocols/identity/phone.ts'
import { isTimezone } from '../../server/protocols/identity/timezone.ts'
import { detectReplyIntent } from '../../server/protocols/mail-reading/reply-intent.ts'
import { acmeCalls } from '../data/calls.ts'
import { companies } from '../data/people.ts'
import { toTranscript } from './call-rows.ts'
import { buildSeedData } from './seed-data.ts'

const seededAt = new Date('2026-11-21T00:00:00.000Z')
const seedData = { acme: buildSeedData('acme', seededAt), globex: buildSeedData('globex', seededAt) }
type TextRows = Record<string, string>[]
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

/** Returns the calls with their transcripts, which the rows hold as JSON. */
const getCalls = (data: (typeof seedData)['acme'], key: string): CallRow[] =>
  (data.rows.calls as CallRow[]).map((row, index) => {
    const { transcript } = (key === 'acme' ? acmeCalls : [])[index]!
    return { ...row, transcript: transcript ? toTranscript(transcript) : null }
  })

describe.each(Object.entries(seedData))('the seed data of %s', (key, data) => {
  it('is the same at any time of day', () => {
    expect(buildSeedData(key as keyof typeof seedData, new Date('2026-11-21T23:59:59.999Z'))).toEqual(data)
  })

  it('keeps its IDs on another day', () => {
    const later = buildSeedData(key as keyof typeof seedData, new Date('2027-03-05T12:00:00.000Z'))
    const getIds = ({ rows, threads, conversations }: typeof data) => [
      ...Object.values(rows).flatMap(rows => rows.map(row => row.id)),
      ...[...threads, ...conversations].flatMap(({ id, messages }) => [id, ...messages.map(each => each.id)]),
    ]
    expect(getIds(later)).toEqual(getIds(data))
  })

  it('has identifiers in their canonical form', () => {
    const persons = data.rows.persons as TextRows
    expect(persons.map(person => canonicalEmail(person.email!))).toEqual(persons.map(person => person.email))
    expect(persons.map(person => canonicalLinkedin(person.linkedin_url!))).toEqual(
      persons.map(person => person.linkedin_url),
    )
    const withPhone = persons.filter(person => person.phone)
    expect(withPhone.map(person => canonicalPhone(person.phone!))).toEqual(
      withPhone.map(person => person.phone),
    )
    expect(persons.filter(person => !isTimezone(person.timezone!))).toEqual([])
    for (const { kind, value } of data.rows.opt_outs as TextRows) {
      expect(parseOptOutIdentifier({ identifier: value!, identifierType: kind as 'email' })).toEqual({
        kind,
        value,
      })
    }
  })

  it('has messages in chronological order, all in the past', () => {
    const emails = data.threads.map(({ messages }) => messages.map(message => message.sentAt))
    const onLinkedin = data.conversations.map(({ messages }) => messages.map(message => message.happenedAt))
    for (const thread of [...emails, ...onLinkedin]) {
      const times = thread.map(at => at.getTime())
      expect(times).toEqual([...new Set(times)].sort((a, b) => a - b))
      expect(times.at(-1)).toBeLessThan(seededAt.getTime())
    }
  })

  it('never updates a campaign before its launch', () => {
    for (const { name, created_at, launched_at, updated_at } of data.rows.campaigns as CampaignRow[]) {
      expect(+updated_at, name).toBeGreaterThanOrEqual(+(launched_at ?? created_at))
      expect(+updated_at, name).toBeLessThan(+seededAt)
    }
  })

  it('has no prospect that both bounced and replied, or both replied automatically and opted out', () => {
    const kinds = new Map<unknown, Set<unknown>>()
    const prospectIds = new Map(
      data.threads.flatMap(({ prospectId, messages }) => messages.map(({ id }) => [id, prospectId] as const)),
    )
    for (const { about_id, kind } of data.received) {
      const prospectId = prospectIds.get(about_id as string)
      kinds.set(prospectId, (kinds.get(prospectId) ?? new Set()).add(kind))
    }
    for (const prospectKinds of kinds.values()) {
      if (prospectKinds.has('bounce')) expect([...prospectKinds]).toEqual(['bounce'])
      expect(
        prospectKinds.has('auto_reply') &&
          (prospectKinds.has('unsubscribe') || prospectKinds.has('complaint')),
      ).toBe(false)
    }
    const refused = data.threads.filter(({ messages }) => messages[0].deliveryStatus === 'failed')
    expect(refused.filter(({ messages }) => messages.length > 1)).toEqual([])
  })

  it('has call durations that match their transcripts', () => {
    for (const { transcript, duration_seconds, started_at, ended_at, outcome } of getCalls(data, key)) {
      const last = transcript?.at(-1)
      if (outcome === 'answered') expect(last).toBeDefined()
      if (!last) continue
      expect(duration_seconds).toBeGreaterThan(last.at)
      expect(duration_seconds! - last.at).toBeLessThan(15)
      expect(+ended_at! - +started_at!).toBe(duration_seconds! * 1000)
    }
  })

  it('never requests a call to someone who asked to be contacted later', () => {
    const askedAt = new Map<string, Date>()
    const recordIfNotNow = (prospectId: unknown, text: string, at: Date) => {
      if (detectReplyIntent(text, at)?.intent === 'not_now') askedAt.set(prospectId as string, at)
    }
    for (const { prospectId, messages } of data.threads)
      for (const { type, body, sentAt } of messages)
        if (type === 'received') recordIfNotNow(prospectId, body, sentAt)
    const calls = getCalls(data, key)
    for (const { prospect_id, transcript, started_at } of calls)
      for (const { role, text } of transcript ?? [])
        if (role === 'person') recordIfNotNow(prospect_id, text, started_at!)
    if (key === 'acme') expect(askedAt.size).toBeGreaterThan(0)
    const proposed = [
      ...calls
        .filter(
          ({ prospect_id, created_at }) => askedAt.has(prospect_id) && created_at > askedAt.get(prospect_id)!,
        )
        .map(({ prospect_id }) => prospect_id),
      ...(data.rows.call_requests as CallRow[]).map(({ prospect_id }) => prospect_id),
    ]
    expect(proposed.filter(prospectId => askedAt.has(prospectId))).toEqual([])
  })

  it('has no LinkedIn replies before the invitation was accepted', () => {
    const acceptedAt = new Map<unknown, Date | null>(
      (data.rows.linkedin_connections as ConnectionRow[]).map(row => [row.person_id, row.accepted_at]),
    )
    for (const { personId, messages } of data.conversations) {
      const first = messages.find(({ type }) => type === 'received')
      if (!first || !acceptedAt.has(personId)) continue
      expect(acceptedAt.get(personId)).toBeInstanceOf(Date)
      expect(+first.happenedAt).toBeGreaterThan(+acceptedAt.get(personId)!)
    }
  })

  it('has no sends that the engine would repeat', () => {
    const states = (data.sends as TextRows).map(send => send.state)
    expect(new Set(states).isSubsetOf(new Set(['sent', 'failed', 'unconfirmed']))).toBe(true)
  })
})

it('seed data uses only reserved domains and phone numbers', () => {
  expect(companies.filter(({ domain }) => !domain.endsWith('.example'))).toEqual([])
  const fictional =
    /^\+(1\d{3}55501\d\d|44(113|131)4960\d{3}|447700900\d{3}|35320911\d{4}|3346571\d{4}|498999998\d{3}|494066969\d{3}|463139006\d\d|467017406\d\d|61755500\d{3}|61770100\d{3}|61491570156)$/
  const phones = companies.flatMap(({ people }) => people.flatMap(person => person[4] ?? []))
  expect(phones.filter(phone => !fictional.test(phone))).toEqual([])
})

it('seed data has more than 100 people with unique slugs', () => {
  const people = companies.flatMap(company => company.people)
  expect(people.length).toBeGreaterThan(100)
  expect(new Set(people.map(([, , slug]) => slug)).size).toBe(people.length)
})
