import { randomUUIDv7 } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { makeCaller, openTestApp, type TestApp } from '../../../../test/support/app.ts'
import { makeDueCampaign } from '../../../../test/support/campaigns/due-campaign.ts'
import { inAccountTransaction } from '../../../../test/support/campaigns/inbox.ts'
import { listTasks, makeTaskCampaign } from '../../../../test/support/campaigns/task-campaign.ts'
import { planOnce } from '../../../../test/support/campaigns/tick.ts'
import { makeMailCampaign, openWorker } from '../../../../test/support/mail/mail-campaign.ts'
import { ScriptedSmtp } from '../../../../test/support/mail/scripted-smtp.ts'
import { markReplied } from './in-touch.ts'
import { endOptedOutProspects } from './stop-opted-out.ts'

const start = new Date('2026-11-23T12:00:00.000Z')
const DAY_MS = 24 * 3_600_000
const steps = [
  { subject: 'Hello', body: 'Hi' },
  { delay: { amount: 2, unit: 'days' as const }, body: 'Still there?' },
]

let app: TestApp
let server: ScriptedSmtp
beforeAll(async () => {
  app = await openTestApp({ ALLOW_PRIVATE_HOSTS: '127.0.0.1' })
  server = await ScriptedSmtp.open()
})
afterAll(async () => {
  await server[Symbol.asyncDispose]()
  await app[Symbol.asyncDispose]()
})

/** Creates an active campaign with two steps, sent through a real SMTP server. */
async function makeRunningCampaign(people: number) {
  const campaign = await makeMailCampaign(app, [server], people, steps)
  const ids = (await campaign.prospects()).map(({ id }) => id)
  return { ...campaign, ids }
}

const countEmails = async (campaignId: string) =>
  (await app.owner`select from email_messages where campaign_id = ${campaignId} and status = 'sent'`).count

describe('stopping prospects', () => {
  it('ends their sequences permanently, and completes the campaign when no prospect is left', async () => {
    app.setNow(start)
    const { owner, campaignId, ids } = await makeRunningCampaign(3)
    await using worker = openWorker(app)
    await worker.work()
    expect(await countEmails(campaignId)).toBe(3)
    const response = await owner.call('stopProspects', { prospectIds: [ids[1]!, ids[0]!], expectedPeople: 2 })
    expect(response).toMatchObject({ total: 2, stopped: 2, removed: 0, skipped: 0, inFlight: 0 })
    expect(response.data.map(({ prospectId, outcome }) => [prospectId, outcome])).toEqual([
      [ids[1], 'stopped'],
      [ids[0], 'stopped'],
    ])
    const stopped = await owner.call('getProspect', { prospectId: ids[0]! })
    expect(stopped).toMatchObject({ status: 'stopped', statusReason: 'manual', step: 1 })
    expect(stopped.next).toBeUndefined()
    await worker.workAfter(3 * DAY_MS)
    expect(await countEmails(campaignId)).toBe(4)
    expect((await owner.call('getCampaign', { campaignId })).status).toBe('completed')
    for (const operation of ['pauseProspect', 'resumeProspect'] as const)
      await expect(owner.call(operation, { prospectId: ids[0]! })).rejects.toMatchObject({ code: 'Conflict' })
    const [entry] = (await owner.call('listAuditLog', { limit: 100 })).data.filter(
      ({ action, auditedId }) => action === 'stop' && auditedId === ids[0],
    )
    expect(entry).toMatchObject({ auditedType: 'prospect' })
  })

  it('completes the campaign when its last prospects are stopped', async () => {
    app.setNow(start)
    const { owner, campaignId, ids } = await makeDueCampaign(app, 2)
    await owner.call('pauseProspect', { prospectId: ids[0]! })
    await owner.call('stopProspects', { prospectIds: ids })
    expect((await owner.call('getCampaign', { campaignId })).status).toBe('completed')
  })

  it('withdraws queued emails and deletes their messages', async () => {
    app.setNow(start)
    const { owner, campaignId, ids } = await makeRunningCampaign(2)
    await planOnce(app)
    expect((await app.owner`select from email_sends where campaign_id = ${campaignId}`).count).toBe(2)
    await owner.call('stopProspects', { prospectIds: [ids[0]!] })
    expect((await app.owner`select from email_messages where prospect_id = ${ids[0]!}`).count).toBe(0)
    await using worker = openWorker(app)
    await worker.workAfter(DAY_MS)
    expect(await countEmails(campaignId)).toBe(1)
  })

  it('cancels open tasks of the sequence', async () => {
    app.setNow(start)
    const campaign = await makeTaskCampaign(app, [{ channel: 'linkedin_view' }])
    await campaign.owner.call('stopProspects', { prospectIds: campaign.prospectIds, mode: 'remove' })
    expect(await listTasks(campaign)).toMatchObject([
      { status: 'cancelled', statusReason: 'prospect_stopped' },
    ])
  })

  it('does not change prospects that had already ended', async () => {
    const { owner, ids } = await makeDueCampaign(app, 2)
    await app.owner`update prospects set status = 'replied', next_step_at = null where id = ${ids[0]!}`
    const response = await owner.call('stopProspects', { prospectIds: ids, expectedPeople: 1 })
    expect(response.data.map(({ outcome }) => outcome)).toEqual(['already_ended', 'stopped'])
    expect((await owner.call('getProspect', { prospectId: ids[0]! })).status).toBe('replied')
    expect((await owner.call('stopProspects', { prospectIds: ids })).skipped).toBe(2)
    await expect(owner.call('stopProspects', { prospectIds: ids, expectedPeople: 2 })).rejects.toMatchObject({
      message: 'No prospects were stopped: none of them has an unfinished sequence.',
    })
  })

  it('ends prospects that lack a value, so that nobody is contacted once it is set', async () => {
    app.setNow(start)
    const { owner, ids } = await makeDueCampaign(app, 1, undefined, {
      steps: [{ subject: 'Hello', body: 'Hi {{ firstName | default: "you" }}' }],
    })
    await app.owner`
      update prospects set status = 'failed', status_reason = 'missing_variable: firstName', next_step_at = null
       where id = ${ids[0]!}`
    await owner.call('stopProspects', { prospectIds: ids })
    const { personId } = await owner.call('getProspect', { prospectId: ids[0]! })
    await owner.call('updatePerson', { personId, firstName: 'Ada' })
    expect((await owner.call('getProspect', { prospectId: ids[0]! })).status).toBe('stopped')
  })

  it('changes nothing if it would affect a different number of people than expected', async () => {
    const { owner, ids } = await makeDueCampaign(app, 2)
    await expect(
      owner.call('stopProspects', { prospectIds: ids, mode: 'remove', expectedPeople: 3 }),
    ).rejects.toMatchObject({ code: 'Conflict', message: expect.stringContaining('2 instead of 3 people') })
    expect((await owner.call('getProspect', { prospectId: ids[0]! })).status).toBe('pending')
  })

  it('rejects unknown and repeated IDs and those of another account, naming their positions', async () => {
    const { owner, ids } = await makeDueCampaign(app, 1)
    const other = await makeDueCampaign(app, 1)
    for (const id of [randomUUIDv7(), other.ids[0]!])
      await expect(owner.call('stopProspects', { prospectIds: [ids[0]!, id] })).rejects.toMatchObject({
        code: 'ValidationError',
        details: [{ path: 'prospectIds.1', message: expect.stringContaining('in this account') }],
      })
    await expect(
      owner.call('stopProspects', { prospectIds: [ids[0]!, ids[0]!.toUpperCase()] }),
    ).rejects.toMatchObject({ details: [{ path: 'prospectIds.1', message: 'must not be repeated' }] })
  })

  it('rejects a request with neither prospects nor a company, and one with both', async () => {
    const { owner, ids } = await makeDueCampaign(app, 1)
    for (const selection of [{}, { prospectIds: ids, companyId: randomUUIDv7() }])
      await expect(owner.call('stopProspects', selection)).rejects.toMatchObject({
        details: [
          { path: 'prospectIds', message: 'exactly one of `prospectIds` and `companyId` is required' },
        ],
      })
  })

  it('keeps those who booked a meeting before they were contacted, even in the mode `remove`', async () => {
    app.setNow(start)
    const { owner, campaignId, ids } = await makeDueCampaign(app, 1)
    await owner.call('recordMeeting', { prospectId: ids[0]!, startsAt: '2026-12-01T09:00:00Z' })
    const response = await owner.call('stopProspects', { prospectIds: ids, mode: 'remove' })
    expect(response).toMatchObject({ removed: 0, skipped: 1 })
    expect(await owner.call('getCampaignStats', { campaignId })).toMatchObject({ enrolled: 1, meetings: 1 })
  })

  it('lets the status of stopped prospects change to replied or opted out later', async () => {
    const { owner, ids } = await makeDueCampaign(app, 2)
    await owner.call('stopProspects', { prospectIds: ids })
    const { person } = await owner.call('getProspect', { prospectId: ids[1]! })
    const entries = [{ kind: 'email' as const, value: person!.email! }]
    await inAccountTransaction(app, owner, async sql => {
      await markReplied(sql, ids[0]!, null)
      await endOptedOutProspects({ sql, accountId: owner.accountId }, entries, 'link')
    })
    const statuses = await Promise.all(
      ids.map(async prospectId => (await owner.call('getProspect', { prospectId })).status),
    )
    expect(statuses).toEqual(['replied', 'opted_out'])
  })
})

describe('removing prospects', () => {
  it('deletes those who were never contacted and stops the others', async () => {
    app.setNow(start)
    const { owner, campaignId, ids } = await makeRunningCampaign(1)
    await using worker = openWorker(app)
    await worker.work()
    const { data } = await owner.call('addProspectsToCampaign', {
      campaignId,
      data: [{ email: 'ben@x.example' }],
    })
    const added = data[0]!
    await planOnce(app)
    const response = await owner.call('stopProspects', {
      prospectIds: [ids[0]!, added.prospectId!],
      mode: 'remove',
      expectedPeople: 2,
    })
    expect(response).toMatchObject({ stopped: 1, removed: 1, skipped: 0 })
    expect(response.data.map(({ outcome }) => outcome)).toEqual(['stopped', 'removed'])
    await expect(owner.call('getProspect', { prospectId: added.prospectId! })).rejects.toMatchObject({
      code: 'NotFound',
    })
    await owner.call('getPerson', { personId: added.personId! })
    expect(await owner.call('getCampaignStats', { campaignId })).toMatchObject({ enrolled: 1, sent: 1 })
    const types = ['prospect.removed', 'prospect.stopped'] as const
    // Events are listed once no older transaction is open.
    const events = await vi.waitFor(
      async () => {
        const { data } = await owner.call('listEvents', { types: [...types] })
        expect(data.map(({ type }) => type)).toEqual(types)
        return data
      },
      { timeout: 180_000, interval: 100 },
    )
    expect(events[0]!.data).toEqual({ id: added.prospectId, objectType: 'prospect' })
    await worker.workAfter(3 * DAY_MS)
    expect(await countEmails(campaignId)).toBe(1)
    await expect(
      owner.call('addProspectsToCampaign', { campaignId, data: [{ email: 'ben@x.example' }] }),
    ).rejects.toMatchObject({ message: expect.stringContaining('completed') })
  })

  it('allows people to be added to a draft again', async () => {
    const caller = await makeCaller(app)
    const { id: campaignId } = await caller.call('createCampaign', { name: 'Spring' })
    const add = async () =>
      (await caller.call('addProspectsToCampaign', { campaignId, data: [{ email: 'ada@x.example' }] }))
        .data[0]!
    const { prospectId } = await add()
    expect(await caller.call('stopProspects', { prospectIds: [prospectId!], mode: 'remove' })).toMatchObject({
      removed: 1,
    })
    expect((await add()).outcome).toBe('added')
  })

  it('is refused by the database for prospects that emails refer to', async () => {
    app.setNow(start)
    const { owner, ids } = await makeRunningCampaign(1)
    await using worker = openWorker(app)
    await worker.work()
    const deleted = await app.db.app.begin(async tx => {
      await tx`select set_config('app.account_id', ${owner.accountId}, true)`
      return tx`delete from prospects where account_id = ${owner.accountId} and id = ${ids[0]!}`
    })
    expect(deleted.count).toBe(0)
  })
})
