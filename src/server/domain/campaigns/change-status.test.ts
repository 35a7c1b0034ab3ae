import { randomUUIDv7 } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Caller, makeCaller, openTestApp, type TestApp } from '../../../../test/support/app.ts'
import { inAccount } from '../../kernel/context.ts'
import { completeCampaign } from '../prospects/complete-campaign.ts'
import { setCampaignHealth } from './change-status.ts'

let app: TestApp
let admin: Caller
let repId: string
beforeAll(async () => {
  app = await openTestApp()
  admin = await makeCaller(app, 'admin')
  repId = (await admin.call('createRep', { name: 'Grace' })).id
  await admin.call('createMailbox', { repId, kind: 'sandbox', email: 'grace@navy.example' })
  await admin.call('updateAccount', { postalAddress: '1 Mill Lane', optOutLine: 'Answer stop' })
})
afterAll(() => app[Symbol.asyncDispose]())

const step = { subject: 'Hello', body: 'Hi {{ firstName }}' }

const makeCampaign = async (more: { settings?: { isEvergreen: boolean } } = {}): Promise<string> =>
  (await admin.call('createCampaign', { name: 'Spring', repIds: [repId], steps: [step], ...more })).id

const makeLaunched = async (more: Parameters<typeof makeCampaign>[0] = {}): Promise<string> => {
  const campaignId = await makeCampaign(more)
  await admin.call('launchCampaign', { campaignId })
  return campaignId
}

const conflictWith = (state: string) => ({ code: 'Conflict', message: expect.stringContaining(state) })

describe('launching', () => {
  it('activates a complete draft', async () => {
    const launched = await admin.call('launchCampaign', { campaignId: await makeCampaign() })
    expect(launched.status).toBe('active')
    expect(launched.launchedAt).toBeDefined()
  })

  it('reports everything that is missing and keeps the draft unchanged', async () => {
    const owner = await makeCaller(app, 'owner')
    const { id: campaignId } = await owner.call('createCampaign', { name: 'Bare' })
    await expect(owner.call('launchCampaign', { campaignId })).rejects.toMatchObject({
      code: 'Conflict',
      message: expect.stringMatching(/draft: it has no step/),
      details: [
        { path: 'steps' },
        { path: 'repIds' },
        { path: 'account.postalAddress' },
        { path: 'account.optOutLine' },
      ],
    })
    expect((await owner.call('getCampaign', { campaignId })).status).toBe('draft')
  })

  it('needs a working mailbox', async () => {
    const rep = await admin.call('createRep', { name: 'No mailbox' })
    await admin.call('createMailbox', {
      repId: rep.id,
      kind: 'smtp',
      email: 'unverified@navy.example',
      smtp: { host: 'smtp.navy.example', port: 587, tls: 'starttls' },
    })
    const { id: campaignId } = await admin.call('createCampaign', {
      name: 'a',
      repIds: [rep.id],
      steps: [step],
    })
    await expect(admin.call('launchCampaign', { campaignId })).rejects.toMatchObject({
      code: 'Conflict',
      details: [{ path: 'repIds', message: expect.stringContaining('mailbox') }],
    })
  })
})

describe('status transitions', () => {
  it('resume a campaign only if it has a rep', async () => {
    const campaignId = await makeLaunched()
    await admin.call('pauseCampaign', { campaignId })
    await admin.call('updateCampaign', { campaignId, repIds: [] })
    await expect(admin.call('resumeCampaign', { campaignId })).rejects.toMatchObject(conflictWith('no rep'))
    await admin.call('updateCampaign', { campaignId, repIds: [repId] })
    expect((await admin.call('resumeCampaign', { campaignId })).status).toBe('active')
  })

  it('pause and resume a campaign and keep its launch time', async () => {
    const campaignId = await makeLaunched()
    const { launchedAt } = await admin.call('getCampaign', { campaignId })
    expect((await admin.call('pauseCampaign', { campaignId })).status).toBe('paused')
    expect(await admin.call('resumeCampaign', { campaignId })).toMatchObject({ status: 'active', launchedAt })
  })

  it('are rejected with an error that names the current status', async () => {
    const campaignId = await makeCampaign()
    await expect(admin.call('pauseCampaign', { campaignId })).rejects.toMatchObject(conflictWith('draft'))
    await expect(admin.call('resumeCampaign', { campaignId })).rejects.toMatchObject(conflictWith('draft'))
    await admin.call('launchCampaign', { campaignId })
    await expect(admin.call('launchCampaign', { campaignId })).rejects.toMatchObject(conflictWith('active'))
    await expect(admin.call('resumeCampaign', { campaignId })).rejects.toMatchObject(conflictWith('active'))
    await expect(admin.call('archiveCampaign', { campaignId })).rejects.toMatchObject(conflictWith('active'))
    await expect(admin.call('unarchiveCampaign', { campaignId })).rejects.toMatchObject(
      conflictWith('active'),
    )
  })

  it('are rejected while the campaign is archived; archiving keeps its status', async () => {
    const campaignId = await makeLaunched()
    await admin.call('pauseCampaign', { campaignId })
    expect(await admin.call('archiveCampaign', { campaignId })).toMatchObject({
      isArchived: true,
      status: 'paused',
    })
    await expect(admin.call('resumeCampaign', { campaignId })).rejects.toMatchObject(conflictWith('archived'))
    await expect(admin.call('archiveCampaign', { campaignId })).rejects.toMatchObject(
      conflictWith('archived'),
    )
    expect(await admin.call('unarchiveCampaign', { campaignId })).toMatchObject({
      isArchived: false,
      status: 'paused',
    })
  })

  it('launch a campaign only once when requests are concurrent', async () => {
    const campaignId = await makeCampaign()
    const results = await Promise.allSettled(
      [1, 2, 3].map(() => admin.call('launchCampaign', { campaignId })),
    )
    expect(results.filter(result => result.status === 'fulfilled')).toHaveLength(1)
  })
})

it('an active campaign must keep at least one rep', async () => {
  const campaignId = await makeLaunched()
  await expect(admin.call('updateCampaign', { campaignId, repIds: [] })).rejects.toMatchObject(
    conflictWith('active'),
  )
})

describe('completion by the engine', () => {
  const inTransaction = <T>(work: Parameters<typeof inAccount<T>>[2]) =>
    inAccount(app.db.app, admin.accountId, work)
  const addProspect = async (campaignId: string, status: string, reason: string | null = null) => {
    const id = randomUUIDv7()
    const nextStepAt = status === 'pending' ? new Date() : null
    await app.owner`insert into persons (account_id, id, email) values (${admin.accountId}, ${id}, ${`${id}@a.example`})`
    await app.owner`
      insert into prospects (account_id, id, campaign_id, person_id, status, status_reason, next_step_at)
      values (${admin.accountId}, ${id}, ${campaignId}, ${id}, ${status}, ${reason}, ${nextStepAt})`
  }
  const statusAfter = async (campaignId: string) => {
    await inTransaction(tx => completeCampaign(tx, campaignId))
    return (await admin.call('getCampaign', { campaignId })).status
  }

  it('happens once every prospect has ended', async () => {
    const campaignId = await makeLaunched()
    expect(await statusAfter(campaignId)).toBe('active')
    await addProspect(campaignId, 'completed')
    await addProspect(campaignId, 'paused', 'do_not_contact')
    await addProspect(campaignId, 'pending')
    expect(await statusAfter(campaignId)).toBe('active')
    await app.owner`
      update prospects set status = 'replied', next_step_at = null
       where campaign_id = ${campaignId} and status = 'pending'`
    expect(await statusAfter(campaignId)).toBe('completed')
    expect((await admin.call('resumeCampaign', { campaignId })).status).toBe('active')
  })

  it('waits for a prospect that a user paused', async () => {
    const campaignId = await makeLaunched()
    await addProspect(campaignId, 'paused', 'by_hand')
    expect(await statusAfter(campaignId)).toBe('active')
  })

  it.each(['no_email', 'missing_variable: company', 'template: unknown filter'])(
    'waits for a failed prospect that can be retried: %s',
    async reason => {
      const campaignId = await makeLaunched()
      await addProspect(campaignId, 'failed', reason)
      expect(await statusAfter(campaignId)).toBe('active')
    },
  )

  it('does not happen to evergreen or paused campaigns', async () => {
    const evergreen = await makeLaunched({ settings: { isEvergreen: true } })
    await addProspect(evergreen, 'completed')
    expect(await statusAfter(evergreen)).toBe('active')
    const paused = await makeLaunched()
    await addProspect(paused, 'completed')
    await admin.call('pauseCampaign', { campaignId: paused })
    expect(await statusAfter(paused)).toBe('paused')
  })

  it('happens immediately when a finished campaign is resumed or is no longer evergreen', async () => {
    const paused = await makeLaunched()
    await addProspect(paused, 'pending')
    await admin.call('pauseCampaign', { campaignId: paused })
    expect((await admin.call('resumeCampaign', { campaignId: paused })).status).toBe('active')
    await admin.call('pauseCampaign', { campaignId: paused })
    await app.owner`update prospects set status = 'replied', next_step_at = null where campaign_id = ${paused}`
    expect((await admin.call('resumeCampaign', { campaignId: paused })).status).toBe('completed')

    const evergreen = await makeLaunched({ settings: { isEvergreen: true } })
    await addProspect(evergreen, 'completed')
    const setEvergreen = (isEvergreen: boolean) =>
      admin.call('updateCampaign', { campaignId: evergreen, settings: { isEvergreen } })
    expect((await setEvergreen(true)).status).toBe('active')
    expect((await setEvergreen(false)).status).toBe('completed')
  })
})

it('the health of a campaign shows a problem until it is solved', async () => {
  const campaignId = await makeLaunched()
  const setHealth = (health: string | null) =>
    inAccount(app.db.app, admin.accountId, tx => setCampaignHealth(tx, campaignId, health))
  await setHealth('No mailbox works')
  expect((await admin.call('getCampaign', { campaignId })).health).toBe('No mailbox works')
  await setHealth(null)
  expect((await admin.call('getCampaign', { campaignId })).health).toBeUndefined()
})

describe('steps of a launched campaign', () => {
  it('may include their first email only with a mailbox, a postal address and an opt-out line', async () => {
    const owner = await makeCaller(app, 'owner')
    const rep = await owner.call('createRep', { name: 'Grace' })
    const view = { channel: 'linkedin_view' } as const
    const { id: campaignId } = await owner.call('createCampaign', {
      ...{ name: 'LinkedIn', repIds: [rep.id], steps: [view] },
    })
    await owner.call('launchCampaign', { campaignId })
    const addEmail = () => owner.call('setCampaignSteps', { campaignId, steps: [view, step] })
    await expect(addEmail()).rejects.toMatchObject({
      code: 'Conflict',
      details: [{ path: 'repIds' }, { path: 'account.postalAddress' }, { path: 'account.optOutLine' }],
    })
    expect((await owner.call('getCampaign', { campaignId })).steps).toHaveLength(1)
    await owner.call('createMailbox', { repId: rep.id, kind: 'sandbox', email: 'grace@linkedin.example' })
    await owner.call('updateAccount', { postalAddress: '1 Mill Lane', optOutLine: 'Answer stop' })
    expect((await addEmail()).steps).toHaveLength(2)
  })

  it('can still be changed after a mailbox has failed', async () => {
    const campaignId = await makeLaunched()
    await app.owner`update mailboxes set status = 'failing' where rep_id = ${repId}`
    const changed = { ...step, body: 'Dear {{ firstName }}' }
    expect(await admin.call('setCampaignSteps', { campaignId, steps: [changed] })).toMatchObject({
      steps: [{ variants: [{ body: 'Dear {{ firstName }}' }] }],
    })
    await app.owner`update mailboxes set status = 'active' where rep_id = ${repId}`
  })
})
