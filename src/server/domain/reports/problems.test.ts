import { randomUUIDv7 } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  type Caller,
  createCaller,
  makeCaller,
  openTestApp,
  type TestApp,
} from '../../../../test/support/app.ts'
import { planAll } from '../../../../test/support/campaigns/task-campaign.ts'

let app: TestApp
beforeAll(async () => {
  app = await openTestApp()
})
afterAll(() => app[Symbol.asyncDispose]())

const list = async (caller: Caller) => (await caller.call('listProblems', {})).data

/** Creates an account with an active email campaign of two people, whose rep has a sandbox mailbox. */
async function makeCampaign({ body = 'Hi' } = {}) {
  const owner = await makeCaller(app)
  await owner.call('updateAccount', { postalAddress: '12 St James Square', optOutLine: 'Reply stop.' })
  const { id: repId } = await owner.call('createRep', { name: 'Ada Byron' })
  const { id: mailboxId } = await owner.call('createMailbox', {
    repId,
    kind: 'sandbox',
    email: `ada-${repId}@acme.example`,
  })
  const { id: campaignId } = await owner.call('createCampaign', {
    name: 'Spring',
    repIds: [repId],
    steps: [{ subject: 'Hello', body }],
  })
  await owner.call('addProspectsToCampaign', {
    campaignId,
    data: [{ firstName: 'Grace', email: 'grace@navy.example' }, { email: 'alan@bletchley.example' }],
  })
  await owner.call('launchCampaign', { campaignId })
  return { owner, repId, mailboxId, campaignId }
}

it('no problem is listed while everything works', async () => {
  const { owner } = await makeCampaign()
  await planAll(app)
  expect(await list(owner)).toEqual([])
})

it('the most severe problems are listed first, regardless of how much work waits for them', async () => {
  const { owner } = await makeCampaign({ body: 'Hi {{ firstName }}' })
  await planAll(app)
  await owner.call('pauseSending', {})
  await app.owner`update mailboxes set failure_count = 1 where account_id = ${owner.accountId}`
  await owner.call('createWebhook', { url: 'https://crm.acme.example/hook', eventTypes: ['*'] })
  await app.owner`update webhooks set is_enabled = false, disabled_reason = 'gone' where account_id = ${owner.accountId}`
  const problems = await list(owner)
  expect(problems.map(({ severity }) => severity)).toEqual(['high', 'high', 'medium', 'low'])
  expect(problems.at(-1)).toMatchObject({ kind: 'mailbox_waiting' })
})

describe('the list of problems', () => {
  it('includes a failing mailbox, with the waiting work and the next step', async () => {
    const { owner, mailboxId, campaignId } = await makeCampaign()
    await planAll(app)
    await app.owner`
      update mailboxes set status = 'failing', status_reason = '535 Wrong password.' where id = ${mailboxId}`
    const [problem, ...others] = await list(owner)
    expect(problem).toMatchObject({
      kind: 'mailbox_failing',
      message: expect.stringMatching(/^ada-\S+ cannot send through its mail server: 535 Wrong password\.$/),
      nextStep: expect.stringContaining('verify it'),
      about: { objectType: 'mailbox', id: mailboxId },
      since: expect.any(String),
      waiting: 2,
      campaigns: [{ id: campaignId, prospects: 2 }],
    })
    expect(others).toEqual([])
  })

  it('counts the prospects of a failing mailbox who are due, but not those whose next step is later', async () => {
    const { owner, repId, mailboxId, campaignId } = await makeCampaign()
    const fail = (id: string) => app.owner`update mailboxes set status = 'failing' where id = ${id}`
    const { id: other } = await owner.call('createMailbox', {
      repId,
      kind: 'sandbox',
      email: `b-${repId}@acme.example`,
    })
    const [first, second] = (await owner.call('listProspects', { campaignId })).data
    await app.owner`update prospects set mailbox_id = ${mailboxId} where id = ${first!.id}`
    await fail(mailboxId)
    // The second prospect has no mailbox yet, and gets the one that works.
    const [problem] = await list(owner)
    expect(problem).toMatchObject({ kind: 'mailbox_failing', waiting: 1 })
    expect(problem).not.toHaveProperty('campaigns')

    await fail(other)
    const idle = (prospects: number) => ({ waiting: prospects, campaigns: [{ id: campaignId, prospects }] })
    expect(await list(owner)).toMatchObject([
      { about: { id: mailboxId }, ...idle(2) },
      { about: { id: other }, ...idle(1) },
    ])
    // The engine's first attempt fails, as does the next one a minute later.
    await planAll(app)
    expect((await list(owner))[0]).toMatchObject(idle(2))
    await app.owner`
      update prospects set next_step_at = ${new Date(app.now().getTime() + 3 * 86_400_000)} where id = ${second!.id}`
    expect((await list(owner)).map(({ waiting }) => waiting)).toEqual([1, 0])
    await owner.call('pauseCampaign', { campaignId })
    expect((await list(owner)).map(({ waiting }) => waiting)).toEqual([0, 0])
  })

  it('includes a mailbox that fails, from its first failure until its server accepts an email', async () => {
    const { owner, mailboxId } = await makeCampaign()
    const change = (status: string, failures: number) =>
      app.owner`update mailboxes set status = ${status}, failure_count = ${failures} where id = ${mailboxId}`
    await change('active', 1)
    const [waiting] = await list(owner)
    expect(waiting).toMatchObject({ kind: 'mailbox_waiting', since: expect.any(String) })
    await change('failing', 8)
    await change('active', 1)
    expect((await list(owner))[0]!.since).toBe(waiting!.since)
    await change('active', 0)
    expect(await list(owner)).toEqual([])
    await change('failing', 1)
    expect((await list(owner))[0]!.since! > waiting!.since!).toBe(true)
  })

  it('includes prospects that lack a value, until the value is filled in', async () => {
    const { owner, campaignId } = await makeCampaign({ body: 'Hi {{ firstName }}' })
    const { data: prospects } = await owner.call('listProspects', { email: 'alan@bletchley.example' })
    await planAll(app)
    expect(await list(owner)).toMatchObject([
      {
        kind: 'prospects_failed',
        message: 'Prospects of "Spring" cannot get their next step: they lack a value for firstName.',
        about: { id: campaignId, name: 'Spring' },
        waiting: 1,
      },
    ])
    await owner.call('updatePerson', { personId: prospects[0]!.personId, firstName: 'Alan' })
    expect(await list(owner)).toEqual([])
  })

  it('includes a campaign whose reps have no mailbox', async () => {
    const { owner, mailboxId, campaignId } = await makeCampaign()
    await owner.call('deleteMailbox', { mailboxId })
    expect(await list(owner)).toMatchObject([{ kind: 'no_sender', about: { id: campaignId }, waiting: 2 }])
  })

  it('includes a missing postal address', async () => {
    const { owner } = await makeCampaign()
    await app.owner`update accounts set postal_address = null where id = ${owner.accountId}`
    expect(await list(owner)).toMatchObject([{ kind: 'no_postal_address', waiting: 2 }])
  })

  it('includes paused sending, with the reason and the start time', async () => {
    const { owner } = await makeCampaign()
    await owner.call('pauseSending', { reason: 'Wrong list imported' })
    expect(await list(owner)).toMatchObject([
      {
        kind: 'sending_paused',
        message: 'All sending is paused: Wrong list imported.',
        since: expect.any(String),
      },
    ])
  })

  it('includes a domain whose records are invalid', async () => {
    const { owner } = await makeCampaign()
    const { id } = await owner.call('createDomain', { domain: 'acme.example' })
    const checks = [
      { name: 'spf', status: 'error', message: 'There is no SPF record.' },
      { name: 'dmarc', status: 'ok', message: 'Fine.' },
    ]
    await app.owner`update domains set checks = ${app.owner.json(checks)}, checked_at = now() where id = ${id}`
    expect(await list(owner)).toMatchObject([
      {
        kind: 'domain_errors',
        message: 'The DNS records of acme.example are invalid: There is no SPF record.',
      },
    ])
  })

  it.each(['failing', 'gone'])(
    'includes a disabled webhook for users who may manage webhooks (%s)',
    async reason => {
      const { owner } = await makeCampaign()
      const { id } = await owner.call('createWebhook', {
        url: 'https://crm.acme.example/hook',
        eventTypes: ['prospect.*'],
      })
      await app.owner`
      update webhooks set is_enabled = false, disabled_reason = ${reason}, last_error = '410' where id = ${id}`
      expect(await list(owner)).toMatchObject([
        {
          kind: 'webhook_disabled',
          message: `The webhook https://crm.acme.example/hook was disabled because of errors from its endpoint: 410.`,
          about: { objectType: 'webhook', id },
        },
      ])
      expect(await list(createCaller(app, { ...owner, role: 'viewer' }))).toEqual([])
    },
  )
})

it('the same problems are listed each time, even if there are more of a kind than the list shows', async () => {
  const owner = await makeCaller(app)
  const ids = Array.from({ length: 60 }, () => randomUUIDv7())
  await app.owner`
    insert into domains (account_id, id, domain, checks)
    select ${owner.accountId}, id, id || '.example', '[{"status": "error", "message": "No record."}]'
      from unnest(${ids}::uuid[]) id`
  const listIds = async () => (await list(owner)).map(({ about }) => about.id)
  const before = await listIds()
  expect(before).toHaveLength(50)
  await app.owner`update domains set checked_at = now() where id = ${ids[0]!}`
  expect((await listIds()).sort()).toEqual(before.sort())
})

it('problems of other accounts are not listed', async () => {
  const { owner } = await makeCampaign()
  await owner.call('pauseSending', {})
  expect(await list(await makeCaller(app))).toEqual([])
})
