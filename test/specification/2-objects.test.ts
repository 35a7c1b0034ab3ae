import { randomUUIDv7 } from 'node:crypto'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { ada, grace, makeEmail, makeThread } from '../support/campaigns/inbox.ts'
import {
  getBody,
  getItems,
  type Item,
  type List,
  openSpecificationServer,
  type SpecificationServer,
  uuid,
} from '../support/contract/specification-server.ts'

/** Expected values of a field: a pattern, exactly these values, or a predicate. */
type Values = RegExp | readonly unknown[] | ((value: unknown) => boolean)
type Line = readonly [title: string, objectType: string, field: string, values: Values, presence: Presence]
type Presence = 'required' | 'optional'

const time = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/
const isString = (value: unknown) => typeof value === 'string'
const isStringOrNull = (value: unknown) => value === null || isString(value)
const isSeconds = (value: unknown) => Number.isInteger(value) && (value as number) >= 0
const isContact = (value: unknown) => {
  const { name, email, ...rest } = value as Item
  return isString(name) && /^[^@\s]+@[^@\s]+$/.test(email as string) && Object.keys(rest).length === 0
}
const messageTypes = ['manual', 'campaign', 'reply_agent', 'received']

let specified: SpecificationServer
const objects = new Map<string, Item[]>()

beforeAll(async () => {
  specified = await openSpecificationServer()
  await addSparseObjects(specified)
  for (const path of [
    '/inbox/email/messages',
    '/inbox/linkedin/messages',
    '/inbox/linkedin/messages?status=draft',
    '/campaigns',
    '/prospects',
    '/calls',
    '/reps',
    '/persons',
    '/companies',
    '/tags',
  ]) {
    const { data, hasMore } = getBody<List>(
      await specified.get(`${path}${path.includes('?') ? '&' : '?'}limit=100`),
    )
    expect([path, hasMore]).toEqual([path, false])
    for (const item of data) {
      const type = item.objectType as string
      objects.set(type, [...(objects.get(type) ?? []), item])
    }
  }
})
afterAll(() => specified[Symbol.asyncDispose]())

/** Adds objects without optional fields, in every status and type, to the full ones of the world. */
async function addSparseObjects({
  server: { app },
  caller,
  world,
  post,
}: SpecificationServer): Promise<void> {
  const { accountId } = caller
  const threadId = await makeThread(app, caller)
  for (const type of messageTypes as ['manual', 'campaign', 'reply_agent', 'received']) {
    await makeEmail(app, caller, {
      threadId,
      type,
      status: 'sent',
      ...(type === 'received' && { sender: null }),
    })
  }
  await makeEmail(app, caller, { threadId, type: 'manual', status: null, deliveryStatus: 'queued' })
  const copies = { to: [ada], cc: [grace], bcc: [grace] }
  getBody(
    await post('/inbox/email/messages/draft', {
      prospectId: world.prospectId,
      emailMessageIdToReplyTo: world.sentMessageId,
      body: 'Copied',
      recipients: copies,
    }),
  )
  const { owner } = app
  const conversation = { account_id: accountId, conversation_id: '2-nobody' }
  const conversationRecordId = randomUUIDv7()
  await owner`insert into linkedin_conversations ${owner.rows({ ...conversation, id: conversationRecordId })}`
  await owner`
    insert into linkedin_messages ${owner.rows(
      messageTypes.map(type => ({
        ...conversation,
        id: randomUUIDv7(),
        conversation_record_id: conversationRecordId,
        text: 'Hello',
        type,
        status: 'sent',
        happened_at: new Date(),
      })),
    )}`
  await owner`update campaigns set status = 'completed', launched_at = now() where id = ${world.archivedCampaignId}`
  const call = {
    account_id: accountId,
    from_number: '+442079460018',
    to_number: '+442079460990',
    status: 'ended',
    outcome: 'answered',
  }
  const ended = {
    prospect_id: world.prospectId,
    duration_seconds: 60,
    summary: 'She will think about it.',
    started_at: new Date(0),
    ended_at: new Date(60_000),
  }
  await owner`insert into calls ${owner.rows({ ...call, ...ended, id: randomUUIDv7(), call_type: 'inbound' })}`
  await owner`insert into calls ${owner.rows({ ...call, id: randomUUIDv7(), call_type: 'web' })}`
  await owner`insert into reps ${owner.rows({ account_id: accountId, id: randomUUIDv7(), name: 'Nobody’s' })}`
  getBody(
    await post(`/campaigns/${world.campaignId}/prospects`, {
      data: [
        { email: 'nobody@gmail.com' },
        { email: 'hello@unnamed.example' },
        { firstName: 'Al', lastName: 'Khwarizmi', company: 'House of Wisdom' },
      ],
    }),
  )
}

const lines: Line[] = [
  ['2.2.object-type: is email_message', 'email_message', 'objectType', ['email_message'], 'required'],
  ['2.2.thread: is the ID of its thread', 'email_message', 'emailThreadId', uuid, 'required'],
  ['2.2.subject: is a string', 'email_message', 'subject', isString, 'required'],
  ['2.2.body: is a string', 'email_message', 'body', isString, 'required'],
  ['2.2.from: is a contact, absent when unknown', 'email_message', 'from', isContact, 'optional'],
  ['2.2.type: is one of four values', 'email_message', 'type', messageTypes, 'required'],
  [
    '2.2.status: is sent or draft, absent while sending',
    'email_message',
    'status',
    ['sent', 'draft'],
    'optional',
  ],
  ['2.2.prospect: is an ID, absent when unknown', 'email_message', 'prospectId', uuid, 'optional'],
  ['2.2.rep: is an ID, absent when unknown', 'email_message', 'repId', uuid, 'optional'],
  ['2.2.sent-at: is a time', 'email_message', 'sentAt', time, 'required'],

  [
    '2.3.object-type: is linkedin_message',
    'linkedin_message',
    'objectType',
    ['linkedin_message'],
    'required',
  ],
  ['2.3.text: is a string', 'linkedin_message', 'text', isString, 'required'],
  ['2.3.type: is one of four values', 'linkedin_message', 'type', messageTypes, 'required'],
  ['2.3.status: is sent or draft', 'linkedin_message', 'status', ['sent', 'draft'], 'required'],
  ["2.3.conversation: is the provider's string", 'linkedin_message', 'conversationId', /^2-/, 'required'],
  ['2.3.prospect: is an ID, absent when unknown', 'linkedin_message', 'prospectId', uuid, 'optional'],
  ['2.3.rep: is an ID, absent when unknown', 'linkedin_message', 'repId', uuid, 'optional'],
  ['2.3.happened-at: is a time', 'linkedin_message', 'happenedAt', time, 'required'],

  ['2.4.object-type: is campaign', 'campaign', 'objectType', ['campaign'], 'required'],
  ['2.4.name: is a string', 'campaign', 'name', isString, 'required'],
  [
    '2.4.status: is one of four values',
    'campaign',
    'status',
    ['draft', 'active', 'paused', 'completed'],
    'required',
  ],
  ['2.4.archived: is true or false', 'campaign', 'isArchived', [true, false], 'required'],
  ['2.4.launched-at: is a time, absent before the launch', 'campaign', 'launchedAt', time, 'optional'],

  ['2.5.object-type: is prospect', 'prospect', 'objectType', ['prospect'], 'required'],
  ['2.5.person: is an ID', 'prospect', 'personId', uuid, 'required'],
  ['2.5.campaign: is an ID', 'prospect', 'campaignId', uuid, 'required'],

  ['2.6.object-type: is call', 'call', 'objectType', ['call'], 'required'],
  ['2.6.from: is a phone number', 'call', 'from', /^\+\d+$/, 'required'],
  ['2.6.to: is a phone number', 'call', 'to', /^\+\d+$/, 'required'],
  ['2.6.type: is one of three values', 'call', 'callType', ['inbound', 'outbound', 'web'], 'required'],
  ['2.6.duration: is in whole seconds, absent before the end', 'call', 'duration', isSeconds, 'optional'],
  ['2.6.summary: is a string, absent when there is none', 'call', 'summary', isString, 'optional'],
  ['2.6.started-at: is a time, absent before the start', 'call', 'startedAt', time, 'optional'],
  ['2.6.ended-at: is a time, absent before the end', 'call', 'endedAt', time, 'optional'],
  ['2.6.prospect: is an ID, absent when unknown', 'call', 'prospectId', uuid, 'optional'],

  ['2.7.object-type: is rep', 'rep', 'objectType', ['rep'], 'required'],
  ['2.7.name: is a string', 'rep', 'name', isString, 'required'],
  ['2.7.owner: is the ID of a user, absent when the rep has no owner', 'rep', 'ownedById', uuid, 'optional'],

  ['2.10.person-company: is an ID, absent when unknown', 'person', 'companyId', uuid, 'optional'],
  ['2.10.company-industries: is a list', 'company', 'industries', Array.isArray, 'required'],
  ['2.10.tag-name: is a string', 'tag', 'name', isString, 'required'],
]

it.each(lines)('%s', (_title, objectType, field, values, presence) => {
  const all = objects.get(objectType)!
  const given = all.filter(item => field in item).map(item => item[field])
  for (const value of given) {
    if (values instanceof RegExp) expect(value).toMatch(values)
    else if (typeof values === 'function') expect(value).toSatisfy(values)
  }
  if (Array.isArray(values)) expect(new Set(given)).toEqual(new Set(values))
  expect(given.length, 'some have it').toBeGreaterThan(0)
  if (presence === 'required') expect(given).toHaveLength(all.length)
  else expect(given.length, 'some lack it').toBeLessThan(all.length)
})

const commonFields: [title: string, field: string, values: (value: unknown) => boolean][] = [
  ['2.1.id: is a version 7 UUID', 'id', value => uuid.test(value as string)],
  ['2.1.object-type: is a string', 'objectType', isString],
  ['2.1.created-at: is a time in UTC with milliseconds', 'createdAt', value => time.test(value as string)],
  ['2.1.updated-at: is a time in UTC with milliseconds', 'updatedAt', value => time.test(value as string)],
]

it.each(commonFields)('%s', (_title, field, isValid) => {
  expect(objects.size).toBe(9)
  for (const item of [...objects.values()].flat()) expect(item[field]).toSatisfy(isValid)
})

const nullable: [title: string, objectType: string, fields: string[]][] = [
  [
    '2.10.person-fields: are always present, null when unknown',
    'person',
    [
      'firstName',
      'lastName',
      'email',
      'title',
      'linkedinUrl',
      'phone',
      'city',
      'state',
      'country',
      'photoUrl',
    ],
  ],
  [
    '2.10.company-fields: are always present, null when unknown',
    'company',
    ['name', 'website', 'domain', 'logoUrl', 'city', 'state', 'country'],
  ],
]

it.each(nullable)('%s', (_title, objectType, fields) => {
  for (const field of fields) {
    const given = objects.get(objectType)!.map(item => item[field])
    for (const value of given) expect(value, field).toSatisfy(isStringOrNull)
    expect(given, field).toContain(null)
  }
})

it('2.1.null: occurs only in persons and companies', () => {
  for (const [objectType, items] of objects) {
    if (objectType === 'person' || objectType === 'company') continue
    expect(JSON.stringify(items)).not.toContain(':null')
  }
})

const recipients = () =>
  objects.get('email_message')!.map(item => item.recipients as Record<string, unknown[]>)

it('2.2.to: is a list of contacts in every message', () => {
  for (const { to } of recipients()) expect(to!.length > 0 && to!.every(isContact)).toBe(true)
})

it.each([
  '2.2.cc: is a list of contacts, absent when there is none',
  '2.2.bcc: is a list of contacts, absent when there is none',
])('%s', title => {
  const field = title.slice(4, title.indexOf(':'))
  const given = recipients().flatMap(lists => (lists[field] ? [lists[field]] : []))
  expect(given.length).toBeLessThan(recipients().length)
  expect(given).toEqual([[grace]])
})

const contacts = () => recipients().flatMap(({ to }) => to as { name: string; email: string }[])

it('2.2.contact-name: is a string in every contact', () => {
  for (const { name } of contacts()) expect(name).toMatch(/\S/)
})

it('2.2.contact-email: is an address in every contact', () => {
  for (const { email } of contacts()) expect(email).toMatch(/^[^@\s]+@[^@\s]+$/)
})

it('2.2.draft-sent-at: is the time of the last edit', async () => {
  const { server, world, token, get } = specified
  server.app.setNow('2026-11-25T12:00:00.000Z')
  const path = `/inbox/email/messages/${world.draftMessageId}`
  await server.request('PATCH', path, { token, body: { body: 'Friday then' } })
  expect(getBody(await get(path)).sentAt).toBe('2026-11-25T12:00:00.000Z')
})

const envelope: [title: string, path: string, expected: object][] = [
  ['2.8.data: is the list of items', '/reps', { data: [{ objectType: 'rep' }, { objectType: 'rep' }] }],
  ['2.8.has-more: is true when more items follow', '/reps?limit=1', { hasMore: true }],
  ['2.8.has-more-last: is false on the last page', '/reps?limit=2', { hasMore: false }],
  ['2.8.next: is a string when more items follow', '/reps?limit=1', { next: expect.stringMatching(/./) }],
]

it.each(envelope)('%s', async (_title, path, expected) => {
  expect(getBody(await specified.get(path))).toMatchObject(expected)
})

it('2.8.previous: is present on every page but the first, and next on every page but the last', async () => {
  const first = getBody<List>(await specified.get('/reps?limit=1'))
  const last = getBody<List>(await specified.get(`/reps?cursor=${first.next}`))
  expect(Object.keys(first)).toEqual(['data', 'hasMore', 'next'])
  expect(Object.keys(last)).toEqual(['data', 'hasMore', 'previous'])
  expect(last.previous).toMatch(/./)
})

it('2.8.empty: returns an empty list without cursors when nothing matches', async () => {
  const { id } = await specified.world.caller.call('createCampaign', { name: 'Nobody yet' })
  expect(getBody(await specified.get(`/prospects?campaignId=${id}`))).toEqual({ data: [], hasMore: false })
})

it('2.9.error: contains its type, a message, the request ID and every invalid field', async () => {
  const response = await specified.get('/campaigns?limit=0')
  expect(response.body).toEqual({
    error: 'ValidationError',
    message: expect.stringMatching(/^limit: \S/),
    requestId: response.headers.get('x-request-id'),
    details: [{ path: 'limit', message: expect.stringMatching(/\S/) }],
  })
})

it('2.9.no-details: omits details when no field is invalid', async () => {
  const { body } = await specified.get(`/reps/${randomUUIDv7()}`)
  expect(Object.keys(body as object)).toEqual(['error', 'message', 'requestId'])
})

it('2.10.persons: can be listed and read', async () => {
  const [person, ...others] = getItems(await specified.get('/persons'))
  expect(others.length).toBeGreaterThan(1)
  expect(getBody(await specified.get(`/persons/${person!.id}`))).toMatchObject({
    id: person!.id,
    objectType: 'person',
  })
})
