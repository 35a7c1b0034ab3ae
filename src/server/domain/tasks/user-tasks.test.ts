import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Caller, makeCaller, openTestApp, type TestApp } from '../../../../test/support/app.ts'
import { listTasks, makeTaskCampaign } from '../../../../test/support/campaigns/task-campaign.ts'

let app: TestApp
beforeAll(async () => {
  app = await openTestApp()
})
afterAll(() => app[Symbol.asyncDispose]())

const view = { channel: 'linkedin_view' } as const
const dueAt = '2026-12-01T09:30:00.000Z'
const callAda = { channel: 'call', title: 'Call Ada', text: 'Ask about the offer', dueAt } as const

const makePerson = async ({ call }: Caller, email = 'ada@analytical.example') =>
  (await call('createPerson', { firstName: 'Ada', email, phone: '+442079460018' })).id

async function makeTask() {
  const owner = await makeCaller(app)
  const personId = await makePerson(owner)
  const { id: repId } = await owner.call('createRep', { name: 'Grace Hopper' })
  const task = await owner.call('createTask', { ...callAda, personId })
  return { owner, personId, repId, task, taskId: task.id }
}

describe('a task that a user creates', () => {
  it('is about a person, who need not be in a campaign, and belongs to the user’s only rep', async () => {
    const { owner, personId, repId, task } = await makeTask()
    expect(task).toMatchObject({
      ...callAda,
      status: 'open',
      repId,
      personId,
      personName: 'Ada',
      email: 'ada@analytical.example',
      phone: '+442079460018',
    })
    expect(task).not.toHaveProperty('campaignId')
    for (const filter of [{ personId }, { repId }, {}])
      expect((await owner.call('listTasks', filter)).data).toEqual([task])
  })

  it('belongs to the rep of its prospect, remains open when the prospect replies, and advances no sequence', async () => {
    const { owner, repId, prospectIds } = await makeTaskCampaign(app, [view, view])
    const prospectId = prospectIds[0]!
    const { id: taskId, ...task } = await owner.call('createTask', { ...callAda, prospectId })
    expect(task).toMatchObject({ prospectId, repId, campaignName: 'Spring' })
    await app.owner`update prospects set status = 'replied' where id = ${prospectId}`
    expect((await listTasks({ owner })).map(({ status }) => status).sort()).toEqual(['cancelled', 'open'])
    const before = await owner.call('getProspect', { prospectId })
    expect(await owner.call('completeTask', { taskId })).toMatchObject({ status: 'completed' })
    expect(await owner.call('getProspect', { prospectId })).toEqual(before)
  })

  it('is found by the period in which it is due', async () => {
    const { owner, task } = await makeTask()
    const list = async (filter: { dueAfter?: string; dueBefore?: string }) =>
      (await owner.call('listTasks', { status: 'open', ...filter })).data
    expect(await list({ dueAfter: dueAt, dueBefore: '2026-12-01T09:30:01Z' })).toEqual([task])
    expect(await list({ dueAfter: '2026-12-01T09:30:01Z' })).toEqual([])
    expect(await list({ dueBefore: dueAt })).toEqual([])
  })

  it('can be completed while its campaign is paused', async () => {
    const { owner, campaignId, prospectIds } = await makeTaskCampaign(app, [view])
    await owner.call('pauseCampaign', { campaignId })
    const { id: taskId } = await owner.call('createTask', { ...callAda, prospectId: prospectIds[0]! })
    expect(await owner.call('getTask', { taskId })).not.toHaveProperty('heldBy')
    expect(await owner.call('completeTask', { taskId })).toMatchObject({ status: 'completed' })
  })

  it('is completed once by concurrent requests', async () => {
    const { owner, taskId } = await makeTask()
    const outcomes = await Promise.allSettled(
      [1, 2, 3].map(() => owner.call('completeTask', { taskId, text: 'They want a demo.' })),
    )
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    expect(await owner.call('getTask', { taskId })).toMatchObject({ text: 'They want a demo.' })
  })

  it('cannot be created or completed for a person on the Do Not Contact list, unless it contacts nobody', async () => {
    const { owner, personId, taskId } = await makeTask()
    await owner.call('addOptOuts', {
      identifiers: [{ identifier: '+442079460018' }],
      pauseActiveProspects: false,
    })
    const refusal = { code: 'Conflict', message: expect.stringContaining('+442079460018') }
    await expect(owner.call('createTask', { ...callAda, personId })).rejects.toMatchObject(refusal)
    await expect(owner.call('completeTask', { taskId })).rejects.toMatchObject(refusal)
    const other = await owner.call('createTask', { ...callAda, channel: 'other', personId })
    await owner.call('completeTask', { taskId: other.id })
    await owner.call('skipTask', { taskId })
  })

  it('can be created by members only for their own reps', async () => {
    const { owner, personId, repId } = await makeTask()
    const member = await makeCaller(app, 'member', owner.accountId)
    const create = (input = {}) => member.call('createTask', { ...callAda, personId, ...input })
    await expect(create({ repId })).rejects.toMatchObject({ details: [{ path: 'repId' }] })
    await expect(create()).rejects.toMatchObject({ details: [{ path: 'repId' }] })
    const own = await member.call('createRep', { name: 'Mia' })
    expect(await create()).toMatchObject({ repId: own.id })
    await member.call('createRep', { name: 'Max' })
    await expect(create()).rejects.toMatchObject({ details: [{ path: 'repId' }] })
  })

  it.each([
    ['neither a person nor a prospect', {}, 'exactly one'],
    ['the ID of another kind of object', { prospectId: 'person' }, 'prospectId'],
    ['a person of another account', { personId: 'stranger' }, 'personId'],
  ])('is rejected with %s', async (_what, about, message) => {
    const { owner, personId } = await makeTask()
    const stranger = await makePerson(await makeCaller(app))
    const ids: Record<string, string> = { person: personId, stranger }
    const input = Object.fromEntries(Object.entries(about).map(([key, name]) => [key, ids[name]!]))
    await expect(owner.call('createTask', { ...callAda, ...input })).rejects.toMatchObject({
      code: 'ValidationError',
      message: expect.stringContaining(message),
    })
  })
})

it('open tasks are listed with the earliest due date first, and all tasks with the latest first, across pages', async () => {
  const { owner, personId } = await makeTask()
  for (const day of ['03', '02'])
    await owner.call('createTask', { ...callAda, personId, dueAt: `2026-12-${day}T09:30:00Z` })
  const days = async (input: object) => {
    const found: string[] = []
    for (let cursor: string | undefined; ; ) {
      const page = await owner.call('listTasks', { ...input, limit: 1, ...(cursor && { cursor }) })
      found.push(...page.data.map(task => task.dueAt.slice(8, 10)))
      if (!page.next) return found
      cursor = page.next
    }
  }
  expect(await days({ status: 'open' })).toEqual(['01', '02', '03'])
  expect(await days({})).toEqual(['03', '02', '01'])
})

it('events are recorded when tasks are created and closed, and when edited steps remove them', async () => {
  const { owner, prospectIds, campaignId } = await makeTaskCampaign(app, [view])
  const prospectId = prospectIds[0]!
  const { id: taskId } = await owner.call('createTask', { ...callAda, prospectId })
  await owner.call('updateTask', { taskId, dueAt })
  await owner.call('completeTask', { taskId })
  await owner.call('setCampaignSteps', { campaignId, steps: [{ channel: 'task', body: 'Look them up' }] })
  const events = await app.owner<{ type: string; isOwn: boolean }[]>`
    select event_type as type, object_id = ${taskId} as "isOwn" from events
     where account_id = ${owner.accountId} and event_type like 'task.%' order by tx, position`
  expect(events.map(({ type, isOwn }) => `${type} ${isOwn ? 'own' : 'step'}`)).toEqual([
    'task.created step',
    'task.created own',
    'task.completed own',
    'task.cancelled step',
  ])
})

describe('an update of a task', () => {
  it('reschedules, renames and reassigns the task; omitted fields keep their values, and null clears the notes', async () => {
    const { owner, task, taskId } = await makeTask()
    const { id: repId } = await owner.call('createRep', { name: 'Mia' })
    const newDueAt = { dueAt: '2026-12-02T09:30:00.000Z' }
    expect(await owner.call('updateTask', { taskId, ...newDueAt })).toMatchObject({ ...callAda, ...newDueAt })
    const updated = await owner.call('updateTask', { taskId, title: 'Ring Ada', repId, text: null })
    expect(updated).toMatchObject({ title: 'Ring Ada', ...newDueAt, repId, personId: task.personId })
    expect(updated).not.toHaveProperty('text')
  })

  it('is rejected once the task has ended, and from members for other users’ reps', async () => {
    const { owner, taskId } = await makeTask()
    const member = await makeCaller(app, 'member', owner.accountId)
    await expect(member.call('updateTask', { taskId, title: 'Mine' })).rejects.toMatchObject({
      code: 'NotFound',
    })
    await owner.call('skipTask', { taskId })
    await expect(owner.call('updateTask', { taskId, title: 'Late' })).rejects.toMatchObject({
      code: 'Conflict',
    })
  })

  it('reopens the task with all its fields, unless it is a campaign step or the person opted out', async () => {
    const { owner, task, taskId } = await makeTask()
    await owner.call('completeTask', { taskId })
    const reopened = await owner.call('updateTask', { taskId, status: 'open' })
    expect(reopened).toEqual({ ...task, updatedAt: reopened.updatedAt })
    expect(await owner.call('updateTask', { taskId, status: 'open', dueAt })).toMatchObject({
      status: 'open',
    })
    await owner.call('skipTask', { taskId, reason: 'On holiday' })
    await owner.call('addOptOuts', { identifiers: [{ identifier: '+442079460018' }] })
    const conflict = { code: 'Conflict' }
    await expect(owner.call('updateTask', { taskId, status: 'open' })).rejects.toMatchObject(conflict)
    const campaign = await makeTaskCampaign(app, [view])
    const [step] = await listTasks(campaign)
    await campaign.owner.call('completeTask', { taskId: step!.id })
    const reopening = campaign.owner.call('updateTask', { taskId: step!.id, status: 'open' })
    await expect(reopening).rejects.toMatchObject({
      ...conflict,
      message: expect.stringContaining('sequence'),
    })
  })

  it('only reschedules a campaign step', async () => {
    const { owner, ...campaign } = await makeTaskCampaign(app, [view])
    const [task] = await listTasks({ owner })
    const taskId = task!.id
    expect(await owner.call('updateTask', { taskId, dueAt })).toMatchObject({ dueAt })
    for (const change of [{ title: 'Look' }, { text: null }, { repId: campaign.repId }])
      await expect(owner.call('updateTask', { taskId, ...change })).rejects.toMatchObject({
        code: 'Conflict',
        message: expect.stringContaining('only `dueAt`'),
      })
  })
})
