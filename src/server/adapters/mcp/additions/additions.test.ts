import { randomUUIDv7 } from 'node:crypto'
import type { Client } from '@modelcontextprotocol/client'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Caller, makeCaller } from '../../../../../test/support/app.ts'
import { makeWorld, type World } from '../../../../../test/support/contract/world.ts'
import { callTool, connectAs, openClient } from '../../../../../test/support/http/connection.ts'
import { openTestServer, type TestServer } from '../../../../../test/support/http/server.ts'
import type { Row } from '../lean-row.ts'

let server: TestServer
let owner: Caller
let world: World
let client: Client
beforeAll(async () => {
  server = await openTestServer()
  owner = await makeCaller(server.app)
  world = await makeWorld(server.app, owner)
  client = await openClient(`${server.url}/v1/mcp`, (await connectAs(server.app, owner)).token)
})
afterAll(async () => {
  await client.close()
  await server[Symbol.asyncDispose]()
})

const call = (name: string, args: object = {}, by = client) => callTool(by, name, args)
const ask = async (name: string, args: object = {}): Promise<Row> => {
  const { isError, content, structuredContent } = await call(name, args)
  expect(isError, JSON.stringify(content)).toBeFalsy()
  return structuredContent as Row
}

const steps = [
  {
    channel: 'email',
    variants: [{ subject: 'Loger for {{ company }}', body: 'Hello {{ firstName }}, a loger.' }],
  },
  {
    channel: 'email',
    delay: { amount: 3, unit: 'business_days' },
    variants: [{ body: 'Still no loger, {{ firstName }}?' }],
  },
]

describe('a campaign built by an assistant', () => {
  let campaignId: string
  it('is returned with its steps, its schedule and what is missing for a launch', async () => {
    const created = await ask('create_campaign', { name: 'Hospitals', steps })
    campaignId = String(created.id)
    expect(created).toMatchObject({
      ...{ status: 'draft', schedule: 'any time', warnings: expect.any(Array) },
      steps: [
        { position: 1, subject: 'Loger for {{ company }}', text: 'Hello {{ firstName }}, a loger.' },
        { position: 2, after: '3 business_days', text: 'Still no loger, {{ firstName }}?' },
      ],
      missingForLaunch: expect.any(Array),
    })
  })

  it('is corrected by replacing text in one of its steps, and the result shows the new text', async () => {
    const before = await owner.call('getCampaign', { campaignId })
    const changed = await ask('update_campaign_step', {
      ...{ campaignId: 'hospitals', stepId: 2, replace: { find: 'loger', with: '$& logger' } },
    })
    expect(changed).toMatchObject({
      replacements: 1,
      step: { variants: [{ body: 'Still no $& logger, {{ firstName }}?' }] },
    })
    const after = await owner.call('getCampaign', { campaignId })
    expect(after.steps[0]).toEqual(before.steps[0])
    expect(after.steps[1]!.id).toBe(before.steps[1]!.id)
  })

  it.each([
    [
      'a replacement of text that no step contains',
      { stepId: 1, replace: { find: 'lagger', with: 'x' } },
      'No step of the campaign contains',
    ],
    [
      'a replacement of text in another step',
      { stepId: 1, replace: { find: 'Still', with: 'x' } },
      'It occurs in step 2',
    ],
    ['a position that does not exist', { stepId: 7, body: 'Hello' }, 'a position from 1 to 2'],
    [
      'a replacement combined with a body',
      { stepId: 1, body: 'Hello', replace: { find: 'a', with: 'b' } },
      'combined',
    ],
  ])('is not changed by %s', async (_what, args, message) => {
    const before = await owner.call('getCampaign', { campaignId })
    const { isError, content } = await call('update_campaign_step', { campaignId, ...args })
    expect(isError).toBe(true)
    expect(JSON.stringify(content)).toContain(message)
    expect(await owner.call('getCampaign', { campaignId })).toEqual(before)
  })

  it('is not changed when the given step lacks the text to replace; the error names the steps that contain it', async () => {
    const long = [...steps, { channel: 'email', variants: [{ body: 'Goodbye.' }] }]
    const id = String((await ask('create_campaign', { name: 'Clinics', steps: long })).id)
    const before = await owner.call('getCampaign', { campaignId: id })
    const replace = { find: 'firstName', with: 'lastName' }
    const { content } = await call('update_campaign_step', { campaignId: id, stepId: 3, replace })
    expect(JSON.stringify(content)).toContain('It occurs in steps 1 and 2')
    expect(await owner.call('getCampaign', { campaignId: id })).toEqual(before)
  })

  it('is previewed and forecast in one call each, with all steps', async () => {
    await owner.call('addProspectsToCampaign', {
      campaignId,
      data: [{ firstName: 'Ada', email: 'ada.hospital@navy.example', company: 'Navy' }],
    })
    const preview = await ask('preview_campaign', { campaignId })
    expect(preview.steps).toMatchObject([
      {
        content: {
          source: 'external',
          subject: 'Loger for Navy',
          text: expect.stringContaining('Hello Ada'),
        },
      },
      { content: { source: 'external', text: expect.stringContaining('Ada?') } },
    ])
    expect(preview).not.toHaveProperty('content')
    expect(await ask('forecast_campaign', { campaignId })).toMatchObject({
      launch: { recipients: 1 },
      steps: [{ subject: 'Loger for {{ company }}' }, { after: '3 business_days' }],
      newestProspects: { content: { source: 'external', recipients: [expect.stringContaining('Ada')] } },
    })
  })

  it('is duplicated, with its steps in the result', async () => {
    expect(await ask('duplicate_campaign', { campaignId })).toMatchObject({
      steps: [{}, {}],
      status: 'draft',
    })
  })
})

it('whoami lists the waiting work, the newest replies and the first tasks', async () => {
  const { waiting, ...me } = await ask('whoami')
  expect(waiting).toMatchObject({ tasks: expect.any(Number), replies: expect.any(Number) })
  expect(me).toMatchObject({
    repliesByIntent: {},
    newestReplies: expect.any(Array),
    firstTasks: expect.any(Array),
  })
  for (const reply of me.newestReplies as Row[]) expect(reply).toHaveProperty('content.source', 'external')
})

it('whoami says when its counts cover only the first 100 tasks', async () => {
  const busy = await makeCaller(server.app)
  const { id: repId } = await busy.call('createRep', { name: 'Grace', ownedById: busy.userId })
  const { id: personId } = await busy.call('createPerson', { email: 'ada@busy.example' })
  const connection = await openClient(`${server.url}/v1/mcp`, (await connectAs(server.app, busy)).token)
  const whoami = async () => (await call('whoami', {}, connection)).structuredContent as Row
  const addTasks = (count: number) =>
    Promise.all(
      Array.from({ length: count }, () =>
        busy.call('createTask', {
          repId,
          personId,
          channel: 'email',
          title: 'Write',
          dueAt: '2026-12-01T09:00:00Z',
        }),
      ),
    )
  await addTasks(100)
  const exact = await whoami()
  expect(exact).toMatchObject({ waitingForYou: { tasks: 100, replies: 0 }, tasksByChannel: { email: 100 } })
  expect(exact).not.toHaveProperty('notice')
  await addTasks(1)
  expect(await whoami()).toMatchObject({
    waiting: { tasks: 101 },
    waitingForYou: { tasks: 'more than 100', replies: 0 },
    notice: 'tasksByChannel covers the 100 tasks due first.',
  })
  await connection.close()
})

it('the list of problems includes the state of each campaign that has prospects and is not completed', async () => {
  const { campaigns } = await ask('list_problems')
  const listed = await owner.call('listCampaigns', { isArchived: false, numbers: true, limit: 100 })
  const withPeople = listed.data.filter(
    ({ status, numbers }) => status !== 'completed' && numbers!.prospects > 0,
  )
  expect((campaigns as Row[]).map(({ name }) => name)).toEqual(withPeople.map(({ name }) => name))
})

it('the results of pausing and resuming all sending have a notice about what is sent next', async () => {
  for (const tool of ['pause_all_sending', 'resume_all_sending']) {
    expect(await ask(tool)).toHaveProperty('notice')
  }
})

it('drafts show whether someone has answered since, and are found by the ID of their conversation', async () => {
  const { emailThreadId } = world
  const { messageId } = await ask('create_email_draft', {
    ...{ emailMessageIdToReplyTo: emailThreadId, body: 'Thank you.' },
  })
  const listed = await ask('list_email_messages', { status: 'draft', emailThreadId })
  const rows = (listed.data as Row[]).map(row => ({ ...(listed.shared as Row), ...row }) as Row)
  expect(rows.find(({ id }) => id === messageId)).toMatchObject({ answeredSince: expect.any(Boolean) })
  const { content } = await call('update_email_draft', { emailMessageId: emailThreadId, body: 'Thank you!' })
  const drafts = await owner.call('listEmailMessages', { status: 'draft', emailThreadId })
  if (drafts.data.length === 1) expect(drafts.data[0]!.body).toContain('Thank you!')
  else expect(JSON.stringify(content)).toContain('is ambiguous')
})

it('drafts of other reps are not described to a member who may not read them', async () => {
  const member = await makeCaller(server.app, 'member', owner.accountId)
  const { token } = await connectAs(server.app, member)
  const other = await openClient(`${server.url}/v1/mcp`, token)
  const { emailThreadId } = world
  const { data } = await owner.call('listEmailMessages', { status: 'draft', emailThreadId })
  expect(data.length).toBeGreaterThan(1)
  const { content } = await call('send_email_draft', { emailMessageId: emailThreadId }, other)
  expect(JSON.stringify(content)).toContain('NotFound')
  await other.close()
})

it('statistics name the variants, and reports name the denominator of each rate', async () => {
  const { campaignId } = await owner.call('getProspect', { prospectId: world.prospectId })
  const campaign = await owner.call('getCampaign', { campaignId })
  const subjects = campaign.steps.flatMap(({ variants }) => variants.map(({ subject }) => subject))
  const { steps } = await ask('get_campaign_stats', { campaignId })
  for (const { variants = [] } of steps as { variants?: Row[] }[])
    for (const { subject } of variants) if (subject) expect(subjects).toContain(subject)
  expect(await ask('get_report', { campaignId })).toMatchObject({
    total: expect.anything(),
    zeroInTotal: expect.stringContaining('callsPlaced'),
    notice: expect.stringContaining('responses to earlier messages'),
  })
})

it('reports by day omit days without outcomes', async () => {
  const { data } = await ask('get_report', { from: '2020-01-01', to: '2020-01-31', groupBy: 'day' })
  expect(data).toEqual([])
})

it('meetings are listed by the ID of a prospect, with the IDs needed to change and cancel them', async () => {
  const { meetingId, meetingProspectId } = world
  const { data } = await ask('list_meetings', { personId: meetingProspectId })
  expect((data as Row[]).map(({ id }) => id)).toEqual([meetingId])
  const startsAt = '2026-12-04T10:30Z'
  expect(await ask('update_meeting', { meetingId, startsAt })).toMatchObject({ id: meetingId, startsAt })
  expect(await ask('cancel_meeting', { meetingId })).toMatchObject({ id: meetingId, status: 'cancelled' })
  const { content } = await call('cancel_meeting', { meetingId: world.personId })
  expect(JSON.stringify(content)).toContain('list_meetings')
})

it("prospects are paused by a person's name and resumed by the name of their company", async () => {
  const { personId } = world
  const person = await owner.call('getPerson', { personId })
  const prospectIds = `${person.firstName} ${person.lastName}`
  const paused = await ask('pause_prospects', { prospectIds })
  expect(paused.data).toMatchObject([{ personId, outcome: expect.stringMatching('paused') }])
  const resumed = await ask('resume_prospects', { companyId: person.company!.toUpperCase() })
  expect(resumed.resumed).toBeGreaterThan(0)
  // No prospect is left to resume, and the result says why.
  expect(await ask('resume_prospects', { companyId: person.companyId })).toMatchObject({
    total: 0,
    peopleOfCompany: expect.arrayContaining([expect.objectContaining({ prospects: expect.anything() })]),
  })
  const { content } = await call('pause_prospects', { companyId: 'Nobody Ltd' })
  expect(JSON.stringify(content)).toContain('list_companies')
})

it('a new email names the mailbox that sends it, which can be chosen by its address', async () => {
  const { email: mailboxId } = await owner.call('getMailbox', { mailboxId: world.mailboxId })
  const { personId } = world
  const email = { personId, mailboxId, subject: 'Hello', body: 'May I ask two questions?', draft: true }
  const draft = await ask('compose_email', email)
  expect(draft).toMatchObject({ status: 'draft', from: mailboxId })
  const other = `second-${mailboxId}`
  await owner.call('createMailbox', { repId: world.repId, kind: 'sandbox', email: other })
  const change = { emailMessageId: draft.id, mailboxId: other }
  expect(await ask('update_email_draft', change)).toMatchObject({ status: 'draft', from: other })
  const { isError, content } = await call('compose_email', { ...email, mailboxId: 'nobody@acme.example' })
  expect([isError, JSON.stringify(content)]).toEqual([true, expect.stringContaining('list_mailboxes')])
})

it('whoami works for a viewer', async () => {
  const viewer = await makeCaller(server.app, 'viewer', owner.accountId)
  const other = await openClient(`${server.url}/v1/mcp`, (await connectAs(server.app, viewer)).token)
  const { isError, structuredContent } = await call('whoami', {}, other)
  expect(isError).toBeFalsy()
  expect(structuredContent).toMatchObject({ role: 'viewer' })
  await other.close()
})

it('conversations can be listed oldest first', async () => {
  const ids = async (order?: 'asc') => {
    const { data } = await ask('list_conversations', { order })
    return (data as Row[]).map(({ id }) => id)
  }
  expect(await ids('asc')).toEqual((await ids()).toReversed())
})

it('conversations are assigned by the email address of a member', async () => {
  const { email } = (await owner.call('listMembers', {})).data[0]!
  await ask('update_conversations', {
    conversationIds: [world.emailThreadId],
    assigneeId: email.toUpperCase(),
  })
  const listed = await owner.call('listConversations', { personId: world.personId })
  expect(listed.data.find(({ id }) => id === world.emailThreadId)?.assignee).toMatchObject({
    name: expect.any(String),
  })
})

it('prospects are listed with their next step, and bounced ones with the channels that remain', async () => {
  const { data } = await owner.call('addProspectsToCampaign', {
    campaignId: world.activeCampaignId,
    data: [
      { firstName: 'Bea', email: 'bea@bounced.example', linkedinUrl: 'https://www.linkedin.com/in/bea-b' },
    ],
  })
  const list = async () => {
    const { data, shared } = await ask('list_prospects', { email: 'bea@bounced.example' })
    return { ...(shared as Row), ...(data as Row[])[0] }
  }
  expect(await list()).toMatchObject({ next: { step: 1 } })
  await owner.call('addOptOuts', { identifiers: [{ identifier: 'bea@bounced.example' }] })
  await server.app.owner`
    update prospects set status = 'bounced', status_reason = '550 No such user' where id = ${data[0]!.prospectId!}`
  expect(await list()).toMatchObject({
    onDoNotContact: ['email'],
    otherChannels: ['LinkedIn https://www.linkedin.com/in/bea-b'],
    content: { bounceReason: '550 No such user' },
  })
})

it('a person whose address bounced is not shown as opted out', async () => {
  const value = 'gone@bounced.example'
  await owner.call('createPerson', { firstName: 'Gia', email: value })
  await server.app.owner`
    insert into opt_outs (account_id, id, kind, value, source)
    values (${owner.accountId}, ${randomUUIDv7()}, 'email', ${value}, 'bounce')`
  const [person] = (await ask('search_people', { query: 'Gia' })).data as Row[]
  expect(person).toMatchObject({ optOutSource: 'bounce' })
  expect(person).not.toHaveProperty('isOptedOut')
})

it('conversations are listed with the number of their drafts and the beginning of the newest', async () => {
  const { data } = await ask('list_conversations', { view: 'drafts', query: 'Thank you' })
  for (const row of data as Row[]) expect(row).toMatchObject({ drafts: expect.any(Number) })
  const listed = await owner.call('listConversations', { view: 'drafts', limit: 100 })
  expect(listed.data.length).toBeGreaterThan(0)
  const { personId } = listed.data.find(({ channel }) => channel === 'email')!
  const own = (await ask('list_conversations', { personId })).data as Row[]
  expect(own).toContainEqual(
    expect.objectContaining({ content: expect.objectContaining({ draftText: expect.any(String) }) }),
  )
})

it('a person is found by email address and returned with their latest timeline entries', async () => {
  const person = await owner.call('getPerson', { personId: world.personId })
  const { latest } = await ask('get_person', { personId: person.email })
  const timeline = await owner.call('getPersonTimeline', { personId: world.personId, limit: 6 })
  expect((latest as Row[]).map(({ type }) => type)).toEqual(timeline.data.map(({ type }) => type))
})

it('a changed draft is returned with its full text', async () => {
  const { messageId } = await ask('create_email_draft', {
    ...{ emailMessageIdToReplyTo: world.emailThreadId, body: 'Thank you.' },
  })
  const body = 'A sentence that the user has to approve. '.repeat(20).trim()
  const changed = await ask('update_email_draft', { emailMessageId: messageId, body })
  expect(changed).toMatchObject({ content: { text: body } })
})

it('blocking a public mail provider is rejected, and the error says how many people it would block', async () => {
  await owner.call('createPerson', { firstName: 'Guy', email: 'guy@gmail.com' })
  const { isError, content } = await call('add_opt_outs', { identifiers: [{ identifier: 'gmail.com' }] })
  expect(isError).toBe(true)
  expect(JSON.stringify(content)).toMatch(/now [1-9]\d* of your people/)
})

it('opting out a person by ID blocks all their identifiers, even after a merge, and fails if there are none', async () => {
  const { id: personId } = await owner.call('createPerson', { firstName: 'Eve', email: 'eve@merged.example' })
  const duplicate = {
    email: 'eve@old.example',
    phone: '+442079460123',
    linkedinUrl: 'linkedin.com/in/eve-old',
  }
  const { id: duplicateId } = await owner.call('createPerson', duplicate)
  await owner.call('mergePersons', { personId, duplicateIds: [duplicateId] })
  const { blocked } = await ask('add_opt_outs', { identifiers: [duplicateId], expectedPeople: 1 })
  expect(blocked).toEqual(expect.arrayContaining(['eve@merged.example', 'eve@old.example', '+442079460123']))
  expect(await ask('add_opt_outs', { identifiers: [personId] })).toMatchObject({ added: 0, blocked })
  const { id: bareId } = await owner.call('createPerson', {
    firstName: 'Cy',
    lastName: 'Bare',
    company: 'Bare',
  })
  const { isError, content } = await call('add_opt_outs', { identifiers: [bareId] })
  expect(isError).toBe(true)
  expect(JSON.stringify(content)).toContain('Nobody was blocked')
})

it('the Do Not Contact list says who added an entry, when and how, and can be filtered by member', async () => {
  const member = await makeCaller(server.app, 'member', owner.accountId)
  const { name, email } = await member.call('getMe', {}).then(({ user }) => user)
  await member.call('addOptOuts', { identifiers: [{ identifier: 'acme.example' }] })
  const added = { identifier: 'acme.example', source: 'api', addedBy: name, createdAt: expect.any(String) }
  const since = '2020-01-01T00:00:00Z'
  for (const filter of [{ query: 'acme' }, { addedById: email }, { source: 'api' }]) {
    const { data, shared } = await ask('list_opt_outs', { ...filter, since })
    expect(data).toContainEqual(expect.objectContaining({ identifier: 'acme.example' }))
    const [entry] = (data as Row[]).filter(({ identifier }) => identifier === 'acme.example')
    expect({ ...(shared as object), ...entry }).toMatchObject(added)
  }
  expect(await ask('list_opt_outs', { addedById: email, until: since })).toMatchObject({ data: [] })
})
