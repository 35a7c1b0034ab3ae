import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { makeCaller, openTestApp, type TestApp } from '../../../../test/support/app.ts'
import { planOnce } from '../../../../test/support/campaigns/tick.ts'
import { writeExports } from '../../../../test/support/contract/world.ts'
import { isWaitingForLock } from '../../../../test/support/db/lock-waits.ts'
import { holdAt } from '../../../../test/support/hold-at.ts'
import { deliverDueEvents, WebhookReceiver } from '../../../../test/support/http/webhook-receiver.ts'
import { makeBounce, makeReply, rawMail } from '../../../../test/support/mail/answers.ts'
import {
  openPostOffice,
  type PostOffice,
  type SentCampaign,
} from '../../../../test/support/mail/correspondence.ts'
import { parseEnvelopeAddress } from '../../../../test/support/mail/mail-campaign.ts'
import { makeConsent } from '../../../../test/support/voice/consents.ts'
import { inAccount } from '../../kernel/context.ts'
import { decryptResponse } from '../../kernel/stored-responses.ts'
import { recordCallEvent } from '../calls/record-event.ts'
import { findMember } from '../linkedin/members.ts'
import { erasePerson } from './erase.ts'
import { personalData } from './personal-data.ts'

let app: TestApp
let post: PostOffice
let receiver: WebhookReceiver
beforeAll(async () => {
  app = await openTestApp({ ALLOW_PRIVATE_HOSTS: '127.0.0.1' })
  app.setNow('2026-11-23T09:00:00.000Z')
  post = await openPostOffice(app)
  receiver = await WebhookReceiver.open()
  receiver.answer = (posted, response) => response.end(posted.body)
})
afterAll(async () => {
  await receiver[Symbol.asyncDispose]()
  await post[Symbol.asyncDispose]()
  await app[Symbol.asyncDispose]()
})

const phone = '+442079460019'
const linkedinUrl = 'https://www.linkedin.com/in/wilhelmina-quatermain'
const newEmail = 'wilhelmina@quatermain.example'

/** Creates a person with rows in every table that can hold personal data, each created through the API. */
async function makeKnownPerson() {
  const written = await post.write(1, [
    { subject: 'For {{ firstName }}', body: 'Hi {{ firstName }}', delay: { amount: 0, unit: 'minutes' } },
    { channel: 'task', body: 'Send {{ firstName }} a postcard', delay: { amount: 0, unit: 'minutes' } },
  ] as never)
  const { owner, campaignId, emails, sent, receive } = written
  await owner.call('createWebhook', { url: receiver.url(), eventTypes: ['*'] })
  const { data } = await owner.call('listProspects', { campaignId })
  const { id: prospectId, personId, repId } = data[0]!
  await owner.call('createCustomField', { key: 'hobby', label: 'Hobby', type: 'text' })
  const names = { firstName: 'Wilhelmina', lastName: 'Quatermain', title: 'Zookeeper', city: 'Timbuktu' }
  await owner.call('updatePerson', { personId, ...names, phone, linkedinUrl, custom: { hobby: 'falconry' } })
  await post.workAfter(60_000)
  await receive(makeReply((await sent())[0]!, 'Yes, I like the axolotl.'))
  const { data: messages } = await owner.call('listEmailMessages', { type: 'received' })
  const emailMessageIdToReplyTo = messages[0]!.id
  await owner.call('createEmailDraft', {
    prospectId,
    emailMessageIdToReplyTo,
    body: 'Draft about the quokka',
  })
  await owner.call('composeEmail', { personId, subject: 'A kiwi', body: 'Flightless' })
  await post.workAfter(60_000)
  await owner.call('recordLinkedinMessage', {
    prospectId,
    type: 'received',
    text: 'A message about a wombat',
  })
  await owner.call('createLinkedinDraft', { prospectId, text: 'A draft about a numbat' })
  const about = { personId, repId: repId! }
  const task = {
    ...about,
    channel: 'other',
    title: 'Buy an okapi',
    text: 'In blue',
    dueAt: app.now().toISOString(),
  } as const
  await owner.call('createNote', { personId, text: 'Has an ibex' }, 'another key')
  await owner.call('createTask', task, 'a key')
  await owner.call('logCall', { ...about, outcome: 'answered', phoneNumber: phone, notes: 'Wants a tapir' })
  await makeConsent(owner, phone)
  await placeAssistantCall(written)
  await owner.call('updatePerson', { personId, email: newEmail })
  await owner.call('addOptOuts', { identifiers: [{ identifier: emails[0]!, name: 'W. Quatermain' }] })
  await owner.call('addOptOuts', { identifiers: [{ identifier: linkedinUrl }] })
  await owner.call('removeOptOut', { identifier: linkedinUrl })
  await owner.call('exportData', { kind: 'persons' })
  await writeExports(app)
  await deliverDueEvents(app)
  const words = [
    'axolotl',
    'kiwi',
    'ibex',
    'flightless',
    'quokka',
    'wombat',
    'numbat',
    'okapi',
    'tapir',
    'capybara',
    'ocelot',
  ]
  const values = [
    ...Object.values(names),
    'falconry',
    phone,
    phone.slice(1),
    'wilhelmina',
    emails[0]!,
    'Person0',
    ...words,
  ]
  return { ...written, personId, prospectId, values }
}

/** Places an assistant call with everything that providers report. */
async function placeAssistantCall({ owner }: SentCampaign) {
  const { id: assistantId } = await owner.call('createAssistant', {
    name: 'Desk',
    fromNumber: '+442079460018',
  })
  const { callId } = await owner.call('triggerAssistantCall', {
    ...{ assistantId, name: 'Wilhelmina Quatermain', phoneNumber: phone, data: { animal: 'ocelot' } },
  })
  await app.owner`update calls set status = 'dialing', placed_at = now(), due_at = null where id = ${callId}`
  await recordCallEvent(app, owner.accountId, callId, {
    ...{ type: 'end-of-call', outcome: 'answered', endedAt: app.now(), durationSeconds: 60 },
    ...{ summary: 'Asked for a capybara', recordingUrl: 'https://voice.example/wilhelmina.mp3' },
    transcript: [{ role: 'person', text: 'A capybara, please', at: app.now() }] as never,
  })
}

type Hit = { table: string; row: string; value: string }

/** Finds the values in every column of every table, and in the encrypted stored responses. */
async function scan(values: readonly string[]): Promise<Hit[]> {
  const { owner } = app
  const tables = await owner<{ name: string }[]>`
    select table_name as name from information_schema.tables
     where table_schema = 'public' and table_type = 'BASE TABLE' order by 1`
  const hits: Hit[] = []
  for (const { name } of tables)
    hits.push(
      ...(await owner<Hit[]>`
        select ${name} as table, coalesce(to_jsonb(t) ->> 'id', t::text) as row, searched as value
          from ${owner.identifier(name)} t
          join unnest(${values.map(value => value.toLowerCase())}::text[]) searched on strpos(lower(t::text), searched) > 0`),
    )
  const responses = await app.owner<{ accountId: string; userId: string; key: string; response: string }[]>`
    select account_id as "accountId", user_id as "userId", key, response from idempotency_keys`
  for (const { response, ...owner } of responses) {
    const text = decryptResponse({ app, ...owner }, response) ?? ''
    const found = values.filter(value => text.includes(value))
    hits.push(...found.map(value => ({ table: 'idempotency_keys', row: owner.key, value })))
  }
  return hits
}

it('a person’s export includes all of their data, and erasure removes it from every column of every table', async () => {
  const { owner, personId, campaignId, emails, values } = await makeKnownPerson()
  const admin = await makeCaller(app, 'admin', owner.accountId)
  const before = await scan(values)
  // A table that never had data would look erased.
  const seen = new Set(before.map(({ table }) => table))
  for (const table of ['webhook_deliveries', 'idempotency_keys', 'export_pieces', 'events'])
    expect(seen).toContain(table)
  for (const value of values) expect(before.map(hit => hit.value)).toContain(value.toLowerCase())

  const { data } = await admin.call('exportPerson', { personId })
  for (const { table, row, value } of before) {
    if (!(table in personalData)) continue
    const exported = JSON.stringify(data[table]).toLowerCase()
    expect(exported, `${value} of ${table} ${row}`).toContain(value)
  }
  const others = new Set([...seen].filter(name => !(name in personalData)))
  expect([...others].sort()).toEqual(['events', 'export_pieces', 'idempotency_keys', 'webhook_deliveries'])

  const stats = await owner.call('getCampaignStats', { campaignId })
  await expect(admin.call('erasePerson', { personId, expectedPerson: 'Ada Byron' })).rejects.toMatchObject({
    details: [{ path: 'expectedPerson' }],
  })
  expect(await admin.call('erasePerson', { personId, expectedPerson: newEmail })).toEqual({
    ok: true,
    inFlight: 0,
  })
  expect(await scan(values)).toEqual([])
  expect(await owner.call('getCampaignStats', { campaignId })).toEqual(stats)

  const { id: otherId } = await owner.call('createCampaign', { name: 'Summer' })
  for (const identifier of [newEmail, emails[0]!, phone, linkedinUrl]) {
    const isPhone = identifier === phone
    const contact = isPhone ? { phone } : identifier === linkedinUrl ? { linkedinUrl } : { email: identifier }
    const again = await owner.call('addProspectsToCampaign', {
      campaignId: otherId,
      data: [{ ...contact, firstName: 'W.' }],
    })
    expect(again.data[0], identifier).toMatchObject({ outcome: 'do_not_contact' })
  }
  const csv = `Email\n${newEmail.toUpperCase()}\n`
  expect(await owner.call('importProspects', { campaignId: otherId, csv })).toMatchObject({ added: 0 })
  expect(await scan(values)).toEqual([])
})

it.each([
  ['Li', 'Ask on LinkedIn', false],
  ['Li', 'Ask Éli', false],
  ['Li', 'Two lines:\nLi', true],
  ['Li', 'Ask Li.', true],
  ['n', 'Two\nlines', false],
  ['Ann "Nan" Lee', 'Ask Ann "Nan" Lee', true],
  ['A\\B (C', 'Ask A\\B (C', true],
  ['李伟', '您好李伟先生', true],
])(
  'the erasure of a person named “%s” removes copies of other objects only if they contain the name as whole words: %j',
  async (firstName, text, isFound) => {
    const admin = await makeCaller(app, 'admin')
    await admin.call('createWebhook', { url: receiver.url(), eventTypes: ['task.created'] })
    const { id: personId } = await admin.call('createPerson', { firstName, email: 'person@moss.example' })
    const { id: otherId } = await admin.call('createPerson', { email: 'eve@moss.example' })
    const { id: repId } = await admin.call('createRep', { name: 'Ada' })
    const task = {
      personId: otherId,
      repId,
      channel: 'other',
      title: 'Ask',
      text,
      dueAt: '2026-12-01T09:00:00Z',
    } as const
    const createTask = () => admin.call('createTask', task, 'a key')
    const created = await createTask()
    await deliverDueEvents(app)
    await admin.call('erasePerson', { personId, expectedPerson: firstName })
    const [delivery] = await app.owner<{ data: string | null }[]>`
    select data from webhook_deliveries where account_id = ${admin.accountId} and object_id = ${created.id}`
    expect(delivery!.data === null).toBe(isFound)
    if (isFound) await expect(createTask()).rejects.toMatchObject({ code: 'Conflict' })
    else expect(await createTask()).toEqual(created)
  },
)

it('an erased person can’t be changed, and appears only as a tombstone in the list of changes', async () => {
  const admin = await makeCaller(app, 'admin')
  const { id: personId } = await admin.call('createPerson', {
    firstName: 'Eve',
    lastName: 'Moss',
    email: 'eve@moss.example',
  })
  const { id: campaignId } = await admin.call('createCampaign', { name: 'Spring' })
  await admin.call('addProspectsToCampaign', { campaignId, data: [{ email: 'eve@moss.example' }] })
  const since = new Date(Date.now() - 60_000).toISOString()
  await admin.call('erasePerson', { personId, expectedPerson: 'eve moss' })
  expect((await admin.call('listPersons', {})).data).toEqual([])
  expect((await admin.call('listPersons', { campaignId })).data).toEqual([])
  expect((await admin.call('listPersons', { campaignId, sort: 'name' })).data).toEqual([])
  expect((await admin.call('listPersons', { updatedSince: since })).data).toMatchObject([
    { id: personId, isErased: true, firstName: null },
  ])
  for (const change of [
    () => admin.call('updatePerson', { personId, title: 'Gardener' }),
    () => admin.call('erasePerson', { personId, expectedPerson: 'Eve Moss' }),
    () => admin.call('exportPerson', { personId }),
  ])
    await expect(change()).rejects.toMatchObject({ code: 'NotFound' })
})

it.each(['createTask', 'logCall'] as const)(
  '%s is refused for a person whose erasure has begun',
  async name => {
    const admin = await makeCaller(app, 'admin')
    await admin.call('createRep', { name: 'Grace Hopper', ownedById: admin.userId })
    const { id: personId } = await admin.call('createPerson', { email: 'ada@x.example', phone })
    const inputs = {
      createTask: { personId, channel: 'other', title: 'Call Ada', dueAt: app.now().toISOString() },
      logCall: { personId, outcome: 'answered', notes: 'Wants a tapir' },
    } as const
    let refusal: Promise<void> | undefined
    await inAccount(app.owner, admin.accountId, async sql => {
      await erasePerson({ ...admin.context, sql }, { personId, expectedPerson: 'ada@x.example' })
      refusal = expect(admin.call(name, inputs[name] as never)).rejects.toMatchObject({
        ...{ code: 'ValidationError', details: [{ path: 'personId' }] },
      })
      await expect.poll(() => isWaitingForLock(app)).toBe(true)
    })
    await refusal
  },
)

it('an erased person has no last contact or reply, even if they reply later', async () => {
  const { owner, prospects, sent, receive } = await post.write(1)
  const [{ id: prospectId = '', personId = '', repId = '' } = {}] = await prospects()
  const { email } = await owner.call('getPerson', { personId })
  const admin = await makeCaller(app, 'admin', owner.accountId)
  await admin.call('recordLinkedinMessage', { prospectId, repId, type: 'received', text: 'Hello' })
  expect(await owner.call('getPerson', { personId })).toMatchObject({
    lastContactedAt: expect.any(String),
    lastRepliedAt: expect.any(String),
  })
  await admin.call('erasePerson', { personId, expectedPerson: email! })
  await receive(makeReply((await sent())[0]!, 'Who are you?'))
  const { lastContactedAt, lastRepliedAt } = await owner.call('getPerson', { personId })
  expect([lastContactedAt, lastRepliedAt]).toEqual([undefined, undefined])
  const activity = await app.owner`select from person_activity where person_id = ${personId}`
  expect(activity.count).toBe(0)
})

it('erasure includes an email that is planned at the same time', async () => {
  const { owner, prospects, emails } = await post.write(1, [
    { subject: 'Hello', body: 'Hi' },
    { subject: 'Again', body: 'Hi {{ firstName }}', thread: 'new', delay: { amount: 1, unit: 'days' } },
  ])
  const [{ personId = '' } = {}] = await prospects()
  const admin = await makeCaller(app, 'admin', owner.accountId)
  app.setNow(new Date(app.now().getTime() + 2 * 24 * 3_600_000))
  using hold = holdAt('plan.written')
  const planning = planOnce(app)
  await hold.reached
  const erasing = admin.call('erasePerson', { personId, expectedPerson: emails[0]! })
  await expect.poll(() => isWaitingForLock(app)).toBe(true)
  hold.release()
  await planning
  expect(await erasing).toMatchObject({ ok: true })
  expect(await scan(emails)).toEqual([])
})

it('an address that is put on the Do Not Contact list during the erasure of its person stays only as a hash', async () => {
  const admin = await makeCaller(app, 'admin')
  const email = 'listed-during-erasure@x.example'
  const { id: personId } = await admin.call('createPerson', { email })
  let adding: Promise<unknown> | undefined
  await inAccount(app.owner, admin.accountId, async sql => {
    await erasePerson({ ...admin.context, sql }, { personId, expectedPerson: email })
    adding = admin.call('addOptOuts', { identifiers: [{ identifier: email }] })
    await expect.poll(() => isWaitingForLock(app)).toBe(true)
  })
  expect(await adding).toMatchObject({ total: 1, added: 0 })
  expect(await scan([email])).toEqual([])
})

it('no draft is created in a thread whose person is being erased', async () => {
  const { owner, prospects, emails, sent, receive } = await post.write(1)
  const [{ id: prospectId = '', personId = '' } = {}] = await prospects()
  await receive(makeReply((await sent())[0]!, 'Yes'))
  const { data } = await owner.call('listEmailMessages', { type: 'received' })
  const admin = await makeCaller(app, 'admin', owner.accountId)
  const draft = { prospectId, emailMessageIdToReplyTo: data[0]!.id, body: 'Great' }
  let refusal: Promise<void> | undefined
  await inAccount(app.owner, admin.accountId, async sql => {
    await erasePerson({ ...admin.context, sql }, { personId, expectedPerson: emails[0]! })
    refusal = expect(admin.call('createEmailDraft', draft)).rejects.toMatchObject({
      ...{ code: 'ValidationError', details: [{ path: 'recipients' }] },
    })
    await expect.poll(() => isWaitingForLock(app)).toBe(true)
  })
  await refusal
  expect(await scan(emails)).toEqual([])
})

it('an email that a rep sent outside of Overture is not stored once the erasure of its recipient has begun', async () => {
  const { owner, address, prospects, emails, receive } = await post.write(1)
  const [{ personId = '' } = {}] = await prospects()
  const admin = await makeCaller(app, 'admin', owner.accountId)
  const raw = rawMail({ From: address, To: emails[0]!, Subject: 'Lunch?' }, 'On Monday?')
  let receiving: ReturnType<typeof receive> | undefined
  await inAccount(app.owner, admin.accountId, async sql => {
    await erasePerson({ ...admin.context, sql }, { personId, expectedPerson: emails[0]! })
    receiving = receive(raw, 'sent')
    await expect.poll(() => isWaitingForLock(app)).toBe(true)
  })
  expect(await receiving).toMatchObject({ outcome: 'ignored' })
  expect(await scan(emails)).toEqual([])
})

it('no LinkedIn message is stored for a person once their erasure has begun', async () => {
  const { owner, prospects, emails } = await post.write(1)
  const [{ id: prospectId = '', personId = '' } = {}] = await prospects()
  const profile = 'https://www.linkedin.com/in/ada-erased'
  await owner.call('updatePerson', { personId, linkedinUrl: profile })
  const admin = await makeCaller(app, 'admin', owner.accountId)
  let finding: ReturnType<typeof findMember> | undefined
  await inAccount(app.owner, admin.accountId, async sql => {
    await erasePerson({ ...admin.context, sql }, { personId, expectedPerson: emails[0]! })
    finding = inAccount(app.db.app, admin.accountId, tx =>
      findMember(tx, { linkedinUrl: profile, memberId: 'ACoAAerased' }),
    )
    await expect.poll(() => isWaitingForLock(app)).toBe(true)
  })
  expect(await finding).toBeUndefined()
  await expect(owner.call('createLinkedinDraft', { prospectId, text: 'Hi Ada' })).rejects.toMatchObject({
    code: 'ValidationError',
  })
})

it('erasure removes an address that bounced before it was corrected and the step was sent again', async () => {
  const { owner, prospects, emails, sent, receive } = await post.write(1)
  const [{ id: prospectId = '', personId = '' } = {}] = await prospects()
  await receive(makeBounce((await sent())[0]!))
  const email = `right-${emails[0]}`
  await owner.call('updatePerson', { personId, email })
  await owner.call('resumeProspect', { prospectId })
  const admin = await makeCaller(app, 'admin', owner.accountId)
  await admin.call('erasePerson', { personId, expectedPerson: email })
  expect(await scan(emails)).toEqual([])
  // The entry of the earlier address no longer counts as a bounce, which would block only that address.
  expect((await admin.call('listOptOuts', {})).data.map(({ source }) => source)).toEqual([
    'erasure',
    'erasure',
  ])
})

it.each([
  ['550 5.1.1', 'bounced', 'hard_bounce'],
  ['552 5.2.3', 'completed', 'erased'],
])(
  'erasure removes the address from the response of a mail server: %s',
  async (code, status, statusReason) => {
    post.server.script = (step, line) =>
      step === 'RCPT' ? `${code} ${parseEnvelopeAddress(line)} refused` : undefined
    const { owner, prospects, emails } = await post.write(1)
    post.server.script = () => undefined
    const [{ id: prospectId = '', personId = '' } = {}] = await prospects()
    expect((await scan(emails)).map(({ table }) => table)).toContain('prospects')
    const admin = await makeCaller(app, 'admin', owner.accountId)
    await admin.call('erasePerson', { personId, expectedPerson: emails[0]! })
    expect(await scan(emails)).toEqual([])
    expect(await owner.call('getProspect', { prospectId })).toMatchObject({ status, statusReason })
  },
)

it('erasure removes a request to call the person’s earlier number, even one made for a merged duplicate', async () => {
  const admin = await makeCaller(app, 'admin')
  await admin.call('updateAccount', { assistantsMayRequestCalls: true })
  const { id: assistantId } = await admin.call('createAssistant', {
    name: 'Desk',
    fromNumber: '+442079460018',
  })
  const { id: duplicateId } = await admin.call('createPerson', { firstName: 'Ada', phone })
  const { callRequestId } = await admin.call('requestCall', {
    ...{ assistantId, name: 'Ada', phoneNumber: phone, reason: 'Ada wants the price' },
  })
  await admin.call('updatePerson', { personId: duplicateId, phone: '+442079460020' })
  const { id: personId } = await admin.call('createPerson', { firstName: 'Ada', email: 'ada@fern.example' })
  await admin.call('mergePersons', { personId, duplicateIds: [duplicateId] })
  await admin.call('erasePerson', { personId, expectedPerson: 'Ada' })
  await expect(admin.call('getCallRequest', { callRequestId })).rejects.toMatchObject({ code: 'NotFound' })
})

it('the erasure of the last prospect, who failed, completes the campaign, and new steps do not restart it', async () => {
  const { owner, prospects, campaignId, emails } = await post.write(1)
  const [{ id: prospectId = '', personId = '' } = {}] = await prospects()
  await app.owner`
    update prospects set status = 'failed', status_reason = 'missing_variable: company', next_step_at = null
     where id = ${prospectId}`
  await app.owner`update campaigns set status = 'active', completed_at = null where id = ${campaignId}`
  const admin = await makeCaller(app, 'admin', owner.accountId)
  await admin.call('erasePerson', { personId, expectedPerson: emails[0]! })
  expect(await owner.call('getCampaign', { campaignId })).toMatchObject({ status: 'completed' })
  await owner.call('setCampaignSteps', { campaignId, steps: [{ subject: 'Hello', body: 'Hi' }] })
  const { status, statusReason, next } = await owner.call('getProspect', { prospectId })
  expect([status, statusReason, next]).toEqual(['completed', 'erased', undefined])
})

/** Account tables that hold no data about a person, or only temporary copies. */
const otherTables = `
  accounts members former_members invitations audit_log api_tokens oauth_grants single_sign_ons custom_fields companies tags
  reps mailboxes mailbox_aliases mailbox_attempts mailbox_syncs mailbox_folders mailbox_skips mailbox_grants mailbox_connections mail_clients domains dmarc_reports dmarc_sources dkim_keys assistants
  campaigns campaign_reps campaign_steps campaign_step_variants campaign_knowledge linkedin_accounts reply_agents webhooks
  meeting_webhooks problems notification_settings notification_emails notifications snippets saved_views events live_accounts attachment_pieces webhook_deliveries idempotency_keys exports export_pieces`

it('erasure covers every table of an account', async () => {
  const tables = await app.owner<{ name: string }[]>`
    select table_name as name from information_schema.columns
     where table_schema = 'public' and column_name = 'account_id'`
  const known = new Set([...Object.keys(personalData), ...otherTables.trim().split(/\s+/)])
  // Add new tables to personal-data.ts, or to otherTables if they hold no personal data.
  expect(tables.map(({ name }) => name).filter(name => !known.has(name))).toEqual([])
})

describe('the hash of an erased identifier', () => {
  it('stays when the same identifier opts out again, and is removed by removeOptOut', async () => {
    const admin = await makeCaller(app, 'admin')
    const email = 'eve@moss.example'
    const { id: personId } = await admin.call('createPerson', { email })
    await admin.call('erasePerson', { personId, expectedPerson: email })
    const identifiers = [{ identifier: email }]
    expect(await admin.call('addOptOuts', { identifiers })).toMatchObject({ added: 0, alreadyPresent: 1 })
    expect((await admin.call('listOptOuts', {})).data).toMatchObject([
      { identifier: expect.stringMatching(/^erased:[0-9a-f]{64}$/), identifierType: 'email' },
    ])
    const { id: againId } = await admin.call('createPerson', { email })
    expect(await admin.call('getPerson', { personId: againId })).toMatchObject({ isOptedOut: true })
    await admin.call('removeOptOut', { identifier: email })
    expect((await admin.call('getPerson', { personId: againId })).isOptedOut).toBeUndefined()
  })

  it('differs between accounts', async () => {
    const [one, two] = await Promise.all([makeCaller(app, 'admin'), makeCaller(app, 'admin')])
    const email = 'eve@moss.example'
    for (const admin of [one, two]) {
      const { id: personId } = await admin.call('createPerson', { email })
      await admin.call('erasePerson', { personId, expectedPerson: email })
    }
    const [first, second] = await Promise.all(
      [one, two].map(async admin => (await admin.call('listOptOuts', {})).data),
    )
    expect(first![0]!.identifier).not.toBe(second![0]!.identifier)
  })
})
