import { randomUUIDv7 } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Caller, makeCaller, openTestApp, type TestApp } from '../../../../test/support/app.ts'
import { exportKinds } from '../../../contract/exports.ts'
import { type ExportKind, openExport } from './export-rows.ts'

let app: TestApp
beforeAll(async () => {
  app = await openTestApp()
})
afterAll(() => app[Symbol.asyncDispose]())

const read = async (caller: Caller, kind: ExportKind, options: { campaignId?: string } = {}) => {
  const { pages } = await openExport(caller.context, kind, options)
  return (await Array.fromAsync(pages)).flat()
}

const addPersons = (accountId: string, prefix: string, count: number) => app.owner`
  insert into persons (account_id, id, email)
  select ${accountId}, gen_random_uuid(), ${prefix}::text || i || '@many.example' from generate_series(1, ${count}::int) i`

/** Creates a message of the account, sent by this rep. */
const makeMessage = async (accountId: string, repId: string | null, sentAt: string) => {
  const [threadId, id] = [randomUUIDv7(), randomUUIDv7()]
  const recipients = { to: [{ email: 'ada@one.example' }, { email: 'bo@two.example' }], cc: [] }
  await app.owner`insert into email_threads (account_id, id, subject) values (${accountId}, ${threadId}, 'Hi')`
  await app.owner`
    insert into email_messages (account_id, id, thread_id, rep_id, type, status, subject, body, sender, recipients, message_id, sent_at)
    values (${accountId}, ${id}, ${threadId}, ${repId}, 'manual', 'sent', 'Hi', 'Hello', ${app.owner.json({ name: 'Grace', email: 'grace@acme.example' })},
            ${app.owner.json(recipients)}, ${`<${id}@acme.example>`}, ${sentAt})`
  return id
}

describe('an export', () => {
  it('contains every row once over many pages', async () => {
    const owner = await makeCaller(app)
    // All created at the same instant, so that only the ID separates pages.
    await addPersons(owner.accountId, 'a', 2500)
    const rows = await read(owner, 'persons')
    expect(new Set(rows.map(row => row.email)).size).toBe(2500)
    expect(rows).toHaveLength(2500)
  })

  it('contains the rows that existed at its start, and ends even if rows are added all the time', async () => {
    const owner = await makeCaller(app)
    await addPersons(owner.accountId, 'a', 1500)
    const { pages } = await openExport(owner.context, 'persons')
    const found = []
    let round = 0
    for await (const page of pages) {
      found.push(...page)
      await addPersons(owner.accountId, `later${round++}-`, 1000)
    }
    expect(found).toHaveLength(1500)
  })

  it('contains nothing from other accounts', async () => {
    const [owner, rival] = [await makeCaller(app), await makeCaller(app)]
    await addPersons(rival.accountId, 'a', 3)
    await makeMessage(rival.accountId, null, '2026-11-20T09:00:00Z')
    await rival.call('addOptOuts', { identifiers: [{ identifier: 'x.example' }] })
    for (const kind of exportKinds) {
      expect(await read(owner, kind), kind).toEqual([])
      expect((await openExport(owner.context, kind)).columns, kind).toContain('id')
    }
  })

  it('can be limited to a campaign', async () => {
    const owner = await makeCaller(app)
    const [spring, autumn] = [
      await owner.call('createCampaign', { name: 'Spring' }),
      await owner.call('createCampaign', { name: 'Autumn' }),
    ]
    for (const [campaign, email] of [
      [spring, 'ada@one.example'],
      [autumn, 'bo@two.example'],
    ] as const) {
      await owner.call('addProspectsToCampaign', {
        campaignId: campaign.id,
        data: [{ firstName: 'A', email }],
      })
    }
    expect(await read(owner, 'prospects')).toHaveLength(2)
    expect(await read(owner, 'prospects', { campaignId: spring.id })).toMatchObject([
      { campaign: 'Spring', email: 'ada@one.example', firstName: 'A', status: 'pending' },
    ])
  })

  it('contains the due time of the next step only for prospects who will still be contacted', async () => {
    const owner = await makeCaller(app)
    const { id: campaignId } = await owner.call('createCampaign', { name: 'Spring' })
    await owner.call('addProspectsToCampaign', { campaignId, data: [{ email: 'ada@one.example' }] })
    const isDueShown = async () => (await read(owner, 'prospects'))[0]!.nextStepAt !== null
    expect(await isDueShown()).toBe(false)
    await app.owner`update campaigns set status = 'active', launched_at = now() where id = ${campaignId}`
    expect(await isDueShown()).toBe(true)
    await app.owner`update prospects set status = 'paused' where campaign_id = ${campaignId}`
    expect(await isDueShown()).toBe(false)
  })

  it('contains, for a member, only the messages of their own reps', async () => {
    const owner = await makeCaller(app)
    const member = await makeCaller(app, 'member', owner.accountId)
    const own = await member.call('createRep', { name: 'Mine' })
    const other = await owner.call('createRep', { name: 'Theirs' })
    const first = await makeMessage(owner.accountId, own.id, '2026-11-20T09:00:00Z')
    const second = await makeMessage(owner.accountId, other.id, '2026-11-20T10:00:00Z')
    expect((await read(owner, 'messages')).map(row => row.id)).toEqual([first, second])
    expect(await read(member, 'messages')).toMatchObject([
      {
        id: first,
        rep: 'Mine',
        from: 'grace@acme.example',
        fromName: 'Grace',
        to: 'ada@one.example, bo@two.example',
        cc: null,
        sentAt: '2026-11-20T09:00:00.000Z',
      },
    ])
  })
})
