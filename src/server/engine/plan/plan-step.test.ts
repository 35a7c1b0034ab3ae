import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type Caller, makeCaller, openTestApp, type TestApp } from '../../../../test/support/app.ts'
import { planAll } from '../../../../test/support/campaigns/task-campaign.ts'
import { planOnce } from '../../../../test/support/campaigns/tick.ts'
import { isWaitingForLock, waitForLock } from '../../../../test/support/db/lock-waits.ts'
import { holdAt } from '../../../../test/support/hold-at.ts'
import { rawMail } from '../../../../test/support/mail/answers.ts'
import { operations, type RawInput } from '../../../contract/index.ts'
import { finishSteps } from '../../domain/prospects/advance-prospects.ts'
import { claimDueProspects } from '../../domain/prospects/claim-prospects.ts'
import { handlers } from '../../handlers.ts'
import { type Context, inAccount } from '../../kernel/context.ts'
import { receiveMail } from '../receive/receive-mail.ts'
import { planStep } from './plan-step.ts'

let app: TestApp
beforeAll(async () => {
  app = await openTestApp()
})
afterAll(() => app[Symbol.asyncDispose]())
beforeEach(() => app.setNow('2026-11-23T09:00:00.000Z'))

type Steps = RawInput<'setCampaignSteps'>['steps']
type Campaign = { owner: Caller; repId: string; campaignId: string; prospectId: string }

const emailStep = { subject: 'Hello', body: 'Hi {{ firstName }}' }
const view = { channel: 'linkedin_view' } as const
const noDelay = { delay: { amount: 0, unit: 'minutes' as const } }
const ada = {
  firstName: 'Ada',
  company: 'Analytical',
  email: 'ada@analytical.example',
  linkedinUrl: 'linkedin.com/in/ada-byron',
}

/** Launches a campaign with one prospect. Nothing is planned yet. */
async function makeCampaign(steps: Steps, person: Partial<typeof ada> = ada): Promise<Campaign> {
  const owner = await makeCaller(app)
  await owner.call('updateAccount', { postalAddress: '12 St James Square', optOutLine: 'Reply stop.' })
  const repId = await makeRep(owner)
  const { id: campaignId } = await owner.call('createCampaign', { name: 'Spring', repIds: [repId], steps })
  const { data } = await owner.call('addProspectsToCampaign', { campaignId, data: [person] })
  await owner.call('launchCampaign', { campaignId })
  return { owner, repId, campaignId, prospectId: data[0]!.prospectId! }
}

async function makeRep(owner: Caller): Promise<string> {
  const { id: repId } = await owner.call('createRep', { name: 'Grace Hopper' })
  await owner.call('createMailbox', { repId, kind: 'sandbox', email: `grace-${repId}@navy.example` })
  return repId
}

const planAfter = (minutes: number): Promise<void> => {
  app.setNow(new Date(app.now().getTime() + minutes * 60_000))
  return planAll(app)
}
const findEmails = ({ campaignId }: Campaign) =>
  app.owner<{ subject: string; body: string }[]>`
    select m.subject, m.body
      from email_messages m
      join email_sends e on e.account_id = m.account_id and e.message_id = m.id
     where e.campaign_id = ${campaignId}
     order by m.created_at`
const getProspect = ({ owner, prospectId }: Campaign) => owner.call('getProspect', { prospectId })
const getHealth = async ({ owner, campaignId }: Campaign) =>
  (await owner.call('getCampaign', { campaignId })).health
const finishTask = async ({ owner }: Campaign): Promise<void> => {
  const { data } = await owner.call('listTasks', { status: 'open' })
  await owner.call('completeTask', { taskId: data[0]!.id })
}

describe('an email step', () => {
  it('waits and reports why while the account has no postal address', async () => {
    const campaign = await makeCampaign([emailStep])
    await campaign.owner.call('updateAccount', { postalAddress: null })
    await planAll(app)
    expect(await findEmails(campaign)).toEqual([])
    expect(await getHealth(campaign)).toBe('The account has no postal address. Add one.')
    expect((await getProspect(campaign)).next).toMatchObject({ step: 1, heldBy: 'no_postal_address' })
    await campaign.owner.call('updateAccount', { postalAddress: '1 Mill Lane' })
    await planAfter(2)
    expect(await findEmails(campaign)).toMatchObject([{ body: expect.stringContaining('1 Mill Lane') }])
    expect(await getHealth(campaign)).toBeUndefined()
  })

  it('does not delay the task before it while the postal address is missing', async () => {
    const campaign = await makeCampaign([view, { ...emailStep, ...noDelay }])
    await campaign.owner.call('updateAccount', { postalAddress: null })
    await planAll(app)
    expect((await getProspect(campaign)).next).toMatchObject({ step: 1, heldBy: 'open_task' })
    await finishTask(campaign)
    await planAfter(1)
    expect((await getProspect(campaign)).next).toMatchObject({ step: 2, heldBy: 'no_postal_address' })
  })
})

describe('an edit of a step during planning', () => {
  it('is applied before the step is planned, so nobody gets the old text', async () => {
    const campaign = await makeCampaign([emailStep])
    const input = operations.setCampaignSteps.input.parse({
      campaignId: campaign.campaignId,
      steps: [{ ...emailStep, subject: 'Changed' }],
    })
    await planWhile(campaign, async ctx => {
      await ctx.sql`select from campaigns where id = ${campaign.campaignId} for update`
      return () => handlers.setCampaignSteps(ctx, input)
    })
    expect(await findEmails(campaign)).toMatchObject([{ subject: 'Changed' }])
    // The gate treats emails that are older than their steps as outdated.
    const [{ isNewer } = {}] = await app.owner<{ isNewer: boolean }[]>`
      select e.created_at > c.steps_changed_at as "isNewer"
        from email_sends e
        join campaigns c on c.account_id = e.account_id and c.id = e.campaign_id
       where c.id = ${campaign.campaignId}`
    expect(isNewer).toBe(true)
  })
})

describe('a prospect in progress', () => {
  it('keeps its mailbox through a task while the mailbox is failing', async () => {
    const campaign = await makeCampaign([emailStep, { ...view, ...noDelay }, { ...emailStep, ...noDelay }])
    await planAll(app)
    await sendAll(campaign)
    const mailboxes = () => app.owner`
      select b.id, b.status
        from prospects r
        join mailboxes b on b.account_id = r.account_id and b.id = r.mailbox_id
       where r.id = ${campaign.prospectId}`
    const [first] = await mailboxes()
    await app.owner`update mailboxes set status = 'failing' where id = ${first!.id}`
    await planAfter(1)
    expect((await getProspect(campaign)).next).toMatchObject({ step: 2, heldBy: 'open_task' })
    expect(await mailboxes()).toMatchObject([{ id: first!.id, status: 'failing' }])
  })

  it('waits for the gap of its first mailbox without being claimed repeatedly', async () => {
    const campaign = await makeCampaign([view, { ...emailStep, ...noDelay }])
    const { owner, campaignId, repId, prospectId } = campaign
    await app.owner`update mailboxes set status = 'failing' where rep_id = ${repId}`
    await planAll(app)
    await finishTask(campaign)
    await app.owner`
      update mailboxes set status = 'active', min_gap_seconds = 3600, gap_ends_at = '2026-11-23T11:00:00Z'
       where rep_id = ${repId}`
    await owner.call('updateCampaign', { campaignId, repIds: [repId, await makeRep(owner)] })
    app.setNow('2026-11-23T09:01:00Z')
    expect([await planOnce(app), await planOnce(app)]).toEqual([1, 0])
    const [row] = await app.owner`select next_step_at as at from prospects where id = ${prospectId}`
    expect(row!.at).toEqual(new Date('2026-11-23T11:00:00Z'))
  })
})

describe('campaign health', () => {
  it('reports a hold even if other prospects progress in the same batch', async () => {
    const campaign = await makeCampaign([emailStep])
    const { owner, campaignId, repId, prospectId } = campaign
    const other = await makeRep(owner)
    await owner.call('updateCampaign', { campaignId, repIds: [repId, other] })
    await app.owner`
      update prospects r
         set status = 'active', rep_id = b.rep_id, mailbox_id = b.id, began_at = now()
        from mailboxes b
       where r.id = ${prospectId} and b.rep_id = ${other}`
    await app.owner`update mailboxes set status = 'failing' where rep_id = ${other}`
    await owner.call('addProspectsToCampaign', {
      campaignId,
      data: [{ ...ada, email: 'eve@x.example', linkedinUrl: 'linkedin.com/in/eve' }],
    })
    await planAll(app)
    expect(await findEmails(campaign)).toHaveLength(1)
    expect(await getHealth(campaign)).toBe(
      'Emails of this campaign wait for a working mailbox. Verify, resume or add one.',
    )
  })

  it('is cleared once the mailbox works, even outside the sending hours', async () => {
    const campaign = await makeCampaign([emailStep])
    const { owner, campaignId, repId, prospectId } = campaign
    const windows = [{ days: ['sun' as const], from: '00:00', to: '00:01' }]
    await owner.call('updateCampaign', { campaignId, schedule: { windows } })
    await app.owner`update prospects set next_step_at = ${app.now()} where id = ${prospectId}`
    await app.owner`update mailboxes set status = 'failing' where rep_id = ${repId}`
    await planAll(app)
    expect(await getHealth(campaign)).toMatch(/working mailbox/)
    await app.owner`update mailboxes set status = 'active' where rep_id = ${repId}`
    await planAfter(2)
    expect((await getProspect(campaign)).next).toMatchObject({ heldBy: 'window' })
    expect(await getHealth(campaign)).toBeUndefined()
  })

  it('is cleared by a change of the reps or the schedule', async () => {
    const campaign = await makeCampaign([emailStep])
    const { owner, campaignId, repId } = campaign
    for (const change of [{ repIds: [repId] }, { schedule: null }]) {
      await app.owner`update campaigns set health = 'Blocked.' where id = ${campaignId}`
      await owner.call('updateCampaign', { campaignId, name: 'Summer' })
      expect(await getHealth(campaign)).toBe('Blocked.')
      await owner.call('updateCampaign', { campaignId, ...change })
      expect(await getHealth(campaign)).toBeUndefined()
    }
  })
})

describe('a prospect whose rep was removed from the campaign', () => {
  const findSenders = async ({ prospectId }: Campaign) =>
    (
      await app.owner<{ repId: string }[]>`
        select b.rep_id as "repId"
          from email_sends e
          join mailboxes b on b.account_id = e.account_id and b.id = e.mailbox_id
         where e.prospect_id = ${prospectId}
         order by e.due_at`
    ).map(({ repId }) => repId)

  it('gets the next email from another rep and keeps that rep', async () => {
    const campaign = await makeCampaign([
      emailStep,
      { ...view, ...noDelay },
      { ...emailStep, ...noDelay },
      { ...emailStep, ...noDelay },
    ])
    const { owner, campaignId, repId } = campaign
    await planAll(app)
    await sendAll(campaign)
    const others = [await makeRep(owner), await makeRep(owner)]
    await owner.call('updateCampaign', { campaignId, repIds: others })
    await planAfter(1)
    const { data: tasks } = await owner.call('listTasks', { status: 'open' })
    const next = tasks[0]!.repId!
    expect(others).toContain(next)
    await finishTask(campaign)
    await planAfter(1)
    expect(await findSenders(campaign)).toEqual([repId, next])
    await sendAll(campaign)
    await owner.call('updateCampaign', { campaignId, repIds: [repId, ...others] })
    await planAfter(1)
    expect(await findSenders(campaign)).toEqual([repId, next, next])
  })

  it('replies to the new rep, whose owner reads the thread and answers, even without the old mailbox', async () => {
    const campaign = await makeCampaign([emailStep, { ...noDelay, body: 'Again' }])
    const { owner, campaignId, prospectId, repId: oldRepId } = campaign
    await planAll(app)
    await sendAll(campaign)
    const list = async (caller: Caller) => (await caller.call('listEmailMessages', { campaignId })).data
    const [first] = await list(owner)
    const answer = { prospectId, body: 'Thank you' }
    await owner.call('createEmailDraft', { ...answer, emailMessageIdToReplyTo: first!.id })
    const repId = await makeRep(owner)
    const member = await makeCaller(app, 'member', owner.accountId)
    await owner.call('updateRep', { repId, ownedById: member.userId })
    await owner.call('updateCampaign', { campaignId, repIds: [repId] })
    await planAfter(1)
    await sendAll(campaign)
    const byRep = Object.groupBy(await list(owner), message => message.repId ?? '')
    expect(byRep[oldRepId]?.map(({ id }) => id)).toEqual([first!.id])
    expect(byRep[repId]?.map(({ type }) => type).sort()).toEqual(['campaign', 'manual'])

    const { data: mailboxes } = await owner.call('listMailboxes', {})
    const findMailbox = (id: string) => mailboxes.find(mailbox => mailbox.repId === id)!
    const { id: mailboxId, email: To } = findMailbox(repId)
    const raw = rawMail({ From: ada.email, To, Subject: 'Re: Hello' }, 'Tell me more.')
    await receiveMail(app, {
      ...{ accountId: owner.accountId, mailboxId, raw, receivedAt: app.now(), folder: 'inbox' },
    })
    await owner.call('deleteMailbox', { mailboxId: findMailbox(oldRepId).id })
    const [conversation] = (await member.call('listConversations', {})).data
    expect(conversation).toMatchObject({ rep: { id: repId }, needsReply: true })
    const thread = await member.call('getEmailThread', { emailThreadId: conversation!.emailThreadId! })
    expect(thread.messages).toHaveLength(4)
    const { messageId: emailMessageId } = await member.call('createEmailDraft', {
      ...{ ...answer, emailMessageIdToReplyTo: first!.id },
    })
    expect(await member.call('sendEmailDraft', { emailMessageId })).toMatchObject({ from: { email: To } })
  })

  it.each([
    ['email was queued', [emailStep]],
    ['task was open', [view]],
  ])('gets its first step from another rep if its %s', async (_what, steps) => {
    const campaign = await makeCampaign(steps)
    const { owner, campaignId, repId } = campaign
    await planAll(app)
    const other = await makeRep(owner)
    await owner.call('updateCampaign', { campaignId, repIds: [repId, other] })
    expect(await planOnce(app), 'no rep was removed').toBe(0)
    await owner.call('updateCampaign', { campaignId, repIds: [other] })
    await planAll(app)
    const { data: tasks } = await owner.call('listTasks', { status: 'open' })
    expect([...(await findSenders(campaign)), ...tasks.map(task => task.repId)]).toEqual([other])
  })

  it('waits until the campaign has a rep for its tasks, which clears the health message', async () => {
    const campaign = await makeCampaign([view, { ...view, ...noDelay }])
    const { owner, campaignId } = campaign
    await app.owner`delete from campaign_reps where campaign_id = ${campaignId}`
    await planAll(app)
    expect(await getHealth(campaign)).toMatch(/no rep/)
    await owner.call('updateCampaign', { campaignId, repIds: [await makeRep(owner)] })
    await planAfter(2)
    expect((await getProspect(campaign)).next).toMatchObject({ heldBy: 'open_task' })
    expect(await getHealth(campaign)).toBeUndefined()
  })

  it('gets a task from another rep, even one without a mailbox', async () => {
    const campaign = await makeCampaign([view, { ...view, ...noDelay }])
    const { owner, campaignId } = campaign
    await app.owner`update mailboxes set status = 'failing' where account_id = ${owner.accountId}`
    await planAll(app)
    await finishTask(campaign)
    const { id: other } = await owner.call('createRep', { name: 'Mary' })
    await owner.call('updateCampaign', { campaignId, repIds: [other] })
    expect((await getProspect(campaign)).next).not.toHaveProperty('heldBy')
    await planAfter(1)
    expect((await owner.call('listTasks', { status: 'open' })).data).toMatchObject([{ repId: other }])
  })

  it('waits for the gap of the new mailbox without being claimed repeatedly', async () => {
    const campaign = await makeCampaign([emailStep, { ...emailStep, ...noDelay }])
    const { owner, campaignId, prospectId } = campaign
    await planAll(app)
    await sendAll(campaign)
    const other = await makeRep(owner)
    await app.owner`
      update mailboxes set daily_cap = 1, min_gap_seconds = 3600, gap_ends_at = '2026-11-23T11:00:00Z'
       where rep_id = ${other}`
    await owner.call('updateCampaign', { campaignId, repIds: [other] })
    await planAfter(1)
    expect((await getProspect(campaign)).next).toMatchObject({ heldBy: 'gap' })
    const [row] = await app.owner`select next_step_at as at from prospects where id = ${prospectId}`
    expect(row!.at).toEqual(new Date('2026-11-23T11:00:00Z'))
  })
})

describe('a prospect whose step could not be written', () => {
  const { email: _email, ...noEmail } = ada

  it('gets the email once it has an address, and keeps the campaign active until then', async () => {
    const campaign = await makeCampaign([emailStep], noEmail)
    const { owner, campaignId } = campaign
    await planAll(app)
    const failed = await getProspect(campaign)
    expect(failed).toMatchObject({ status: 'failed', statusReason: 'no_email' })
    expect((await owner.call('getCampaign', { campaignId })).status).toBe('active')
    await owner.call('updatePerson', { personId: failed.personId, email: 'ada@late.example' })
    await planAfter(1)
    expect(await findEmails(campaign)).toHaveLength(1)
  })

  it('gets the email when the address is added during planning', async () => {
    const campaign = await makeCampaign([emailStep], noEmail)
    const { personId } = await getProspect(campaign)
    const input = operations.updatePerson.input.parse({ personId, email: 'ada@late.example' })
    await planWhile(campaign, ctx => handlers.updatePerson(ctx, input))
    expect(await findEmails(campaign)).toHaveLength(1)
  })

  it('gets the email when an address that can’t be used is corrected during planning', async () => {
    const campaign = await makeCampaign([emailStep], { ...ada, email: 'info@analytical.example' })
    const { owner, campaignId } = campaign
    await owner.call('updateCampaign', { campaignId, settings: { holdRiskyAddresses: true } })
    const { personId } = await getProspect(campaign)
    const input = operations.updatePerson.input.parse({ personId, email: 'ada@late.example' })
    await planWhile(campaign, ctx => handlers.updatePerson(ctx, input))
    expect(await getProspect(campaign)).toMatchObject({ status: 'active' })
    expect(await findEmails(campaign)).toHaveLength(1)
  })

  it('gets the email when the signature is added during planning', async () => {
    const campaign = await makeCampaign([emailStep])
    const { owner, repId, campaignId } = campaign
    const steps = [{ ...emailStep, body: '{{ signature }}' }]
    await owner.call('setCampaignSteps', { campaignId, steps })
    using hold = holdAt('plan.written')
    const planning = planOnce(app)
    await hold.reached
    const updating = owner.call('updateRep', { repId, signature: 'Grace, Navy' })
    await expect.poll(() => isWaitingForLock(app)).toBe(true)
    hold.release()
    await Promise.all([planning, updating])
    await planAfter(1)
    expect(await findEmails(campaign)).toMatchObject([{ body: expect.stringContaining('Grace, Navy') }])
  })

  it('gets the email after an invalid template is replaced, and not before', async () => {
    const campaign = await makeCampaign([emailStep])
    const { owner, campaignId, prospectId } = campaign
    await app.owner`
      update prospects set status = 'failed', status_reason = 'template: unknown filter', next_step_at = null
       where id = ${prospectId}`
    const { personId } = await getProspect(campaign)
    await owner.call('updatePerson', { personId, firstName: 'Augusta' })
    await planAfter(1)
    expect((await getProspect(campaign)).status).toBe('failed')
    await owner.call('setCampaignSteps', { campaignId, steps: [emailStep] })
    await planAfter(1)
    expect(await findEmails(campaign)).toHaveLength(1)
  })
})

describe('a follow-up without an earlier email', () => {
  it('opens the thread with the rendered subject of the opening email', async () => {
    const first = { subject: '{Hi|Hello} {{ firstName }}', body: 'First' }
    const second = { subject: 'Another', body: 'Second' }
    const followUp = { ...noDelay, body: 'Did you see it?' }
    const campaign = await makeCampaign([view, second, first, followUp])
    const { owner, campaignId } = campaign
    await planAll(app)
    await finishTask(campaign)
    const { steps } = await owner.call('getCampaign', { campaignId })
    const [viewed, other, opening, following] = steps.map(({ id }) => id)
    await owner.call('setCampaignSteps', {
      campaignId,
      steps: [
        { ...second, id: other },
        { ...first, id: opening },
        { ...view, id: viewed },
        { ...followUp, id: following },
      ],
    })
    await planAfter(1)
    expect(await findEmails(campaign)).toMatchObject([
      {
        subject: expect.stringMatching(/^(Hi|Hello) Ada$/),
        body: expect.stringContaining('Did you see it?'),
      },
    ])
  })
})

/** Marks all queued emails as sent. */
const sendAll = ({ owner, campaignId }: Campaign): Promise<unknown> =>
  inAccount(app.db.app, owner.accountId, async tx => {
    await tx`update email_sends set state = 'sent' where campaign_id = ${campaignId}`
    await tx`update email_messages set status = 'sent', delivery_status = null where campaign_id = ${campaignId}`
    const rows = await tx<{ id: string }[]>`
      select id from prospects where campaign_id = ${campaignId} and status = 'active' and next_step_at is null`
    await finishSteps(
      tx,
      rows.map(({ id }) => id),
      app.now(),
    )
  })

/**
 * Plans due steps during a change in another transaction, which commits once planning waits for its locks. A function
 * that `change` returns runs before the commit.
 */
async function planWhile({ owner, ...campaign }: Campaign, change: (ctx: Context) => Promise<unknown>) {
  const { accountId, userId } = owner
  const identity = { accountId, userId, role: 'owner', actor: 'test', isReadOnly: false } as const
  const context = { ...identity, app, requestId: 'test', afterCommit: () => {} }
  const claims = await claimDueProspects(app.db.engine, {
    ...{ now: app.now(), limit: 10, perMailbox: 10, leaseMs: 60_000 },
  })
  const commit = Promise.withResolvers<void>()
  const isWritten = Promise.withResolvers<void>()
  const changing = inAccount(app.db.app, accountId, async sql => {
    const finish = await change({ ...context, sql })
    isWritten.resolve()
    await commit.promise
    if (typeof finish === 'function') await finish()
  })
  await isWritten.promise
  const planning = Promise.all(claims.map(claim => planStep(app, claim)))
  await Promise.race([planning, waitForLock(app)])
  expect(await findEmails({ owner, ...campaign })).toEqual([])
  commit.resolve()
  await Promise.all([changing, planning])
}
