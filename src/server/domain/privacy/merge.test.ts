import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Caller, makeCaller, openTestApp, type TestApp } from '../../../../test/support/app.ts'
import { planOnce } from '../../../../test/support/campaigns/tick.ts'
import { isWaitingForLock } from '../../../../test/support/db/lock-waits.ts'
import { makeBounce, makeReply, rawMail } from '../../../../test/support/mail/answers.ts'
import { openPostOffice, type PostOffice } from '../../../../test/support/mail/correspondence.ts'
import { makeConsent } from '../../../../test/support/voice/consents.ts'
import { inAccount } from '../../kernel/context.ts'
import { unsubscribe } from '../dnc/unsubscribe.ts'
import { mergePersons } from './merge.ts'

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

const DAY_MS = 24 * 3_600_000
const steps = [
  { subject: 'Hello', body: 'Hi', delay: { amount: 0, unit: 'minutes' as const } },
  { body: 'Still there?', delay: { amount: 2, unit: 'days' as const } },
]
const phone = '+442079460019'

const getStatus = async ({ call }: Caller, prospectId: string) => {
  const { status, statusReason, personId, step } = await call('getProspect', { prospectId })
  return { status, statusReason, personId, step }
}

describe('a merge', () => {
  it('moves everything about the duplicate, keeps the person’s values and fills empty ones', async () => {
    const written = await post.write(1, steps)
    const { owner, emails } = written
    const { call } = owner
    const [{ id: prospectId, personId: duplicateId, repId } = {}] = await written.prospects()
    await call('createCustomField', { key: 'hobby', label: 'Hobby', type: 'text' })
    await call('createCustomField', { key: 'plan', label: 'Plan', type: 'text' })
    const about = { personId: duplicateId!, repId: repId! }
    await call('updatePerson', {
      ...{ personId: duplicateId!, firstName: 'Adele', title: 'Countess', phone, ownerRepId: repId! },
      ...{ linkedinUrl: 'linkedin.com/in/ada', custom: { hobby: 'chess', plan: 'Free' } },
    })
    await call('recordLinkedinMessage', { prospectId: prospectId!, type: 'received', text: 'Hello' })
    await call('createNote', { personId: duplicateId!, text: 'Met at a fair' })
    const task = { channel: 'other', title: 'Call back', dueAt: app.now().toISOString() } as const
    await call('createTask', { ...about, ...task })
    await call('logCall', { ...about, outcome: 'answered', phoneNumber: phone, notes: 'Asked for a price' })
    await call('composeEmail', { personId: duplicateId!, subject: 'By the way', body: 'A word' })
    await call('recordMeeting', { prospectId: prospectId!, startsAt: '2026-12-01T09:00:00Z' })
    await call('assignTags', { entityType: 'person', entityId: duplicateId!, tags: ['VIP'] })
    await makeConsent(owner, phone)
    await post.workAfter(60_000)
    const before = (await call('getPersonTimeline', { personId: duplicateId!, limit: 100 })).data
    expect(new Set(before.map(({ type }) => type)).size).toBeGreaterThan(7)

    const { id: personId } = await call('createPerson', {
      ...{ firstName: 'Ada', email: 'ada@home.example', custom: { plan: 'Team' } },
    })
    const merged = await call('mergePersons', { personId, duplicateIds: [duplicateId!] })
    expect(merged).toMatchObject({
      ...{ firstName: 'Ada', email: 'ada@home.example', title: 'Countess', phone, ownerRepId: repId },
      ...{
        custom: { hobby: 'chess', plan: 'Team' },
        otherEmails: [emails[0]],
        tags: ['VIP'],
        stoppedProspects: 0,
      },
      ...{ mergedPersonIds: [duplicateId], prospects: [{ id: prospectId }] },
    })
    const after = (await call('getPersonTimeline', { personId, limit: 100 })).data
    expect(after.filter(({ type }) => type !== 'merge').map(({ id }) => id)).toEqual(
      before.map(({ id }) => id),
    )
    expect(after.filter(({ type }) => type === 'merge')).toMatchObject([{ id: duplicateId, text: emails[0] }])
    const conversations = (await call('listConversations', { personId })).data
    expect(conversations.map(({ channel }) => channel).sort()).toEqual(['email', 'linkedin'])

    expect(await call('getPerson', { personId: duplicateId! })).toMatchObject({
      mergedIntoId: personId,
      email: null,
    })
    expect((await call('listPersons', {})).data.map(({ id }) => id)).not.toContain(duplicateId)
    expect((await call('listPersons', { query: emails[0]! })).data.map(({ id }) => id)).toEqual([personId])
    const audited = (await call('listAuditLog', { limit: 100 })).data.filter(
      ({ action }) => action === 'merge',
    )
    expect(audited.map(({ auditedId }) => auditedId).sort()).toEqual([duplicateId, personId].sort())
    const left = await app.owner`
      select from prospects r where person_id = ${duplicateId!}
      union all select from email_threads where person_id = ${duplicateId!}
      union all select from conversations where person_id = ${duplicateId!}
      union all select from tasks where person_id = ${duplicateId!}
      union all select from calls where person_id = ${duplicateId!}`
    expect(left.count).toBe(0)

    const admin = await makeCaller(app, 'admin', owner.accountId)
    await admin.call('erasePerson', { personId, expectedPerson: emails[0]! })
    const [{ count } = { count: 0 }] = await app.owner<{ count: number }[]>`
      select count(*)::int as count from person_aliases where account_id = ${owner.accountId}`
    expect(count).toBe(0)
    expect(await call('createPerson', { email: emails[0]! })).toMatchObject({ isOptedOut: true })
  })

  it('sends later steps to the person, and a reply from the duplicate’s address stops them', async () => {
    const written = await post.write(1, steps)
    const { owner, emails, receive } = written
    const [{ id: prospectId, personId: duplicateId } = {}] = await written.prospects()
    const { id: personId } = await owner.call('createPerson', { email: 'grace@home.example' })
    await owner.call('mergePersons', { personId, duplicateIds: [duplicateId!] })
    await post.workAfter(3 * DAY_MS)
    const received = (await post.mails()).filter(({ to }) => to === 'grace@home.example')
    expect(received.map(({ mail }) => mail.inReplyTo !== undefined)).toEqual([true])
    const mail = rawMail({ From: emails[0]!, To: written.address, Subject: 'New subject' }, 'Tell me more.')
    expect(await receive(mail)).toMatchObject({
      outcome: 'stored',
      reason: expect.stringMatching(/this mailbox recently wrote to its sender/),
    })
    expect(await getStatus(owner, prospectId!)).toMatchObject({ status: 'replied', personId })
  })

  it('keeps the latest contact and the latest reply of all merged persons', async () => {
    const written = await post.write(1, steps)
    const { call } = written.owner
    const [{ personId: duplicateId = '' } = {}] = await written.prospects()
    const { lastContactedAt } = await call('getPerson', { personId: duplicateId })
    const { id: campaignId } = await call('createCampaign', { name: 'Spring' })
    const { data } = await call('addProspectsToCampaign', {
      campaignId,
      data: [{ email: 'ada@home.example' }],
    })
    const { personId = '', prospectId = '' } = data[0]!
    const [contacted, lastRepliedAt] = ['2026-11-01T09:00:00.000Z', '2026-11-02T09:00:00.000Z']
    const linkedin = { prospectId, repId: (await call('listReps', {})).data[0]!.id, text: 'Hello' }
    await call('recordLinkedinMessage', { ...linkedin, type: 'manual', happenedAt: contacted })
    await call('recordLinkedinMessage', { ...linkedin, type: 'received', happenedAt: lastRepliedAt })
    expect(lastContactedAt! > contacted).toBe(true)

    const { id: otherId } = await call('createPerson', { email: 'ada@work.example' })
    const last = { lastContactedAt, lastRepliedAt }
    expect(await call('mergePersons', { personId, duplicateIds: [duplicateId] })).toMatchObject(last)
    expect(await call('mergePersons', { personId: otherId, duplicateIds: [personId] })).toMatchObject(last)
    const found = await call('listPersons', { lastContactedAfter: contacted, sort: 'lastContactedAt' })
    expect(found.data.map(({ id }) => id)).toEqual([otherId])
    const [reply] = written.emails.map(From =>
      rawMail({ From, To: written.address, Subject: 'Hello' }, 'Yes'),
    )
    await written.receive(reply!)
    const { lastRepliedAt: repliedAt } = await call('getPerson', { personId: otherId })
    expect(repliedAt! > lastRepliedAt).toBe(true)
  })

  it('fails without merging anyone if the person would have more than 50 tags', async () => {
    const { call } = await makeCaller(app)
    const { id: personId } = await call('createPerson', { email: 'ada@x.example' })
    const { id } = await call('createPerson', { email: 'ada@y.example' })
    const tags = (from: number) => Array.from({ length: 26 }, (_, n) => `Fair ${from + n}`)
    const tag = { entityType: 'person', entityId: id } as const
    await call('assignTags', { ...tag, entityId: personId, tags: tags(1) })
    await call('assignTags', { ...tag, tags: tags(26) })
    const merge = () => call('mergePersons', { personId, duplicateIds: [id] })
    await expect(merge()).rejects.toMatchObject({
      details: [{ path: 'duplicateIds', message: expect.stringContaining('have 51 different tags') }],
    })
    expect(await call('getPerson', { personId: id })).toMatchObject({ email: 'ada@y.example' })
    await call('unassignTags', { ...tag, tags: ['Fair 51'] })
    expect((await merge()).tags).toEqual([...tags(1), ...tags(27).slice(0, -2)])
    expect((await call('listPersons', { tag: 'Fair 50' })).data.map(each => each.id)).toEqual([personId])
  })

  it('gives the person the duplicate’s identifiers, which nobody else can have', async () => {
    const { call } = await makeCaller(app)
    const { id: personId } = await call('createPerson', { email: 'ada@x.example', phone })
    const { id: duplicateId } = await call('createPerson', {
      ...{ email: 'ada@y.example', linkedinUrl: 'linkedin.com/in/ada-y', firstName: 'Ada' },
    })
    await call('mergePersons', { personId, duplicateIds: [duplicateId] })
    const { id: campaignId } = await call('createCampaign', { name: 'Spring' })
    const { data } = await call('addProspectsToCampaign', {
      ...{ campaignId, data: [{ email: 'ADA@y.example' }, { linkedinUrl: 'linkedin.com/in/ada-y' }] },
    })
    expect(data).toMatchObject([{ outcome: 'added', personId }, { outcome: 'duplicate_in_request' }])
    await expect(call('createPerson', { email: 'ada@y.example' })).rejects.toMatchObject({ code: 'Conflict' })
    const { id: otherId } = await call('createPerson', { email: 'eve@x.example' })
    await expect(call('updatePerson', { personId: otherId, email: 'ada@y.example' })).rejects.toMatchObject({
      code: 'Conflict',
    })
    expect((await call('listPersons', { email: 'ada@y.example' })).data.map(({ id }) => id)).toEqual([
      personId,
    ])
    expect((await call('listProspects', { email: 'ada@y.example' })).data).toHaveLength(1)
    // Merging the person also moves its earlier duplicates.
    const last = await call('mergePersons', { personId: otherId, duplicateIds: [personId] })
    expect(last).toMatchObject({
      ...{ otherEmails: ['ada@x.example', 'ada@y.example'], mergedPersonIds: [personId, duplicateId].sort() },
    })
  })
})

describe('the Do Not Contact list', () => {
  const entries = [
    { identifier: 'ada@y.example' },
    { identifier: 'y.example' },
    { identifier: phone, identifierType: 'sms' as const },
    { identifier: 'linkedin.com/in/ada-y' },
  ]
  it.each(entries)('blocks the person by the contact details of a duplicate: $identifier', async entry => {
    const { call } = await makeCaller(app)
    const { id: campaignId } = await call('createCampaign', { name: 'Spring' })
    const data = [{ email: 'ada@x.example', phone: '+442079460018', linkedinUrl: 'linkedin.com/in/ada-x' }]
    const [{ personId = '', prospectId = '' } = {}] = (
      await call('addProspectsToCampaign', { campaignId, data })
    ).data
    const { id: duplicateId } = await call('createPerson', {
      ...{ email: 'ada@y.example', phone, linkedinUrl: 'linkedin.com/in/ada-y' },
    })
    await call('addOptOuts', { identifiers: [entry] })
    expect(await call('mergePersons', { personId, duplicateIds: [duplicateId] })).toMatchObject({
      isOptedOut: true,
    })
    expect(await call('getProspect', { prospectId })).toMatchObject({
      ...{ status: 'paused', statusReason: 'do_not_contact' },
    })
    await expect(call('resumeProspect', { prospectId })).rejects.toMatchObject({ code: 'Conflict' })
    const { id: otherId } = await call('createCampaign', { name: 'Summer' })
    expect(await call('addProspectsToCampaign', { campaignId: otherId, data })).toMatchObject({
      data: [{ outcome: 'do_not_contact' }],
    })
  })

  it('stops the person’s steps when a duplicate’s address opts out later', async () => {
    const written = await post.write(1, steps)
    const { owner, emails, campaignId } = written
    const [{ id: prospectId, personId: duplicateId } = {}] = await written.prospects()
    const { id: personId } = await owner.call('createPerson', { email: 'bo@home.example' })
    await owner.call('mergePersons', { personId, duplicateIds: [duplicateId!] })
    expect(await owner.call('addOptOuts', { identifiers: [{ identifier: emails[0]! }] })).toMatchObject({
      pausedProspects: 1,
    })
    // Steps are withheld even from a prospect that is active again.
    await app.owner`update prospects set status = 'active', status_reason = null where id = ${prospectId!}`
    await app.owner`update campaigns set status = 'active' where id = ${campaignId}`
    await post.workAfter(3 * DAY_MS)
    expect((await post.mails()).filter(({ to }) => to === 'bo@home.example')).toEqual([])
    expect(await getStatus(owner, prospectId!)).toMatchObject({ statusReason: 'do_not_contact' })
  })
})

it.each(['before', 'after'])(
  'an address of a duplicate that bounces %s the merge blocks only itself, until somebody opts it out',
  async when => {
    const written = await post.write(1, steps)
    const { call } = written.owner
    const [{ id: prospectId = '', personId: duplicateId = '', repId = '' } = {}] = await written.prospects()
    const { id: campaignId } = await call('createCampaign', { name: 'Autumn', repIds: [repId], steps })
    const email = `other-${written.emails[0]}`
    const { data } = await call('addProspectsToCampaign', { campaignId, data: [{ email }] })
    const [{ personId = '', prospectId: otherId = '' } = {}] = data
    await call('launchCampaign', { campaignId })
    const [mail] = await written.sent()
    if (when === 'before') await written.receive(makeBounce(mail!))
    const merged = await call('mergePersons', { personId, duplicateIds: [duplicateId] })
    expect(merged.otherEmails).toEqual(written.emails)
    if (when === 'after') await written.receive(makeBounce(mail!))
    const bounced = await call('listOptOuts', {})
    expect(bounced.data).toMatchObject([{ identifier: written.emails[0], source: 'bounce' }])

    const { isOptedOut, optOutSource } = await call('getPerson', { personId })
    expect([isOptedOut, optOutSource]).toEqual([undefined, undefined])
    expect((await call('listPersons', { excludeOptedOut: true })).data.map(({ id }) => id)).toEqual([
      personId,
    ])
    if (when === 'before') {
      await call('resumeProspect', { prospectId })
      await call('resumeCampaign', { campaignId: written.campaignId })
    }
    await post.workAfter(60_000)
    expect(await getStatus(written.owner, prospectId)).toMatchObject({ status: 'active', step: 1 })
    expect(await getStatus(written.owner, otherId)).toMatchObject({ status: 'active', step: 1 })
    const { data: again } = await call('addProspectsToCampaign', {
      ...{ campaignId: (await call('createCampaign', { name: 'Winter' })).id, data: [{ email }] },
    })
    expect(again).toMatchObject([{ outcome: 'added', personId }])

    await call('addOptOuts', { identifiers: [{ identifier: written.emails[0]! }] })
    expect(await call('getPerson', { personId })).toMatchObject({ isOptedOut: true, optOutSource: 'api' })
    expect((await call('listPersons', { excludeOptedOut: true })).data).toEqual([])
    for (const id of [prospectId, otherId])
      expect(await getStatus(written.owner, id)).toMatchObject({ statusReason: 'do_not_contact' })
    await expect(call('resumeProspect', { prospectId })).rejects.toMatchObject({ code: 'Conflict' })
  },
)

it('a merge pauses the sequences that a reply from one of the persons would have paused', async () => {
  const replying = await post.write(1, steps)
  const { call } = replying.owner
  const [{ personId = '', repId = '' } = {}] = await replying.prospects()
  const { id: campaignId } = await call('createCampaign', { name: 'Autumn', repIds: [repId], steps })
  const email = `other-${replying.emails[0]}`
  const { data } = await call('addProspectsToCampaign', { campaignId, data: [{ email }] })
  const [{ personId: otherId = '', prospectId = '' } = {}] = data
  await app.owner`update prospects set created_at = ${app.now()} where id = ${prospectId}`
  await call('launchCampaign', { campaignId })
  await post.workAfter(60_000)
  await replying.receive(makeReply((await replying.sent())[0]!, 'Tuesday suits me.'))
  expect(await getStatus(replying.owner, prospectId)).toMatchObject({ status: 'active', step: 1 })
  await call('mergePersons', { personId, duplicateIds: [otherId] })
  expect(await getStatus(replying.owner, prospectId)).toMatchObject({
    ...{ status: 'paused', statusReason: 'replied_elsewhere' },
  })
  await post.workAfter(3 * DAY_MS)
  expect((await post.mails()).filter(({ to }) => to === email)).toHaveLength(1)
})

describe('a merge with a duplicate without prospects', () => {
  it.each([
    ['pauses the person’s sequences if the duplicate replied to an email', {}, 'paused'],
    ['ignores the duplicate’s automatic replies', { 'Auto-Submitted': 'auto-replied' }, 'active'],
  ])('%s', async (_what, fields, status) => {
    const written = await post.write(1, steps)
    const { call } = written.owner
    const [{ id: prospectId = '', personId = '' } = {}] = await written.prospects()
    await app.owner`update prospects set created_at = ${app.now()} where id = ${prospectId}`
    const email = `home-${written.emails[0]}`
    const { id: duplicateId } = await call('createPerson', { email })
    const message = { personId: duplicateId, mailboxId: written.mailboxId, subject: 'Hello' }
    await call('composeEmail', { ...message, body: 'Would Tuesday suit you?' })
    await post.workAfter(DAY_MS)
    const mail = (await post.mails()).find(({ to }) => to === email)
    await written.receive(makeReply(mail!, 'Tuesday suits me.', fields))
    expect(await getStatus(written.owner, prospectId)).toMatchObject({ status: 'active' })
    await call('mergePersons', { personId, duplicateIds: [duplicateId] })
    expect(await getStatus(written.owner, prospectId)).toMatchObject({ status })
  })

  it('pauses the person’s sequences if the duplicate wrote on LinkedIn', async () => {
    const written = await post.write(1, steps)
    const { call } = written.owner
    const [{ id: prospectId = '', personId = '', repId = '' } = {}] = await written.prospects()
    const [repUrl, url] = ['https://www.linkedin.com/in/rep', 'https://www.linkedin.com/in/bo-dane']
    const { id: duplicateId } = await call('createPerson', { linkedinUrl: url })
    const rows = ['CONVERSATION ID,FROM,SENDER PROFILE URL,TO,DATE,SUBJECT,CONTENT,FOLDER']
    rows.push(`2-abc,Rep,${repUrl},Bo,2026-11-24 09:00:00 UTC,,Hello,INBOX`)
    rows.push(`2-abc,Bo,${url},Rep,2026-11-24 10:00:00 UTC,,Hello you,INBOX`)
    const input = { repId, profileUrl: repUrl, csv: rows.join('\n') }
    expect(await call('importLinkedinMessages', input)).toMatchObject({ added: 2 })
    await app.owner`update prospects set created_at = '2026-11-24T09:00:00Z' where id = ${prospectId}`
    await call('mergePersons', { personId, duplicateIds: [duplicateId] })
    expect(await getStatus(written.owner, prospectId)).toMatchObject({ status: 'paused' })
  })
})

describe('two prospects of one campaign', () => {
  /** Creates a campaign with two prospects, the first of whom has received the first step. */
  async function makePair() {
    const written = await post.write(1, steps)
    const { owner, campaignId } = written
    const data = [{ email: `twin-${written.emails[0]}` }]
    await owner.call('addProspectsToCampaign', { campaignId, data })
    const prospects = (await written.prospects()).toSorted((one, other) => one.id.localeCompare(other.id))
    const [first, second] = prospects as [(typeof prospects)[number], (typeof prospects)[number]]
    const countEmails = async () =>
      (await post.mails()).filter(({ to }) => to.endsWith(written.emails[0]!)).length
    return { ...written, first, second, countEmails }
  }

  it.each(['first', 'second'] as const)(
    'merge into the one with more steps done when the %s person is kept',
    async kept => {
      const { owner, countEmails, ...pair } = await makePair()
      const { first, second } = pair
      const [person, duplicate] = kept === 'first' ? [first, second] : [second, first]
      const { personId } = person
      expect(
        await owner.call('mergePersons', { personId, duplicateIds: [duplicate.personId] }),
      ).toMatchObject({ stoppedProspects: 1 })
      expect(await getStatus(owner, first.id)).toMatchObject({ status: 'active', personId, step: 1 })
      expect(await getStatus(owner, second.id)).toMatchObject({
        status: 'stopped',
        statusReason: 'merged',
        personId,
      })
      await post.workAfter(60_000)
      expect(await countEmails()).toBe(1)
      await post.workAfter(3 * DAY_MS)
      expect(await countEmails()).toBe(2)
      const { campaignId } = pair
      const again = await owner
        .call('addProspectsToCampaign', {
          ...{ campaignId, data: [{ email: first.person!.email! }] },
        })
        .catch(error => error.code)
      expect(JSON.stringify(again)).toMatch(/already_in_campaign|ValidationError/)
    },
  )

  it('stay paused when a call to one of them has an unknown result', async () => {
    const { owner, first, second } = await makePair()
    await app.owner`
      update prospects set status = 'paused', status_reason = 'call_unconfirmed' where id = ${second.id}`
    await owner.call('mergePersons', { personId: first.personId, duplicateIds: [second.personId] })
    expect(await getStatus(owner, first.id)).toMatchObject({
      status: 'paused',
      statusReason: 'call_unconfirmed',
    })
  })

  it.each(['first', 'second'] as const)(
    'stay paused when the %s one was paused by a user, until somebody resumes them',
    async paused => {
      const { owner, countEmails, first, second } = await makePair()
      const prospectId = { first, second }[paused].id
      await owner.call('pauseProspect', { prospectId })
      await owner.call('mergePersons', { personId: second.personId, duplicateIds: [first.personId] })
      const status = { status: 'paused', statusReason: 'manual', personId: second.personId }
      expect(await getStatus(owner, first.id)).toMatchObject(status)
      await post.workAfter(3 * DAY_MS)
      expect(await countEmails()).toBe(1)
      await owner.call('resumeProspect', { prospectId: first.id })
      await post.workAfter(60_000)
      expect(await countEmails()).toBe(2)
    },
  )

  it('merge into the one that replied', async () => {
    const { owner, first, second, countEmails } = await makePair()
    await app.owner`update prospects set status = 'replied', next_step_at = null where id = ${second.id}`
    await owner.call('mergePersons', { personId: first.personId, duplicateIds: [second.personId] })
    expect(await getStatus(owner, first.id)).toMatchObject({ status: 'stopped', statusReason: 'merged' })
    expect(await getStatus(owner, second.id)).toMatchObject({ status: 'replied', personId: first.personId })
    await post.workAfter(3 * DAY_MS)
    expect(await countEmails()).toBe(1)
  })

  it('merge into the one whose first step did not bounce', async () => {
    const { owner, first, second } = await makePair()
    await app.owner`update prospects set status = 'bounced', next_step_at = null where id = ${first.id}`
    await app.owner`update email_sends set hard_bounced_at = now() where prospect_id = ${first.id}`
    await owner.call('mergePersons', { personId: second.personId, duplicateIds: [first.personId] })
    expect(await getStatus(owner, first.id)).toMatchObject({ status: 'bounced', personId: second.personId })
    expect(await getStatus(owner, second.id)).toMatchObject({ status: 'pending' })
  })

  it('merge into the one with more steps done even if the server rejected its next step', async () => {
    const { owner, first, second, countEmails } = await makePair()
    await owner.call('pauseProspect', { prospectId: second.id })
    post.server.script = step => (step === 'RCPT' ? '550 5.1.1 no such user' : undefined)
    await post.workAfter(3 * DAY_MS)
    post.server.script = () => undefined
    await owner.call('mergePersons', { personId: second.personId, duplicateIds: [first.personId] })
    expect(await getStatus(owner, first.id)).toMatchObject({ status: 'bounced', step: 1 })
    expect(await getStatus(owner, second.id)).toMatchObject({ status: 'stopped', statusReason: 'merged' })
    expect(await countEmails()).toBe(1)
  })

  it('merge so that the one whose step bounced cannot be resumed, and nobody gets a step twice', async () => {
    const written = await post.write(2, steps)
    const { call } = written.owner
    const [first, second] = await written.sent()
    await written.receive(makeBounce(second!))
    const find = async (email: string) => (await call('listProspects', { email })).data[0]!
    const [kept, bounced] = [await find(first!.to), await find(second!.to)]
    await call('updatePerson', { personId: bounced.personId, email: `right-${second!.to}` })
    await call('mergePersons', { personId: kept.personId, duplicateIds: [bounced.personId] })
    const reason = expect.stringContaining('was merged into')
    await expect(call('resumeProspect', { prospectId: bounced.id })).rejects.toMatchObject({
      ...{ code: 'Conflict', message: reason },
    })
    expect(await call('resumeProspects', { prospectIds: [bounced.id] })).toMatchObject({
      ...{ resumed: 0, data: [{ outcome: 'not_resumable', reason }] },
    })
    await post.workAfter(3 * DAY_MS)
    const texts = (await written.sent()).filter(({ to }) => to === first!.to).map(({ mail }) => mail.text)
    expect(texts).toEqual([expect.stringContaining('Hi'), expect.stringContaining('Still there?')])
  })

  it('merge into one person, who is listed only once among the persons of the campaign', async () => {
    const { owner, campaignId, first, second } = await makePair()
    await owner.call('mergePersons', { personId: first.personId, duplicateIds: [second.personId] })
    const { data } = await owner.call('listPersons', { campaignId })
    expect(data.map(({ id }) => id)).toEqual([first.personId])
  })

  it('are not merged while an email to one of them is being sent or locked by a worker', async () => {
    const { owner, first, second, countEmails } = await makePair()
    await planOnce(app)
    const merge = () =>
      owner.call('mergePersons', { personId: first.personId, duplicateIds: [second.personId] })
    const refused = { code: 'Conflict', message: expect.stringMatching(/in progress/) }
    const setState = (state: string) =>
      app.owner`update email_sends set state = ${state} where prospect_id = ${second.id}`
    await setState('dot_pending')
    await expect(merge()).rejects.toMatchObject(refused)
    await setState('queued')
    await app.owner.begin(async tx => {
      await tx`select from email_sends where prospect_id = ${second.id} for update`
      await expect(merge()).rejects.toMatchObject(refused)
    })
    expect(await merge()).toMatchObject({ stoppedProspects: 1 })
    await post.workAfter(60_000)
    expect(await countEmails()).toBe(1)
  })
})

it('a person who unsubscribes during a merge opts out with the addresses of the remaining person', async () => {
  const written = await post.write(1, steps)
  const { owner, emails } = written
  const [{ id: prospectId = '', personId: duplicateId = '' } = {}] = await written.prospects()
  const { data } = await owner.call('listEmailMessages', { type: 'campaign' })
  const { id: personId } = await owner.call('createPerson', { email: 'ada@home.example' })
  const link = { accountId: owner.accountId, emailMessageId: data[0]!.id, email: emails[0]! }
  let optingOut: Promise<unknown> | undefined
  await inAccount(app.owner, owner.accountId, async sql => {
    await mergePersons({ ...owner.context, sql }, { personId, duplicateIds: [duplicateId] })
    optingOut = unsubscribe(app, link, 'unsubscribe_link')
    await expect.poll(() => isWaitingForLock(app)).toBe(true)
  })
  await optingOut
  const optOuts = (await owner.call('listOptOuts', {})).data.map(({ identifier }) => identifier)
  expect(optOuts.sort()).toEqual(['ada@home.example', emails[0]!].sort())
  expect(await getStatus(owner, prospectId)).toMatchObject({ personId, status: 'opted_out' })
})

it('a reply that arrives during a merge pauses the sequence of the merged duplicate', async () => {
  const replying = await post.write(1, steps)
  const { owner } = replying
  const [{ personId = '', repId = '' } = {}] = await replying.prospects()
  const [mail] = await replying.sent()
  const { id: campaignId } = await owner.call('createCampaign', { name: 'Autumn', repIds: [repId], steps })
  const email = `other-${replying.emails[0]}`
  const { data } = await owner.call('addProspectsToCampaign', { campaignId, data: [{ email }] })
  const [{ personId: duplicateId = '', prospectId = '' } = {}] = data
  await owner.call('launchCampaign', { campaignId })
  let receiving: Promise<unknown> | undefined
  await inAccount(app.owner, owner.accountId, async sql => {
    await mergePersons({ ...owner.context, sql }, { personId, duplicateIds: [duplicateId] })
    receiving = replying.receive(makeReply(mail!, 'Hm.'))
    await expect.poll(() => isWaitingForLock(app)).toBe(true)
  })
  await receiving
  expect(await getStatus(owner, prospectId)).toMatchObject({
    ...{ status: 'paused', statusReason: 'replied_elsewhere' },
  })
})

it('a note that is written while its person is merged belongs to the remaining person', async () => {
  const { call, accountId } = await makeCaller(app)
  const { id: personId } = await call('createPerson', { email: 'ada@x.example' })
  const { id: duplicateId } = await call('createPerson', { email: 'ada@y.example' })
  const held = Promise.withResolvers<void>()
  const locked = Promise.withResolvers<void>()
  const merging = app.owner.begin(async tx => {
    await tx`
      update persons set merged_into_id = ${personId}, erased_at = now()
       where account_id = ${accountId} and id = ${duplicateId}`
    locked.resolve()
    await held.promise
  })
  await locked.promise
  const writing = app.owner`
    insert into notes (account_id, id, person_id, text) values (${accountId}, new_id(), ${duplicateId}, 'Late')
    returning person_id as "personId"`
  held.resolve()
  await merging
  expect(await writing).toMatchObject([{ personId }])
})

it('a merge rejects unknown, repeated and unexpected persons without merging anyone', async () => {
  const { call } = await makeCaller(app)
  const { id: personId } = await call('createPerson', { email: 'ada@x.example' })
  const { id } = await call('createPerson', { email: 'ada@y.example', firstName: 'Ada', lastName: 'Byron' })
  const other = await (await makeCaller(app)).call('createPerson', { email: 'ada@x.example' })
  for (const [input, path] of [
    [{ duplicateIds: [personId] }, 'duplicateIds.0'],
    [{ duplicateIds: [id, id] }, 'duplicateIds.1'],
    [{ duplicateIds: [id, other.id] }, 'duplicateIds.1'],
    [{ duplicateIds: [id], expectedNames: ['Grace Hopper'] }, 'expectedNames'],
    [{ duplicateIds: [id], expectedNames: [] }, 'expectedNames'],
  ] as const)
    await expect(call('mergePersons', { personId, ...input } as never)).rejects.toMatchObject({
      details: [{ path }],
    })
  await expect(call('mergePersons', { personId: other.id, duplicateIds: [id] })).rejects.toMatchObject({
    code: 'NotFound',
  })
  expect((await call('listPersons', {})).data).toHaveLength(2)
  await call('mergePersons', { personId, duplicateIds: [id], expectedNames: ['ada byron '] })
  await expect(call('mergePersons', { personId, duplicateIds: [id] })).rejects.toMatchObject({
    details: [{ path: 'duplicateIds.0' }],
  })
})
