import { describe, expect, it } from 'vitest'
import { canonicalEmail } from '../server/identity/email.ts'
import { canonicalLinkedin } from '../server/identity/linkedin.ts'
import { readOptOutIdentifier } from '../server/identity/opt-out.ts'
import { canonicalPhone } from '../server/identity/phone.ts'
import { isTimezone } from '../server/identity/timezone.ts'
import { companies } from './people.ts'
import { tellStory } from './story.ts'

const madeAt = new Date('2026-11-21T00:00:00.000Z')
const stories = { acme: tellStory('acme', madeAt), globex: tellStory('globex', madeAt) }
type Column = Record<string, string>[]

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
      expect(readOptOutIdentifier({ identifier: value!, identifierType: kind as 'email' })).toEqual({
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
