import { afterAll, beforeAll, expect, it } from 'vitest'
import { createCaller, makeCaller, openTestApp, type TestApp } from '../../../../../test/support/app.ts'
import { makeReply } from '../../../../../test/support/mail/answers.ts'
import { openPostOffice, type PostOffice } from '../../../../../test/support/mail/correspondence.ts'

let app: TestApp
let post: PostOffice
beforeAll(async () => {
  app = await openTestApp({ ALLOW_PRIVATE_HOSTS: '127.0.0.1' })
  app.setNow('2026-11-23T09:00:00.000Z')
  post = await openPostOffice(app)
})
afterAll(async () => {
  await post[Symbol.asyncDispose]()
  await app[Symbol.asyncDispose]()
})

const MINUTE_MS = 60_000

/** Creates a person with an email and its reply, a LinkedIn message, a task, a consent and an opt-out. */
async function makePersonWithHistory() {
  const written = await post.write(1, [{ subject: 'Hello', body: '<p>Hi <b>{{ firstName }}</b></p>' }])
  const { owner, campaignId, emails, sent } = written
  const { data } = await owner.call('listProspects', { campaignId })
  const { id: prospectId, personId, repId } = data[0]!
  await owner.call('updatePerson', {
    personId,
    phone: '+442079460019',
    linkedinUrl: `linkedin.com/in/${personId}`,
  })
  await post.workAfter(MINUTE_MS)
  const [mail] = await sent()
  await written.receive(makeReply(mail!, 'Yes, let us talk.'))
  await post.workAfter(MINUTE_MS)
  await owner.call('recordLinkedinMessage', { prospectId, type: 'manual', text: 'Nice to\nmeet you' })
  await post.workAfter(MINUTE_MS)
  await owner.call('recordConsent', {
    phoneNumber: '+442079460019',
    kind: 'written',
    proof: 'Ticked the box',
  })
  await post.workAfter(MINUTE_MS)
  await owner.call('createTask', {
    personId,
    channel: 'other',
    title: 'Send a card',
    dueAt: app.now().toISOString(),
    repId,
  })
  await owner.call('addOptOuts', { identifiers: [{ identifier: emails[0]! }] })
  return { owner, personId, campaignId, prospectId }
}

it('a person’s timeline shows every kind of entry once, newest first, regardless of the page size', async () => {
  const { owner, personId, campaignId, prospectId } = await makePersonWithHistory()
  const { data: all } = await owner.call('getPersonTimeline', { personId, limit: 100 })
  expect(all.map(({ type, direction }) => [type, direction].filter(Boolean).join(' ')).sort()).toEqual([
    'consent',
    'email in',
    'email out',
    'linkedin_message out',
    'opt_out',
    'prospect',
    'task',
  ])
  const times = all.map(({ at }) => at)
  expect(times).toEqual(times.toSorted().reverse())
  expect(all.find(({ type, direction }) => type === 'email' && direction === 'out')).toMatchObject({
    title: 'Hello',
    text: expect.stringMatching(/^Hi Person0/),
    ...{ campaignId, prospectId },
    url: expect.stringMatching(/^http:\/\/localhost:\d+\/inbox\/[\w-]+$/),
  })
  expect(all.find(({ direction }) => direction === 'in')).toMatchObject({ text: 'Yes, let us talk.' })
  expect(all.find(({ type }) => type === 'linkedin_message')).toMatchObject({ text: 'Nice to meet you' })
  expect(all.find(({ type }) => type === 'prospect')).toMatchObject({ title: 'Spring', status: 'replied' })

  const paged: typeof all = []
  let cursor: string | undefined
  do {
    const page = await owner.call('getPersonTimeline', { personId, limit: 2, cursor })
    paged.push(...page.data)
    cursor = page.next
  } while (cursor)
  expect(paged).toEqual(all)
})

it('a person’s timeline shows only the requested types that the role may read', async () => {
  const { owner, personId } = await makePersonWithHistory()
  const { data } = await owner.call('getPersonTimeline', { personId, type: ['email', 'task'] })
  expect(data.map(({ type }) => type).sort()).toEqual(['email', 'email', 'task'])
  const member = createCaller(app, { ...owner, ...(await makeCaller(app, 'member', owner.accountId)) })
  expect(await member.call('getPersonTimeline', { personId, type: ['call'] })).toMatchObject({ data: [] })
})

it('a person’s timeline shows consents and opt-outs of the identifiers of merged duplicates', async () => {
  const owner = await makeCaller(app)
  const phoneNumber = '+442079460023'
  const { id: personId } = await owner.call('createPerson', { email: 'ada@acme.example' })
  const { id: duplicateId } = await owner.call('createPerson', { email: 'a@old.example', phone: phoneNumber })
  await owner.call('updatePerson', { personId, phone: '+442079460024' })
  await owner.call('recordConsent', { phoneNumber, kind: 'written', proof: 'Ticked the box' })
  await owner.call('addOptOuts', { identifiers: [{ identifier: 'a@old.example' }] })
  await owner.call('mergePersons', { personId, duplicateIds: [duplicateId] })
  const { data } = await owner.call('getPersonTimeline', { personId, type: ['consent', 'opt_out'] })
  expect(data.map(({ type, title }) => `${type} ${title}`).sort()).toEqual([
    'consent written',
    'opt_out a@old.example',
  ])
})

it('a person’s timeline shows a merge with the identifiers that the duplicate had at the time', async () => {
  const owner = await makeCaller(app)
  const { id: personId } = await owner.call('createPerson', { email: 'ada@acme.example' })
  const { id: duplicateId } = await owner.call('createPerson', { email: 'a@old.example' })
  await owner.call('addOptOuts', { identifiers: [{ identifier: 'a@old.example' }] })
  await owner.call('updatePerson', { personId: duplicateId, email: 'a@new.example' })
  await owner.call('mergePersons', { personId, duplicateIds: [duplicateId] })
  const { data } = await owner.call('getPersonTimeline', { personId, type: ['merge', 'opt_out'] })
  expect(data.map(({ type, title, text }) => `${type} ${title ?? text}`).sort()).toEqual([
    'merge a@new.example',
    'opt_out a@old.example',
  ])
})

it('a person’s timeline shows each Do Not Contact entry that blocks the person once', async () => {
  const owner = await makeCaller(app)
  const { id: personId } = await owner.call('createPerson', {
    email: 'ada@mail.engines.example',
    phone: '+442079460025',
  })
  const { id: duplicateId } = await owner.call('createPerson', { email: 'byron@mail.engines.example' })
  await owner.call('mergePersons', { personId, duplicateIds: [duplicateId] })
  await owner.call('addOptOuts', {
    identifiers: [
      { identifier: '+442079460025', identifierType: 'sms' },
      { identifier: '+442079460026', identifierType: 'sms' },
      { identifier: 'engines.example' },
      { identifier: 'other.example' },
    ],
  })
  const { data } = await owner.call('getPersonTimeline', { personId, type: ['opt_out'] })
  expect(data.map(({ title }) => title).sort()).toEqual(['+442079460025', 'engines.example'])
})

it('a person’s timeline shows which calls the person made and which they received', async () => {
  const owner = await makeCaller(app)
  const { id: repId } = await owner.call('createRep', { name: 'Grace' })
  const { id: personId } = await owner.call('createPerson', {
    email: 'ada@acme.example',
    phone: '+442079460019',
  })
  for (const callType of ['inbound', 'outbound'] as const)
    await owner.call('logCall', { personId, repId, callType, outcome: 'answered' })
  const { data } = await owner.call('getPersonTimeline', { personId, type: ['call'] })
  expect(data.map(({ direction }) => direction).toSorted()).toEqual(['in', 'out'])
})

it('a person’s timeline hides the messages, calls and tasks of other users’ reps from a member', async () => {
  const { owner, personId } = await makePersonWithHistory()
  const member = createCaller(app, { ...owner, ...(await makeCaller(app, 'member', owner.accountId)) })
  const { data } = await member.call('getPersonTimeline', { personId })
  expect(data.map(({ type }) => type).sort()).toEqual(['consent', 'opt_out', 'prospect'])
})

it('a person’s timeline is not found in another account', async () => {
  const { personId } = await makePersonWithHistory()
  const stranger = await makeCaller(app)
  await expect(stranger.call('getPersonTimeline', { personId })).rejects.toMatchObject({ code: 'NotFound' })
})
