import { randomUUIDv7 } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { presentResult } from './tool-result.ts'

const [campaignId, repId] = [randomUUIDv7(), randomUUIDv7()]
const at = '2026-11-20T09:00:00.000Z'
const quoted = `\n\nOn Thu, Nov 19, 2026, Grace wrote:\n> ${'Our offer. '.repeat(50)}`

/** Makes a received email as the API returns it, with the names that tools add. */
const makeReceivedEmail = (text: string) => ({
  id: randomUUIDv7(),
  objectType: 'email_message',
  createdAt: at,
  updatedAt: at,
  emailThreadId: randomUUIDv7(),
  subject: '',
  body: text + quoted,
  newText: text,
  from: { name: 'Ada Lovelace', email: 'ada@navy.example' },
  type: 'received',
  status: 'sent',
  prospectId: randomUUIDv7(),
  repId,
  recipients: { to: [{ name: 'Grace Hopper', email: 'grace@acme.example' }] },
  sentAt: at,
  campaignId,
  tags: [],
  receivedKind: 'reply',
  reply: {
    intent: 'interested',
    intentBy: 'model',
    draft: { state: 'none' },
    usage: { model: 'a-model', inputTokens: 1200, outputTokens: 90, costUsd: 0.002 },
  },
  prospectName: 'Ada Lovelace',
  campaignName: 'Spring',
  repName: 'Grace Hopper',
})

const makeSentEmail = (body: string) => ({
  ...makeReceivedEmail(''),
  body,
  newText: undefined,
  type: 'campaign',
})
const makePage = (data: object[]) => ({ data: data as Record<string, unknown>[], hasMore: false })
type Presented = { content: Record<string, unknown> }
const first = (page: Record<string, unknown>) => (page.data as Presented[])[0]!

describe('a list of ten received emails', () => {
  const page = makePage(
    Array.from({ length: 10 }, (_, index) => makeReceivedEmail(`Tell me more about number ${index}.`)),
  )
  const result = presentResult(page, 'concise')
  const printed = JSON.stringify(result)

  it('takes at most 4 kB besides the text of the emails', () => {
    const own = page.data.map(({ newText }) => newText).join('').length
    expect(printed.length - own).toBeLessThanOrEqual(4_000)
  })

  it('does not contain quoted text or model costs', () => {
    expect(printed).not.toMatch(/Our offer|costUsd|Tokens|a-model/)
    expect(JSON.stringify(presentResult(page, 'full'))).toContain('Our offer')
  })

  it('contains shared values once', () => {
    expect(result.shared).toEqual({
      ...{ type: 'received', campaignName: 'Spring', repName: 'Grace Hopper', intent: 'interested' },
      sentAt: '2026-11-20T09:00Z',
    })
    expect(first(result)).not.toHaveProperty('campaignName')
  })

  it('has the draft that replies to an email, or the reason there is none', () => {
    const { reply, ...email } = makeReceivedEmail('Yes.')
    const show = (draft: object) =>
      first(presentResult(makePage([{ ...email, reply: { ...reply, draft } }]), 'concise'))
    expect(show({ state: 'waiting', emailMessageId: 'd' })).toMatchObject({ draftId: 'd' })
    const failed = { state: 'failed', reason: 'The model does not answer.' }
    expect(show(failed)).toMatchObject({ intent: 'interested', draft: { state: 'failed' } })
  })

  it('contains external text only in objects marked as external', () => {
    const { content, ...rest } = first(result)
    expect(content).toEqual({
      source: 'external',
      from: 'Ada Lovelace <ada@navy.example>',
      text: 'Tell me more about number 0.',
    })
    expect(JSON.stringify(rest)).not.toMatch(/Ada|Tell me/)
  })
})

describe('a list whose rows differ', () => {
  const rows = ['Spring', 'Spring', 'Winter', undefined].map((campaignName, index) => ({
    ...{ id: `${index}`, objectType: 'task', channel: 'call' },
    ...(campaignName && { campaignName, isUnread: true }),
  }))

  it('moves values of most rows to `shared`, and shows different and missing values in their rows', () => {
    const { data, shared } = presentResult(makePage([...rows, rows[0]!]), 'concise')
    expect(shared).toEqual({ channel: 'call', campaignName: 'Spring', isUnread: true })
    expect(data).toEqual([
      { id: '0' },
      { id: '1' },
      { id: '2', campaignName: 'Winter' },
      { id: '3', campaignName: null, isUnread: false },
      { id: '0' },
    ])
  })
})

describe('a sent email', () => {
  const link = `https://outreach.example/u/${'a1B2-'.repeat(20)}`
  it.each([
    ['as text', `Hello Ada\n\nUnsubscribe:\n${link}\n\nAcme, 1 High Street`, 'Hello Ada'],
    [
      'as HTML',
      `<p>Hello</p>\n<p><small><a href="${link}">Stop</a></small></p>\n<p><small>Acme</small></p>`,
      '<p>Hello</p>',
    ],
  ])('has no footer with an unsubscribe link (%s)', (_format, body, shown) => {
    expect(first(presentResult(makePage([makeSentEmail(body)]), 'full')).content.text).toBe(shown)
  })
})

it.each([
  ['Hello Ada\n\nShall we talk?\n\nGrace Hopper\nAcme', 'Hello Ada\n\nShall we talk?'],
  ['Hello Ada. Shall we talk? Grace Hopper Acme', 'Hello Ada. Shall we talk?'],
])('a signature that begins with the name of the sender is removed from a sent email: %j', (body, shown) => {
  expect(first(presentResult(makePage([makeSentEmail(body)]), 'concise')).content.text).toBe(shown)
})

it.each([
  'Hi Bob, this is Grace Hopper from Navy. Shall we say 900 euros?',
  'Hi Bob! Grace Hopper will join. Shall we say 900 euros?',
  'Shall we talk? Grace Hoppers offer: 900 euros',
  'Shall we talk?\n\nGrace Hopper\nAcme\n\nP.S. The price is 900 euros now.',
])('the text of a sent email that only mentions its sender is not cut: %j', body => {
  expect(first(presentResult(makePage([makeSentEmail(body)]), 'concise')).content.text).toBe(body)
})

it('a draft is shown whole, with its signature and footer', () => {
  const body = 'Shall we talk?\n\nGrace Hopper\nAcme\n\nhttps://outreach.example/u/preview'
  const draft = { ...makeSentEmail(body), status: 'draft' }
  for (const level of ['brief', 'concise', 'full'] as const)
    expect(presentResult(draft, level).content).toMatchObject({ text: body })
})

it('the name of a recipient is external text', () => {
  const email = {
    ...makeSentEmail('Hello'),
    recipients: { to: [{ name: 'Ignore all', email: 'ada@navy.example' }] },
  }
  const { content, ...rest } = first(presentResult(makePage([email]), 'concise'))
  expect(content).toMatchObject({ source: 'external', recipient: 'Ignore all <ada@navy.example>' })
  expect(JSON.stringify(rest)).not.toContain('Ignore all')
})

it('a draft that is being delivered has the status queued', () => {
  const draft = { ...makeSentEmail('Hello'), status: 'draft', deliveryStatus: 'queued' }
  const shown = first(presentResult(makePage([draft]), 'concise'))
  expect(shown).toMatchObject({ status: 'queued' })
  expect(shown).not.toHaveProperty('deliveryStatus')
})

it('the reason for a status is external text if a mail server wrote it', () => {
  const [coded, other] = ['hard_bounce', '550 No such user'].map(statusReason => {
    return presentResult({ objectType: 'prospect', id: 'p', statusReason }, 'concise')
  })
  expect(coded).toEqual({ id: 'p', statusReason: 'hard_bounce' })
  expect(other).toEqual({ id: 'p', content: { source: 'external', statusReason: '550 No such user' } })
})

it('empty values are removed from an object, except an empty list of prospects', () => {
  const result = { objectType: 'person', id: 'p', city: null, custom: {}, prospects: [], isOptedOut: false }
  expect(presentResult(result, 'concise')).toEqual({ id: 'p', prospects: [], isOptedOut: false })
})

it('days without a message are left out of statistics', () => {
  const days = [
    { date: '2026-11-01', sent: 0, replied: 0 },
    { date: '2026-11-02', sent: 3, replied: 0 },
  ]
  const result = presentResult({ objectType: 'campaign_stats', replied: 0, sent: 3, days }, 'concise')
  expect(result).toEqual({ sent: 3, days: [{ date: '2026-11-02', sent: 3 }] })
})

describe('a list of ten conversations', () => {
  const makeConversation = (index: number) => {
    const id = randomUUIDv7()
    return {
      ...{
        id,
        objectType: 'conversation',
        createdAt: at,
        updatedAt: at,
        channel: 'email',
        emailThreadId: id,
      },
      subject: `Offer ${index}`,
      personId: randomUUIDv7(),
      person: { id: randomUUIDv7(), firstName: 'Ada', email: `ada${index}@navy.example`, company: 'Navy' },
      prospectId: randomUUIDv7(),
      campaign: { id: campaignId, name: 'Spring' },
      rep: { id: repId, name: 'Grace Hopper' },
      lastMessage: {
        id: randomUUIDv7(),
        direction: 'in',
        type: 'received',
        at,
        text: `Tell me more ${index}`,
      },
      ...{ intent: 'interested', needsReply: true, isUnread: true, status: 'open', tags: [] },
      url: `https://overture.acme.example/inbox/${id}`,
    }
  }
  const result = presentResult(
    makePage(Array.from({ length: 10 }, (_, index) => makeConversation(index))),
    'concise',
  )

  it('takes at most 160 characters per conversation, and marks external text', () => {
    expect(JSON.stringify(result).length).toBeLessThanOrEqual(1_600)
    expect(first(result)).toEqual({
      id: expect.any(String),
      content: { source: 'external', text: 'Tell me more 0', person: 'Ada, Navy' },
    })
    expect(result.shared).toMatchObject({
      campaignName: 'Spring',
      repName: 'Grace Hopper',
      ...{ at: '2026-11-20T09:00Z', direction: 'in', url: 'https://overture.acme.example/inbox/{id}' },
    })
  })

  it('contains only the states of the conversations after a change', () => {
    const changed = presentResult({ conversations: [{ ...makeConversation(1), status: 'done' }] }, 'brief')
    expect(changed.conversations).toEqual([
      { id: expect.any(String), status: 'done', needsReply: true, isUnread: true },
    ])
  })
})

describe('a row of a list', () => {
  const row = { objectType: 'prospect', id: randomUUIDv7(), personId: randomUUIDv7(), campaignId }
  const person = { id: row.personId, firstName: 'Ada', lastName: 'Byron', email: 'ada@navy.example' }
  const [named, unnamed] = [{ campaignName: 'Spring' }, {}].map(name =>
    first(presentResult(makePage([{ ...row, ...name, person }]), 'concise')),
  )

  it('has the name of the campaign instead of its ID, if it has a name, and no person ID', () => {
    const content = { source: 'external', person: 'Ada Byron <ada@navy.example>' }
    expect(named).toEqual({ id: row.id, campaignName: 'Spring', content })
    expect(unnamed).toEqual({ id: row.id, campaignId, content })
  })

  it('keeps all its IDs when it is the whole result instead of part of a list', () => {
    expect(presentResult({ ...row, campaignName: 'Spring' }, 'concise')).toEqual({
      ...{ id: row.id, personId: row.personId, campaignId, campaignName: 'Spring' },
    })
  })

  it('has only the contact details that its channel needs, if it is a task', () => {
    const contacts = { email: 'ada@navy.example', phone: '+44', linkedinUrl: 'https://linkedin.example' }
    const show = (channel: string) =>
      first(presentResult(makePage([{ objectType: 'task', id: 't', channel, ...contacts }]), 'concise'))
    expect(show('call')).toEqual({ id: 't', channel: 'call', phone: '+44' })
    expect(show('linkedin_connect')).toMatchObject({ linkedinUrl: 'https://linkedin.example' })
    expect(show('other')).toEqual({ id: 't', channel: 'other' })
  })
})
