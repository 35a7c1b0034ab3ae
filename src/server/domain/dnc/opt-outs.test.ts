import { randomUUIDv7 } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Caller, makeCaller, openTestApp, type TestApp } from '../../../../test/support/app.ts'
import type { RawInput } from '../../../contract/index.ts'
import { inAccount } from '../../kernel/context.ts'
import type { Sql } from '../../kernel/db/database.ts'
import { findOptOut } from '../people/opt-outs/find-opt-outs.ts'

let app: TestApp
beforeAll(async () => {
  app = await openTestApp()
})
afterAll(() => app[Symbol.asyncDispose]())

type Entry = RawInput<'addOptOuts'>['identifiers'][number]
const readList = async (caller: Caller) =>
  (await caller.call('listOptOuts', { limit: 100 })).data.map(
    entry => `${entry.identifierType} ${entry.identifier}`,
  )

describe('the Do Not Contact list', () => {
  it('stores each identifier once and in canonical form', async () => {
    const caller = await makeCaller(app)
    const identifiers: Entry[] = [
      { identifier: ' Ada@X.example', name: 'Ada' },
      { identifier: 'mailto:ada@x.example', name: 'Other' },
      { identifier: 'https://uk.linkedin.com/in/Ada-B/?trk=x' },
      { identifier: '+44 (0)20 7946 0018' },
      { identifier: '+442079460018', identifierType: 'sms' },
      { identifier: 'www.Rival.example' },
      { identifier: 'visitor-7', identifierType: 'web_chat' },
    ]
    expect(await caller.call('addOptOuts', { identifiers })).toEqual({
      total: 7,
      added: 6,
      alreadyPresent: 1,
      people: 0,
      pausedProspects: 0,
      inFlight: 0,
    })
    expect(await caller.call('addOptOuts', { identifiers })).toMatchObject({ added: 0, alreadyPresent: 7 })
    expect(new Set(await readList(caller))).toEqual(
      new Set([
        'email ada@x.example',
        'linkedin https://www.linkedin.com/in/ada-b',
        'phone +442079460018',
        'sms +442079460018',
        'domain rival.example',
        'web_chat visitor-7',
      ]),
    )
    const emails = await caller.call('listOptOuts', { identifierType: 'email' })
    expect(emails.data).toMatchObject([{ identifier: 'ada@x.example', name: 'Ada' }])
  })

  it('reports why a person is on the list; a bounce is the reason only if there is no other reason', async () => {
    const caller = await makeCaller(app)
    const email = 'mary@somerville.example'
    const { id: personId } = await caller.call('createPerson', { email, phone: '+442079460018' })
    const read = async () => {
      const { isOptedOut, optOutSource } = await caller.call('getPerson', { personId })
      return { isOptedOut, optOutSource }
    }
    expect(await read()).toEqual({ isOptedOut: undefined, optOutSource: undefined })
    await app.owner`
      insert into opt_outs (account_id, id, kind, value, source)
      values (${caller.accountId}, ${randomUUIDv7()}, 'email', ${email}, 'bounce')`
    expect(await read()).toEqual({ isOptedOut: true, optOutSource: 'bounce' })
    await caller.call('addOptOuts', { identifiers: [{ identifier: '+442079460018' }] })
    expect(await read()).toEqual({ isOptedOut: true, optOutSource: 'api' })
    await caller.call('removeOptOut', { identifier: '+442079460018' })
    await caller.call('updatePerson', { personId, email: 'mary@somerville-college.example' })
    expect(await read()).toEqual({ isOptedOut: undefined, optOutSource: undefined })
  })

  it('keeps a person who opts out after a bounce, even when the address is corrected', async () => {
    const caller = await makeCaller(app)
    const email = 'ada@x.example'
    const { id: personId } = await caller.call('createPerson', { email })
    await app.owner`
      insert into opt_outs (account_id, id, kind, value, source)
      values (${caller.accountId}, ${randomUUIDv7()}, 'email', ${email}, 'bounce')`
    expect(await caller.call('addOptOuts', { identifiers: [{ identifier: email }] })).toMatchObject({
      ...{ added: 0, alreadyPresent: 1 },
    })
    expect((await caller.call('listOptOuts', {})).data).toMatchObject([
      { identifier: email, source: 'api', addedById: caller.userId },
    ])
    expect(await caller.call('updatePerson', { personId, email: 'ada@y.example' })).toMatchObject({
      ...{ isOptedOut: true, optOutSource: 'api' },
    })
  })

  it('finds entries by words in their identifier and name, by type and by source, and names who added them', async () => {
    const caller = await makeCaller(app)
    await caller.call('addOptOuts', {
      identifiers: [
        { identifier: 'ada@x.example', name: 'Ada Byron' },
        { identifier: '+44 20 7946 0018' },
        { identifier: 'rival.example' },
      ],
    })
    await caller.call('importOptOuts', { csv: 'Email\ngrace@x.example\n' })
    const find = async (input: RawInput<'listOptOuts'>) =>
      (await caller.call('listOptOuts', input)).data.map(({ identifier }) => identifier)
    expect(await find({ query: 'byron' })).toEqual(['ada@x.example'])
    expect(await find({ query: '020 7946' })).toEqual(['+442079460018'])
    expect(await find({ query: 'example', identifierType: 'email' })).toEqual([
      'grace@x.example',
      'ada@x.example',
    ])
    expect(await find({ source: 'import' })).toEqual(['grace@x.example'])
    expect(await find({ query: 'zzzzz' })).toEqual([])
    const [user] = await app.owner<{ name: string }[]>`select name from users where id = ${caller.userId}`
    const { data } = await caller.call('listOptOuts', {})
    for (const { source, addedById, addedBy } of data)
      expect({ addedById, addedBy, isKnown: ['api', 'import'].includes(source) }).toEqual({
        addedById: caller.userId,
        addedBy: user!.name,
        isKnown: true,
      })
    await expect(find({ source: 'api', identifierType: 'email' })).rejects.toMatchObject({
      details: [{ path: 'source' }],
    })
  })

  it('finds the entries that a member added in a period', async () => {
    const owner = await makeCaller(app)
    const member = await makeCaller(app, 'member', owner.accountId)
    for (const [caller, identifier] of [
      [owner, 'acme.example'],
      [member, 'rival.example'],
      [member, 'ada@x.example'],
    ] as const)
      await caller.call('addOptOuts', { identifiers: [{ identifier }] })
    const lastWeek = '2026-11-17T09:00:00Z'
    await app.owner`
      update opt_outs set created_at = ${lastWeek}
       where account_id = ${owner.accountId} and value in ('acme.example', 'rival.example')`
    const find = async (input: RawInput<'listOptOuts'>) =>
      (await owner.call('listOptOuts', input)).data.map(({ identifier }) => identifier)
    const addedById = member.userId
    expect(await find({ addedById })).toEqual(['ada@x.example', 'rival.example'])
    expect(await find({ addedById, until: '2026-11-18T00:00:00Z' })).toEqual(['rival.example'])
    expect(await find({ since: lastWeek, until: '2026-11-17T09:00:01Z', query: 'acme' })).toEqual([
      'acme.example',
    ])
    expect(await find({ until: lastWeek })).toEqual([])
    await expect(find({ addedById, source: 'api' })).rejects.toMatchObject({
      details: [{ path: 'addedById' }],
    })
    await expect(find({ addedById: owner.accountId })).rejects.toMatchObject({ code: 'NotFound' })
  })

  it.each(['gmail.com', 'https://www.web.de/', '*@yahoo.co.uk', 'co.uk'])(
    'accepts %s, where anyone can have an address, only when the request confirms it',
    async identifier => {
      const caller = await makeCaller(app)
      const identifiers = [{ identifier: 'ada@x.example' }, { identifier }]
      await expect(caller.call('addOptOuts', { identifiers })).rejects.toMatchObject({
        code: 'ValidationError',
        message: expect.stringContaining('Set it to true if you mean everyone.'),
        details: [{ path: 'confirmPublicDomain' }],
      })
      expect(await readList(caller)).toEqual([])
      const confirmed = { identifiers, confirmPublicDomain: true }
      expect(await caller.call('addOptOuts', confirmed)).toMatchObject({ added: 2 })
    },
  )

  it('accepts an address at a public domain, and the domain of a company, without confirmation', async () => {
    const caller = await makeCaller(app)
    const identifiers = [{ identifier: 'ada@gmail.com' }, { identifier: 'rival.co.uk' }]
    expect(await caller.call('addOptOuts', { identifiers })).toMatchObject({ added: 2 })
  })

  it('reads a wildcard address as its domain, when adding and when removing it', async () => {
    const caller = await makeCaller(app)
    const identifier = '*@rival.example'
    await caller.call('addOptOuts', { identifiers: [{ identifier, identifierType: 'email' }] })
    expect(await readList(caller)).toEqual(['domain rival.example'])
    const person = { personId: undefined, emails: ['ada@mail.rival.example'] }
    const { accountId } = caller
    const blocker = await inAccount(app.db.app, accountId, sql => findOptOut({ app, sql, accountId }, person))
    expect(blocker).toEqual({ kind: 'domain', value: 'rival.example' })
    expect(await caller.call('removeOptOut', { identifier })).toEqual({ ok: true })
  })

  it('stores nothing when identifiers are invalid, and reports each of them', async () => {
    const caller = await makeCaller(app)
    await expect(
      caller.call('addOptOuts', {
        identifiers: [
          { identifier: 'ada@x.example' },
          { identifier: '020 7946 0018' },
          { identifier: 'x.example', identifierType: 'email' },
        ],
      }),
    ).rejects.toMatchObject({
      code: 'ValidationError',
      details: [{ path: 'identifiers.1.identifier' }, { path: 'identifiers.2.identifier' }],
    })
    expect(await readList(caller)).toEqual([])
    await caller.call('updateAccount', { defaultCountry: 'GB' })
    await caller.call('addOptOuts', { identifiers: [{ identifier: '020 7946 0018' }] })
    expect(await readList(caller)).toEqual(['phone +442079460018'])
  })

  it('accepts 0 to 500 identifiers per request', async () => {
    const caller = await makeCaller(app)
    const many = (length: number) => Array.from({ length }, (_, i) => ({ identifier: `p${i}@x.example` }))
    expect(await caller.call('addOptOuts', { identifiers: [] })).toEqual({
      total: 0,
      added: 0,
      alreadyPresent: 0,
      people: 0,
      pausedProspects: 0,
      inFlight: 0,
    })
    expect((await caller.call('addOptOuts', { identifiers: many(500) })).added).toBe(500)
    await expect(caller.call('addOptOuts', { identifiers: many(501) })).rejects.toMatchObject({
      details: [{ path: 'identifiers' }],
    })
  })

  it('removes an entry by any spelling, and reports when there is no such entry', async () => {
    const caller = await makeCaller(app)
    await caller.call('addOptOuts', { identifiers: [{ identifier: 'ada@x.example' }] })
    await expect(
      (await makeCaller(app)).call('removeOptOut', { identifier: 'ada@x.example' }),
    ).rejects.toMatchObject({ code: 'NotFound' })
    expect(await caller.call('removeOptOut', { identifier: 'ADA@X.example' })).toEqual({ ok: true })
    expect(await readList(caller)).toEqual([])
    await expect(caller.call('removeOptOut', { identifier: 'ada@x.example' })).rejects.toMatchObject({
      code: 'NotFound',
    })
    await app.owner`
      insert into opt_outs (account_id, id, kind, value) values (${caller.accountId}, gen_random_uuid(), 'email', 'info*@x.example')`
    const asListed = { identifier: 'info*@x.example', identifierType: 'email' } as const
    expect(await caller.call('removeOptOut', asListed), 'an entry that is no longer valid').toEqual({
      ok: true,
    })
    await expect(caller.call('removeOptOut', { identifier: 'ada' })).rejects.toMatchObject({
      details: [{ path: 'identifier' }],
    })
  })

  it('lets a manager, but not a member, remove an entry, and records who removed it in the audit log', async () => {
    const owner = await makeCaller(app)
    const [member, manager] = [
      await makeCaller(app, 'member', owner.accountId),
      await makeCaller(app, 'manager', owner.accountId),
    ]
    await member.call('addOptOuts', { identifiers: [{ identifier: 'ada@x.example' }] })
    const removal = { identifier: 'ada@x.example' }
    await expect(member.call('removeOptOut', removal)).rejects.toMatchObject({ code: 'Forbidden' })
    await manager.call('removeOptOut', removal)
    expect(
      await app.owner`select user_id from audit_log
                       where account_id = ${owner.accountId}
                         and action = 'remove' and object_type = 'communication_opt_out'`,
    ).toEqual([{ user_id: manager.userId }])
  })

  it('detects the identifier type when the type in the input is empty', async () => {
    const caller = await makeCaller(app)
    await caller.call('addOptOuts', { identifiers: [{ identifier: 'ada@x.example', identifierType: '' }] })
    expect(await readList(caller)).toEqual(['email ada@x.example'])
  })

  it('stores each entry once when 50 requests add the same entries concurrently', async () => {
    const caller = await makeCaller(app)
    const identifiers = ['a@x.example', 'b@x.example', 'x.example', '+442079460018'].map(identifier => ({
      identifier,
    }))
    const results = await Promise.all(
      Array.from({ length: 50 }, (_, i) =>
        caller.call('addOptOuts', { identifiers: i % 2 ? identifiers : identifiers.toReversed() }),
      ),
    )
    expect(results.reduce((sum, { added }) => sum + added, 0)).toBe(4)
    expect(await readList(caller)).toHaveLength(4)
  })

  it('cannot be queried outside of its account, where it would look empty', async () => {
    const caller = await makeCaller(app)
    await expect(
      findOptOut(
        { app, sql: app.db.app, accountId: caller.accountId },
        { personId: undefined, emails: ['ada@x.example'] },
      ),
    ).rejects.toThrow('outside of its account')
  })
})

/** Makes a campaign with these people. `statuses` returns the status of each, in their order. */
async function makeCampaign(data: RawInput<'addProspectsToCampaign'>['data']) {
  const caller = await makeCaller(app)
  const { id: campaignId } = await caller.call('createCampaign', { name: 'Spring' })
  const added = await caller.call('addProspectsToCampaign', { campaignId, data })
  await app.owner`update campaigns set status = 'active', launched_at = now() where id = ${campaignId}`
  const statuses = () =>
    Promise.all(
      added.data.map(async ({ prospectId }) => {
        const { status, statusReason } = await caller.call('getProspect', { prospectId: prospectId! })
        return [status, statusReason].filter(Boolean).join(' ')
      }),
    )
  return { caller, campaignId, prospectIds: added.data.map(({ prospectId }) => prospectId!), statuses }
}

describe('opting out', () => {
  const linkedinUrl = 'https://www.linkedin.com/in/ada'
  const phone = '+442079460018'
  it.each<[string, Entry, boolean]>([
    ['the address', { identifier: 'ADA@mail.x.example' }, true],
    ['the domain', { identifier: 'mail.x.example' }, true],
    ['a parent domain', { identifier: 'x.example' }, true],
    ['the profile', { identifier: 'linkedin.com/in/ADA' }, true],
    ['the number', { identifier: phone }, true],
    ['the number, for SMS', { identifier: phone, identifierType: 'sms' }, true],
    ['the number, for WhatsApp', { identifier: phone, identifierType: 'whatsapp' }, true],
    ['a domain with the same ending', { identifier: 'l.x.example' }, false],
    ['a subdomain', { identifier: 'a.mail.x.example' }, false],
    ['another tag', { identifier: 'ada+x@mail.x.example' }, false],
    ['a chat', { identifier: 'ada@mail.x.example', identifierType: 'web_chat' }, false],
  ])('pauses only prospects that match %s', async (_, entry, isMatch) => {
    const { caller, statuses } = await makeCampaign([
      { email: 'ada@mail.x.example', linkedinUrl, phone },
      { email: 'ben@other-mail.example' },
      { email: 'cy@xx.example', phone: '+442079460019' },
    ])
    const result = await caller.call('addOptOuts', { identifiers: [entry] })
    expect(result).toMatchObject({ people: isMatch ? 1 : 0, pausedProspects: isMatch ? 1 : 0 })
    expect(await statuses()).toEqual([isMatch ? 'paused do_not_contact' : 'pending', 'pending', 'pending'])
  })

  it.each([
    ['address', 'ada@mail.old.example'],
    ['domain', 'mail.old.example'],
    ['parent domain', 'old.example'],
  ])(
    'pauses a person by the %s of a merged duplicate, and removing the entry does not resume them',
    async (_, identifier) => {
      const { caller, prospectIds, statuses } = await makeCampaign([
        { email: 'ada@new.example' },
        { email: 'ben@new.example' },
      ])
      const { personId } = await caller.call('getProspect', { prospectId: prospectIds[0]! })
      const { id: duplicateId } = await caller.call('createPerson', { email: 'ada@mail.old.example' })
      await caller.call('mergePersons', { personId, duplicateIds: [duplicateId] })
      const identifiers = [{ identifier }]
      const added = await caller.call('addOptOuts', { identifiers, expectedPeople: 1 })
      expect(added).toMatchObject({ people: 1, pausedProspects: 1 })
      expect(await statuses()).toEqual(['paused do_not_contact', 'pending'])
      await caller.call('removeOptOut', { identifier })
      expect(await statuses()).toEqual(['paused do_not_contact', 'pending'])
    },
  )

  it('changes nothing if it matches a different number of people than expected', async () => {
    const { caller, statuses } = await makeCampaign([{ email: 'a@x.example' }, { email: 'b@x.example' }])
    const identifiers = [{ identifier: 'x.example' }]
    await expect(caller.call('addOptOuts', { identifiers, expectedPeople: 1 })).rejects.toMatchObject({
      code: 'Conflict',
      message: 'The identifiers match 2 people, not 1. Nothing was changed.',
    })
    expect(await readList(caller)).toEqual([])
    expect(await statuses()).toEqual(['pending', 'pending'])
    const result = await caller.call('addOptOuts', { identifiers, expectedPeople: 2 })
    expect(result).toMatchObject({ added: 1, people: 2, pausedProspects: 2 })
  })

  it('pauses prospects in every campaign, except those that have finished', async () => {
    const data = ['a', 'b', 'c', 'd'].map(name => ({ email: `${name}@x.example` }))
    const { caller, prospectIds, statuses } = await makeCampaign(data)
    const { id: second } = await caller.call('createCampaign', { name: 'Summer' })
    await caller.call('addProspectsToCampaign', { campaignId: second, data: [data[0]!] })
    const states = ['active', 'replied', 'out_of_office', 'completed']
    for (const [i, status] of states.entries())
      await app.owner`update prospects set status = ${status} where id = ${prospectIds[i]!}`
    const result = await caller.call('addOptOuts', { identifiers: [{ identifier: 'x.example' }] })
    expect(result.pausedProspects).toBe(3)
    expect(await statuses()).toEqual([
      'paused do_not_contact',
      'replied',
      'paused do_not_contact',
      'completed',
    ])
  })

  it('does not pause prospects when pauseActiveProspects is false', async () => {
    const { caller, statuses } = await makeCampaign([{ email: 'ada@x.example' }])
    const result = await caller.call('addOptOuts', {
      identifiers: [{ identifier: 'x.example' }],
      pauseActiveProspects: false,
    })
    expect(result).toMatchObject({ added: 1, pausedProspects: 0 })
    expect(await statuses()).toEqual(['pending'])
  })

  it('completes a campaign that has nobody else to contact', async () => {
    const { caller, campaignId } = await makeCampaign([
      { email: 'ada@x.example' },
      { email: 'ben@y.example' },
    ])
    const status = async () => (await caller.call('getCampaign', { campaignId })).status
    await caller.call('addOptOuts', { identifiers: [{ identifier: 'x.example' }] })
    expect(await status()).toBe('active')
    await caller.call('addOptOuts', { identifiers: [{ identifier: 'y.example' }] })
    expect(await status()).toBe('completed')
  })

  it('changes nothing in another account', async () => {
    const one = await makeCampaign([{ email: 'ada@x.example' }])
    const two = await makeCampaign([{ email: 'ada@x.example' }])
    await one.caller.call('addOptOuts', { identifiers: [{ identifier: 'x.example' }] })
    expect(await two.statuses()).toEqual(['pending'])
    expect(await readList(two.caller)).toEqual([])
  })
})

/** Gives a person an address of a merged duplicate. */
const addAlias = ({ accountId }: Caller, personId: string, email: string) => app.owner`
  insert into person_aliases (account_id, kind, value, person_id, duplicate_id)
  values (${accountId}, 'email', ${email}, ${personId}, ${personId})`

describe('a message that is being sent during an opt-out', () => {
  /** Makes a send to ada@x.example whose final dot may have been sent. */
  async function makeReleasedSend(state = 'dot_pending', isManual = false) {
    const { caller, prospectIds } = await makeCampaign([
      { email: 'ada@x.example', linkedinUrl: 'linkedin.com/in/ada' },
    ])
    const rep = await caller.call('createRep', { name: 'Rep' })
    const box = await caller.call('createMailbox', {
      repId: rep.id,
      kind: 'sandbox',
      email: 'rep@acme.example',
    })
    const [threadId, messageId] = [randomUUIDv7(), randomUUIDv7()]
    const { accountId } = caller
    const { personId } = await caller.call('getProspect', { prospectId: prospectIds[0]! })
    await addAlias(caller, personId, 'ada@old.example')
    if (isManual)
      await caller.call('createPerson', {
        email: 'ada@home.example',
        linkedinUrl: 'linkedin.com/in/ada-home',
      })
    await app.owner.begin(async sql => {
      await sql`insert into email_threads (account_id, id, subject) values (${accountId}, ${threadId}, 'Hello')`
      await sql`
        insert into email_messages (account_id, id, thread_id, prospect_id, type, subject, body, recipients, message_id, sent_at)
        values (${accountId}, ${messageId}, ${threadId}, ${prospectIds[0]!}, ${isManual ? 'manual' : 'campaign'}, 'Hello',
                'Hi', '{"to":[]}', 'm@x', now())`
      await sql`
        insert into email_sends (account_id, message_id, mailbox_id, prospect_id, state, recipient_emails)
        values (${accountId}, ${messageId}, ${box.id}, ${isManual ? null : prospectIds[0]!}, ${state},
                ${[isManual ? 'ada@home.example' : 'ada@x.example']})`
    })
    return { caller, messageId }
  }

  const lock = (sql: Sql) => sql`lock table email_sends in access exclusive mode`

  /** Returns once `count` transactions are waiting for the lock. */
  async function waitForWaiters(sql: Sql, count: number): Promise<void> {
    const waiting = () => sql`
      select from pg_locks
       where relation = 'email_sends'::regclass and not granted
         and database = (select oid from pg_database where datname = current_database())`
    while ((await waiting()).length < count);
  }

  /** Runs `work`, and ends the message between the two times that `work` counts the sends in flight. */
  async function endBetweenCounts<T>(messageId: string, state: string, work: () => Promise<T>): Promise<T> {
    // Table locks are granted in order: first count, ending, second count.
    const { result, ending } = await app.owner.begin(async first => {
      await lock(first)
      const result = work()
      await waitForWaiters(first, 1)
      const ending = app.owner.begin(async second => {
        await lock(second)
        await second`update email_sends set state = ${state} where message_id = ${messageId}`
      })
      await waitForWaiters(first, 2)
      return { result, ending }
    })
    await ending
    return result
  }

  it.each([
    ['x.example', 'sent', 1],
    ['ada@x.example', 'unconfirmed', 1],
    ['linkedin.com/in/ada', 'sent', 1],
    ['ada@old.example', 'sent', 1],
    ['ada@x.example', 'refused', 0],
  ])('delays the response to opting out %s until it has ended as %s', async (identifier, state, inFlight) => {
    const { caller, messageId } = await makeReleasedSend()
    const result = await endBetweenCounts(messageId, state, () =>
      caller.call('addOptOuts', { identifiers: [{ identifier }] }),
    )
    expect(result).toMatchObject({ added: 1, inFlight })
  })

  it('is reported after five seconds, and a repeated request gets the same response from then on', async () => {
    const { caller } = await makeReleasedSend()
    const input = { identifiers: [{ identifier: 'ada@x.example' }] }
    const { response } = await app.owner.begin(async sql => {
      await lock(sql)
      const response = caller.call('addOptOuts', input, 'key')
      await waitForWaiters(sql, 1)
      await expect(caller.call('addOptOuts', input, 'key')).rejects.toMatchObject({ code: 'Conflict' })
      return { response }
    })
    const first = await response
    expect(first).toMatchObject({ added: 1, inFlight: 1 })
    expect(await caller.call('addOptOuts', input, 'key')).toEqual(first)
  })

  it.each([
    'ada@x.example',
    'linkedin.com/in/ada',
    'x.example',
    'ada@old.example',
    'ada@home.example',
    'linkedin.com/in/ada-home',
  ])('is reported when %s opts out, even when a rep wrote it to another address', async identifier => {
    const { caller, messageId } = await makeReleasedSend('dot_pending', true)
    const result = await endBetweenCounts(messageId, 'sent', () =>
      caller.call('addOptOuts', { identifiers: [{ identifier }] }),
    )
    expect(result).toMatchObject({ added: 1, inFlight: 1 })
  })

  it('is not reported when it goes to someone else or has not passed the gate', async () => {
    const { caller } = await makeReleasedSend()
    const others = [{ identifier: 'ben@x.example' }, { identifier: 'y.example' }]
    expect((await caller.call('addOptOuts', { identifiers: others })).inFlight).toBe(0)
    const { caller: second } = await makeReleasedSend('claimed')
    const result = await second.call('addOptOuts', { identifiers: [{ identifier: 'ada@x.example' }] })
    expect(result.inFlight).toBe(0)
  })
})

describe('a call that was placed before its person opted out', () => {
  const placeCall = (caller: Caller, call: Record<string, unknown>) => app.owner`
    insert into calls ${app.owner.rows({
      account_id: caller.accountId,
      id: randomUUIDv7(),
      from_number: '+442079460018',
      to_number: '+442079460990',
      call_type: 'outbound',
      ...call,
    })}`

  it.each([
    ['+442079460990', 'in_progress', null, 1],
    ['ada@x.example', 'dialing', null, 1],
    ['x.example', 'in_progress', null, 1],
    ['ada@old.example', 'dialing', null, 1],
    ['+442079460990', 'ended', 'refused', 0],
    ['+442079460991', 'in_progress', null, 0],
  ])(
    'counts as in flight only if it matches and has not ended (%s, status %s, outcome %s: %i)',
    async (identifier, status, outcome, inFlight) => {
      const caller = await makeCaller(app)
      const { id: personId } = await caller.call('createPerson', { email: 'ada@x.example' })
      await addAlias(caller, personId, 'ada@old.example')
      await placeCall(caller, { status, outcome, person_email: 'ada@x.example', person_id: personId })
      expect(await caller.call('addOptOuts', { identifiers: [{ identifier }] })).toMatchObject({ inFlight })
    },
  )

  it('counts as in flight when the person was added after the call', async () => {
    const caller = await makeCaller(app)
    await placeCall(caller, { status: 'in_progress' })
    await caller.call('createPerson', { email: 'ada@x.example', phone: '+442079460990' })
    const identifiers = [{ identifier: 'ada@x.example' }]
    expect(await caller.call('addOptOuts', { identifiers })).toMatchObject({ inFlight: 1 })
  })

  it('does not count for another person with the same number', async () => {
    const caller = await makeCaller(app)
    const { id: personId } = await caller.call('createPerson', {
      email: 'ada@x.example',
      phone: '+442079460990',
    })
    await caller.call('createPerson', { email: 'ben@x.example', phone: '+442079460990' })
    await placeCall(caller, { status: 'in_progress', person_id: personId })
    const identifiers = [{ identifier: 'ben@x.example' }]
    expect(await caller.call('addOptOuts', { identifiers })).toMatchObject({ inFlight: 0 })
  })

  it.each(['sms', 'whatsapp'] as const)('counts as in flight when the number opts out of %s', async kind => {
    const caller = await makeCaller(app)
    await placeCall(caller, { status: 'in_progress' })
    const identifiers = [{ identifier: '+442079460990', identifierType: kind }]
    expect(await caller.call('addOptOuts', { identifiers })).toMatchObject({ inFlight: 1 })
  })
})
