import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { makeCaller, openTestApp, type TestApp } from '../../../../test/support/app.ts'
import { inAccountTransaction } from '../../../../test/support/campaigns/inbox.ts'
import {
  ada,
  listTasks,
  makeTaskCampaign,
  planAll,
} from '../../../../test/support/campaigns/task-campaign.ts'
import { planOnce } from '../../../../test/support/campaigns/tick.ts'
import { isWaitingForLock } from '../../../../test/support/db/lock-waits.ts'
import { holdAt } from '../../../../test/support/hold-at.ts'
import { applyAcceptance } from '../linkedin/apply-event.ts'

let app: TestApp
beforeAll(async () => {
  app = await openTestApp()
})
afterAll(() => app[Symbol.asyncDispose]())

const start = new Date('2026-11-23T09:00:00.000Z')
const startPlus = (days: number, minutes = 0) =>
  new Date(start.getTime() + (days * 24 * 60 + minutes) * 60_000)
beforeEach(() => app.setNow(start))

const connect = { channel: 'linkedin_connect', body: 'Hi {{ firstName }}, let us connect.' } as const
const message = {
  channel: 'linkedin_message',
  delay: { amount: 1, unit: 'days' },
  body: 'Is {{ company }} hiring, {{ firstName }}?',
} as const
const view = { channel: 'linkedin_view' } as const
const todo = {
  channel: 'task',
  delay: { amount: 2, unit: 'hours' },
  body: 'Send {{ firstName }} a card',
} as const

describe('a step that is done by a person', () => {
  it('becomes a task for the rep, who needs no mailbox, and the next delay starts when it is completed', async () => {
    const campaign = await makeTaskCampaign(app, [view, todo])
    const { owner, repId, prospectIds } = campaign
    const [task] = await listTasks(campaign)
    expect(task).toMatchObject({
      channel: 'linkedin_view',
      status: 'open',
      repId,
      personName: 'Ada',
      linkedinUrl: 'https://www.linkedin.com/in/ada-byron',
      dueAt: start.toISOString(),
    })
    const prospectId = prospectIds[0]!
    expect((await owner.call('getProspect', { prospectId })).next).toMatchObject({
      step: 1,
      heldBy: 'open_task',
    })

    app.setNow(startPlus(3))
    await owner.call('completeTask', { taskId: task!.id })
    expect((await owner.call('getProspect', { prospectId })).next).toMatchObject({
      step: 2,
      heldBy: 'delay',
      dueAt: startPlus(3, 120).toISOString(),
    })
    await planAll(app)
    expect(await listTasks(campaign)).toHaveLength(1)
    app.setNow(startPlus(3, 120))
    await planAll(app)
    const [, card] = await listTasks(campaign)
    expect(card).toMatchObject({ channel: 'task', text: 'Send Ada a card' })
    await owner.call('skipTask', { taskId: card!.id })
    expect(await owner.call('getProspect', { prospectId })).toMatchObject({ status: 'completed', step: 2 })
    expect(await owner.call('getCampaign', { campaignId: campaign.campaignId })).toMatchObject({
      status: 'completed',
    })
    const stats = await owner.call('getCampaignStats', { campaignId: campaign.campaignId })
    expect(stats.steps.map(({ position, tasks }) => ({ position, ...tasks }))).toEqual([
      { position: 1, open: 0, completed: 1, skipped: 0, cancelled: 0 },
      { position: 2, open: 0, completed: 0, skipped: 1, cancelled: 0 },
    ])
  })

  it('is done only once: completing or skipping it again is a conflict', async () => {
    const campaign = await makeTaskCampaign(app, [view, view])
    const [task] = await listTasks(campaign)
    const taskId = task!.id
    const operations = ['completeTask', 'skipTask', 'completeTask'] as const
    const outcomes = await Promise.allSettled(operations.map(name => campaign.owner.call(name, { taskId })))
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    await expect(campaign.owner.call('completeTask', { taskId })).rejects.toMatchObject({
      code: 'Conflict',
      message: expect.stringContaining('already'),
    })
    expect((await campaign.owner.call('getProspect', { prospectId: task!.prospectId })).step).toBe(1)
  })

  it('counts towards the daily limit of new prospects only for new prospects', async () => {
    const people = ['a', 'b', 'c'].map(slug => ({ linkedinUrl: `linkedin.com/in/new-${slug}` }))
    const campaign = await makeTaskCampaign(
      app,
      [view, { ...view, delay: { amount: 0, unit: 'minutes' } }],
      people,
      {
        newProspectsPerDay: 1,
      },
    )
    const [first, ...others] = await listTasks(campaign)
    expect(others).toEqual([])
    await campaign.owner.call('completeTask', { taskId: first!.id })
    await planAll(app)
    const open = await listTasks(campaign, { status: 'open' })
    expect(open.map(({ prospectId }) => prospectId)).toEqual([first!.prospectId])
    app.setNow(startPlus(1))
    await planAll(app)
    expect(await listTasks(campaign, { status: 'open' })).toHaveLength(2)
  })

  it('fails for a person who lacks a value for a variable of a later step, before the rep gets a task', async () => {
    const people = [ada, { firstName: 'Ben', linkedinUrl: 'linkedin.com/in/ben' }]
    const campaign = await makeTaskCampaign(app, [connect, message], people)
    expect(await listTasks(campaign)).toHaveLength(1)
    const ben = await campaign.owner.call('getProspect', { prospectId: campaign.prospectIds[1]! })
    expect(ben).toMatchObject({ status: 'failed', statusReason: 'missing_variable: company' })
  })

  it('is not among the tasks that can be done while its campaign or prospect is paused', async () => {
    const people = [ada, { firstName: 'Ben', linkedinUrl: 'linkedin.com/in/ben' }]
    const campaign = await makeTaskCampaign(app, [view], people)
    const { owner, campaignId, prospectIds } = campaign
    const listPossible = async () =>
      (await listTasks(campaign, { canComplete: true })).map(({ prospectId, title }) => title ?? prospectId)
    expect((await listPossible()).toSorted()).toEqual(prospectIds.toSorted())
    await owner.call('pauseProspect', { prospectId: prospectIds[0]! })
    expect(await listPossible()).toEqual([prospectIds[1]])
    const task = { channel: 'call' as const, title: 'Call Ada', prospectId: prospectIds[0]! }
    await owner.call('createTask', { ...task, dueAt: '2026-01-01T09:00:00Z' })
    await owner.call('pauseCampaign', { campaignId })
    expect(await listPossible()).toEqual(['Call Ada'])
    expect(await listTasks(campaign, { status: 'open' })).toHaveLength(3)
    expect(await listTasks(campaign, { status: 'completed', canComplete: true })).toEqual([])
  })

  it('is planned again when the steps are edited before it is done', async () => {
    const campaign = await makeTaskCampaign(app, [view, todo])
    const { campaignId, owner } = campaign
    await owner.call('setCampaignSteps', { campaignId, steps: [{ channel: 'task', body: 'Look them up' }] })
    await planAll(app)
    expect(await listTasks(campaign)).toMatchObject([
      { channel: 'task', text: 'Look them up', status: 'open' },
    ])
  })

  it('can be combined with emails from the same rep', async () => {
    const owner = await makeCaller(app)
    await owner.call('updateAccount', { postalAddress: '12 St James Square', optOutLine: 'Reply stop.' })
    const { id: repId } = await owner.call('createRep', { name: 'Grace Hopper' })
    const { id: mailboxId } = await owner.call('createMailbox', {
      repId,
      kind: 'sandbox',
      email: 'g@acme.example',
    })
    await owner.call('verifyMailbox', { mailboxId })
    const steps = [view, { subject: 'Hello', body: 'Hi', delay: { amount: 0, unit: 'minutes' } }] as const
    const { id: campaignId } = await owner.call('createCampaign', {
      name: 'Both',
      repIds: [repId],
      steps: [...steps],
    })
    const data = [{ ...ada, email: 'ada@analytical.example' }]
    await owner.call('addProspectsToCampaign', { campaignId, data })
    await owner.call('launchCampaign', { campaignId })
    await planAll(app)
    const [task] = await listTasks({ owner })
    await owner.call('completeTask', { taskId: task!.id })
    await planAll(app)
    const { data: emails } = await owner.call('listEmailMessages', { campaignId })
    expect(emails).toMatchObject([{ subject: 'Hello', deliveryStatus: 'queued', repId }])
  })
})

describe('a LinkedIn message', () => {
  it('waits for the acceptance of the invitation, then for its delay, and is recorded in the conversation', async () => {
    const campaign = await makeTaskCampaign(app, [connect, message])
    const { owner } = campaign
    const [invitation] = await listTasks(campaign)
    expect(invitation!.text).toBe('Hi Ada, let us connect.')
    const taskId = invitation!.id
    await expect(owner.call('acceptTask', { taskId })).rejects.toMatchObject({ code: 'Conflict' })
    await owner.call('completeTask', { taskId })
    app.setNow(startPlus(2))
    await planAll(app)
    expect(await listTasks(campaign, { status: 'open' })).toEqual([])
    const { prospectId } = invitation!
    expect((await owner.call('getProspect', { prospectId })).next).toMatchObject({ heldBy: 'not_accepted' })

    app.setNow(startPlus(5))
    expect(await owner.call('acceptTask', { taskId })).toMatchObject({
      acceptedAt: startPlus(5).toISOString(),
    })
    await planAll(app)
    expect((await owner.call('getProspect', { prospectId })).next).toMatchObject({
      heldBy: 'delay',
      dueAt: startPlus(6).toISOString(),
    })
    app.setNow(startPlus(6))
    await planAll(app)
    const [open] = await listTasks(campaign, { status: 'open' })
    await owner.call('completeTask', { taskId: open!.id, text: 'Hiring, Ada?' })
    const { data } = await owner.call('listLinkedinMessages', { prospectId })
    expect(data).toMatchObject([
      { text: 'Hiring, Ada?', type: 'campaign', status: 'sent', repId: campaign.repId },
    ])
  })

  it('follows an invitation that is accepted while the message is planned', async () => {
    const campaign = await makeTaskCampaign(app, [connect, { ...message, acceptWithinDays: 14 }])
    const { owner } = campaign
    const [invitation] = await listTasks(campaign)
    const { prospectId, repId, personId } = invitation!
    await owner.call('completeTask', { taskId: invitation!.id })
    app.setNow(startPlus(1))
    using hold = holdAt('plan.written')
    const planning = planOnce(app)
    await hold.reached
    const accepting = inAccountTransaction(app, owner, tx =>
      applyAcceptance(tx, { repId, personId: personId! }, app.now(), app.now()),
    )
    await expect.poll(() => isWaitingForLock(app)).toBe(true)
    hold.release()
    await Promise.all([planning, accepting])
    await planAll(app)
    expect((await owner.call('getProspect', { prospectId })).next).toMatchObject({
      heldBy: 'delay',
      dueAt: startPlus(2).toISOString(),
    })
  })

  it('is skipped if the invitation is not accepted in time, and the sequence continues', async () => {
    const steps = [
      connect,
      { ...message, acceptWithinDays: 7 },
      { ...todo, delay: { amount: 0, unit: 'days' } },
    ] as const
    const campaign = await makeTaskCampaign(app, [...steps])
    const [invitation] = await listTasks(campaign)
    await campaign.owner.call('completeTask', { taskId: invitation!.id })
    app.setNow(startPlus(6))
    await planAll(app)
    expect(await listTasks(campaign)).toHaveLength(1)
    app.setNow(startPlus(7))
    await planAll(app)
    expect((await listTasks(campaign)).slice(1)).toMatchObject([
      { channel: 'linkedin_message', status: 'skipped', statusReason: 'not_accepted' },
      { channel: 'task', status: 'open' },
    ])
  })
})

describe('an open task', () => {
  it('cannot be completed for a person on the Do Not Contact list; the error names the entry', async () => {
    const campaign = await makeTaskCampaign(app, [view, view])
    const [task] = await listTasks(campaign)
    await campaign.owner.call('addOptOuts', {
      identifiers: [{ identifier: 'https://linkedin.com/in/ada-byron' }],
      pauseActiveProspects: false,
    })
    await expect(campaign.owner.call('completeTask', { taskId: task!.id })).rejects.toMatchObject({
      code: 'Conflict',
      message: expect.stringContaining('linkedin.com/in/ada-byron'),
    })
  })

  it('is held while the prospect or campaign is paused, and can be completed afterwards', async () => {
    const { owner, campaignId, ...campaign } = await makeTaskCampaign(app, [view])
    const [task] = await listTasks({ owner })
    const { id: taskId, prospectId } = task!
    const expectHeldBy = async (heldBy: string) => {
      expect(await owner.call('getTask', { taskId })).toMatchObject({ status: 'open', heldBy })
      await expect(owner.call('completeTask', { taskId })).rejects.toMatchObject({ code: 'Conflict' })
    }
    await owner.call('pauseCampaign', { campaignId })
    await expectHeldBy('campaign_paused')
    await owner.call('resumeCampaign', { campaignId })
    await owner.call('pauseProspect', { prospectId: campaign.prospectIds[0]! })
    await expectHeldBy('prospect_paused')
    await owner.call('resumeProspect', { prospectId })
    expect(await owner.call('completeTask', { taskId })).toMatchObject({ status: 'completed' })
  })

  it('is visible only to the owner of its rep and to roles that see all tasks', async () => {
    const campaign = await makeTaskCampaign(app, [view])
    const member = await makeCaller(app, 'member', campaign.owner.accountId)
    const [task] = await listTasks(campaign)
    const taskId = task!.id
    expect(await listTasks({ owner: member })).toEqual([])
    await expect(member.call('completeTask', { taskId })).rejects.toMatchObject({ code: 'NotFound' })
    await campaign.owner.call('updateRep', { repId: campaign.repId, ownedById: member.userId })
    expect(await listTasks({ owner: member })).toHaveLength(1)
    expect(await member.call('completeTask', { taskId })).toMatchObject({ status: 'completed' })
  })
})

describe('task steps', () => {
  const { call } = {
    call: async (steps: object[]) => {
      const owner = await makeCaller(app)
      return owner.call('createCampaign', { name: 'Spring', steps: steps as [] })
    },
  }

  it.each([
    [{ channel: 'linkedin_view', body: 'Hi' }, 'must not have body'],
    [{ channel: 'linkedin_message' }, 'is required'],
    [{ channel: 'task', subject: 'Call', body: 'Call them' }, 'must not have a subject'],
    [{ channel: 'linkedin_connect', body: 'x'.repeat(201) }, 'at most 200 characters'],
    [{ channel: 'task', body: 'Call', thread: 'new' }, 'only allowed for email'],
    [{ channel: 'task', body: 'Call', acceptWithinDays: 3 }, 'only allowed for linkedin_message'],
  ])('are rejected with a reason for %j', async (step, reason) => {
    await expect(call([step])).rejects.toMatchObject({
      code: 'ValidationError',
      message: expect.stringContaining(reason),
    })
  })

  it('do not change the rule that the first email needs a subject', async () => {
    await expect(call([view, { body: 'Hi' }])).rejects.toThrow('must have a subject')
    const { steps } = await call([view, { subject: 'Hello', body: 'Hi' }, view, { body: 'Again' }])
    expect(steps.map(({ channel, thread }) => thread ?? channel)).toEqual([
      'linkedin_view',
      'new',
      'linkedin_view',
      'same',
    ])
  })

  it('are previewed with the text that the rep would see', async () => {
    const campaign = await makeTaskCampaign(app, [connect, view])
    const { campaignId, owner } = campaign
    const { steps } = await owner.call('getCampaign', { campaignId })
    const preview = (index: number, person = {}) =>
      owner.call('previewCampaign', { campaignId, stepId: steps[index]!.id, ...person })
    expect(await preview(0)).toMatchObject({ text: 'Hi Ada, let us connect.', subject: '', warnings: [] })
    const shown = await preview(1, { person: { firstName: 'Zoe' } })
    expect(shown).not.toHaveProperty('variantId')
    expect(shown.warnings.map(({ code }) => code)).toEqual(['no_linkedin_url'])
  })
})
