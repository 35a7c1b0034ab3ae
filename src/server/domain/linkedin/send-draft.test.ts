import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { makeCaller, openTestApp, type TestApp } from '../../../../test/support/app.ts'
import {
  ada,
  listTasks,
  makeTaskCampaign,
  planAll,
  type TaskCampaign,
} from '../../../../test/support/campaigns/task-campaign.ts'
import { connectUnipile, sendLinkedinUntil } from '../../../../test/support/linkedin/unipile-reps.ts'
import {
  toMemberId,
  type UnipileFault,
  UnipileServer,
} from '../../../../test/support/linkedin/unipile-server.ts'

let app: TestApp
let unipile: UnipileServer
beforeAll(async () => {
  app = await openTestApp({ ALLOW_PRIVATE_HOSTS: '127.0.0.1' })
  unipile = await UnipileServer.open()
})
afterAll(async () => {
  await unipile[Symbol.asyncDispose]()
  await app[Symbol.asyncDispose]()
})

/** Later than every timestamp that the database's own clock sets. */
const start = new Date(Math.ceil(Date.now() / 60_000) * 60_000 + 60 * 60_000)
const at = (minutes: number) => new Date(start.getTime() + minutes * 60_000)
beforeEach(() => {
  app.setNow(start)
  unipile.fault = undefined
  unipile.requests.length = 0
})

const message = { channel: 'linkedin_message', delay: { amount: 0, unit: 'days' }, body: 'Hiring?' } as const
const text = 'Thursday suits me.'

let nextMember = 500
type Draft = TaskCampaign & { prospectId: string; draftId: string; url: string }

/** Creates a message to the rep and a draft that replies to it. */
async function makeDraft(): Promise<Draft> {
  const n = nextMember++
  const publicIdentifier = `answers-${n}`
  unipile.members.push({ memberId: toMemberId(n), publicIdentifier })
  const url = `https://www.linkedin.com/in/${publicIdentifier}`
  const campaign = await makeTaskCampaign(app, [message], [{ linkedinUrl: url }, ada])
  const prospectId = campaign.prospectIds[0]!
  const { owner } = campaign
  await owner.call('recordLinkedinMessage', {
    prospectId,
    repId: campaign.repId,
    type: 'received',
    text: 'Yes',
  })
  const { id } = await owner.call('createLinkedinDraft', { prospectId, repId: campaign.repId, text })
  return { ...campaign, prospectId, draftId: id, url }
}

const connect = (draft: Draft) => connectUnipile(draft, unipile)

const send = ({ owner, draftId }: Draft) => owner.call('sendLinkedinDraft', { linkedinMessageId: draftId })

const listMessages = async ({ owner, prospectId }: Draft, status: 'sent' | 'draft' = 'sent') =>
  (await owner.call('listLinkedinMessages', { prospectId, status })).data

const sendUntil = (now: Date) => sendLinkedinUntil(app, now)

const findOpenTask = async (draft: Draft) =>
  (await listTasks(draft, { status: 'open' })).find(task => task.linkedinMessageId)!

describe('a LinkedIn draft', () => {
  it('becomes a task of its rep when sent, and a message with the final text when the task is completed', async () => {
    const draft = await makeDraft()
    const { taskId, status } = await send(draft)
    expect(status).toBe('draft')
    expect(await draft.owner.call('getTask', { taskId: taskId! })).toMatchObject({
      channel: 'linkedin_message',
      status: 'open',
      text,
      linkedinMessageId: draft.draftId,
      linkedinUrl: draft.url,
      repName: 'Grace Hopper',
      campaignName: 'Spring',
    })
    app.setNow(at(10))
    await draft.owner.call('completeTask', { taskId: taskId!, text: 'Friday suits me.' })
    expect(await listMessages(draft, 'draft')).toEqual([])
    const [last] = await listMessages(draft)
    expect(last).toMatchObject({
      id: draft.draftId,
      text: 'Friday suits me.',
      happenedAt: at(10).toISOString(),
    })
    expect(last).not.toHaveProperty('taskId')
  })

  it('is sent for the prospect it was written for, even if the person has joined another campaign since', async () => {
    const draft = await makeDraft()
    const { owner, repId, prospectId, campaignId, url } = draft
    const other = await owner.call('createCampaign', { name: 'Autumn', repIds: [repId], steps: [message] })
    await owner.call('addProspectsToCampaign', { campaignId: other.id, data: [{ linkedinUrl: url }] })
    await owner.call('launchCampaign', { campaignId: other.id })
    await planAll(app)
    const { taskId } = await send(draft)
    expect(await owner.call('getTask', { taskId: taskId! })).toMatchObject({ prospectId, campaignId })
  })

  it('is not overwritten by somebody who read an earlier version', async () => {
    const { owner, draftId: linkedinMessageId } = await makeDraft()
    const edit = (text: string, expectedText: string) =>
      owner.call('updateLinkedinDraft', { linkedinMessageId, text, expectedText })
    await owner.call('updateLinkedinDraft', { linkedinMessageId, text: 'Friday suits me.' })
    await expect(edit('Monday suits me.', 'Thursday suits me.')).rejects.toMatchObject({ code: 'Conflict' })
    expect(await edit('Sunday suits me.', 'Friday suits me.')).toMatchObject({ text: 'Sunday suits me.' })
    const repeated = await edit('Sunday suits me.', 'Friday suits me.')
    expect(repeated, 'its response was lost').toMatchObject({ text: 'Sunday suits me.' })
  })

  it('is not sent if its text has changed since the sender read it', async () => {
    const { owner, draftId: linkedinMessageId, prospectId } = await makeDraft()
    const send = (expectedText: string) =>
      owner.call('sendLinkedinDraft', { linkedinMessageId, expectedText })
    await owner.call('updateLinkedinDraft', { linkedinMessageId, text: 'Friday suits me.' })
    await expect(send(text)).rejects.toMatchObject({ code: 'Conflict' })
    const { data } = await owner.call('listLinkedinMessages', { prospectId, status: 'draft' })
    expect(data[0]).not.toHaveProperty('taskId')
    expect(await send('Friday suits me.')).toHaveProperty('taskId')
  })

  it('is sent only once when several requests send it, and cannot be changed or deleted while its task is open', async () => {
    const draft = await makeDraft()
    const outcomes = await Promise.allSettled([send(draft), send(draft), send(draft)])
    expect(outcomes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected', 'rejected'])
    const alreadySending = { code: 'Conflict', message: expect.stringContaining('already being sent') }
    await expect(send(draft)).rejects.toMatchObject(alreadySending)
    const { owner, draftId: linkedinMessageId } = draft
    await expect(owner.call('updateLinkedinDraft', { linkedinMessageId, text: 'No' })).rejects.toMatchObject(
      alreadySending,
    )
    await expect(owner.call('deleteLinkedinDraft', { linkedinMessageId })).rejects.toMatchObject(
      alreadySending,
    )
    const { id: taskId } = await findOpenTask(draft)
    await owner.call('completeTask', { taskId })
    await expect(send(draft)).rejects.toMatchObject({
      code: 'Conflict',
      message: 'This message is not a draft.',
    })
    expect(await listMessages(draft)).toHaveLength(2)
  })

  it('becomes a draft again when its task is skipped, and can then be sent again or deleted', async () => {
    const draft = await makeDraft()
    const { taskId } = await send(draft)
    const reason = 'They called meanwhile'
    expect(await draft.owner.call('skipTask', { taskId: taskId!, reason })).toMatchObject({
      status: 'skipped',
      statusReason: reason,
    })
    expect(await listMessages(draft, 'draft')).toMatchObject([{ id: draft.draftId, text }])
    const again = await send(draft)
    expect(again.taskId).not.toBe(taskId)
    await draft.owner.call('skipTask', { taskId: again.taskId! })
    await draft.owner.call('deleteLinkedinDraft', { linkedinMessageId: draft.draftId })
    expect(await listMessages(draft, 'draft')).toEqual([])
  })

  it('is sent through the connected account immediately, even when campaigns are paused, and pauses future steps', async () => {
    const draft = await makeDraft()
    await connect(draft)
    const { owner, url } = draft
    const { id: otherId } = await owner.call('createCampaign', {
      ...{ name: 'Autumn', repIds: [draft.repId] },
      steps: [message],
    })
    await owner.call('addProspectsToCampaign', { campaignId: otherId, data: [{ linkedinUrl: url }] })
    await owner.call('launchCampaign', { campaignId: otherId })
    await planAll(app)
    await owner.call('pauseCampaign', { campaignId: otherId })
    const { taskId } = await send(draft)
    expect(await owner.call('getTask', { taskId: taskId! })).toMatchObject({ sentBy: 'unipile' })
    const { data: others } = await owner.call('listProspects', { campaignId: otherId })
    expect(others).toMatchObject([{ status: 'paused', statusReason: 'manual_linkedin' }])
    await sendUntil(start)
    expect(unipile.requests).toMatchObject([{ path: '/chats', fields: { text } }])
    expect((await listMessages(draft)).map(each => each.text)).toEqual([text, 'Yes'])
    expect(await owner.call('getTask', { taskId: taskId! })).toMatchObject({ status: 'completed' })
    await sendUntil(at(120))
    expect(unipile.requests).toHaveLength(1)
  })

  it('cannot be sent to a person on the Do Not Contact list, even if the person was added to the list after the request to send the draft', async () => {
    const draft = await makeDraft()
    await connect(draft)
    const identifiers = [{ identifier: draft.url }]
    await send(draft)
    await draft.owner.call('addOptOuts', { identifiers, pauseActiveProspects: false })
    const { id: taskId } = await findOpenTask(draft)
    await expect(draft.owner.call('completeTask', { taskId })).rejects.toMatchObject({
      message: expect.stringContaining('Do Not Contact'),
    })
    await sendUntil(start)
    expect(unipile.requests).toEqual([])
    expect(await draft.owner.call('getTask', { taskId })).toMatchObject({
      status: 'cancelled',
      statusReason: 'do_not_contact',
    })
    await expect(send(draft)).rejects.toMatchObject({
      code: 'Conflict',
      message: expect.stringContaining('Do Not Contact'),
    })
    expect(await listMessages(draft, 'draft')).toHaveLength(1)
  })

  it.each([
    ['bounced', 'open'],
    ['stopped', 'open'],
    ['replied', 'open'],
    ['opted_out', 'cancelled'],
  ])(
    'keeps or loses its task when the prospect becomes %s while it is being sent: the task is %s',
    async (prospectStatus, status) => {
      const { owner, repId, prospectIds } = await makeTaskCampaign(app, [message], [ada])
      const [prospectId] = prospectIds
      const { id: linkedinMessageId } = await owner.call('createLinkedinDraft', {
        ...{ prospectId: prospectId!, repId, text },
      })
      const { taskId } = await owner.call('sendLinkedinDraft', { linkedinMessageId })
      await app.owner`update prospects set status = ${prospectStatus} where id = ${prospectId!}`
      expect(await owner.call('getTask', { taskId: taskId! })).toMatchObject({ status })
    },
  )

  it.each<UnipileFault>(['reset', 'malformed'])(
    'is left to the rep and never sent automatically again when its delivery is unknown (%s)',
    async error => {
      const draft = await makeDraft()
      await connect(draft)
      const { taskId } = await send(draft)
      unipile.fault = error
      await sendUntil(start)
      unipile.fault = undefined
      await sendUntil(at(120))
      expect(unipile.requests).toHaveLength(1)
      expect(await draft.owner.call('getTask', { taskId: taskId! })).toMatchObject({
        status: 'open',
        statusReason: expect.stringMatching(/^It may have been sent/),
      })
      await draft.owner.call('completeTask', { taskId: taskId! })
      expect((await listMessages(draft))[0]).toMatchObject({ id: draft.draftId, text })
    },
  )

  it('becomes the recorded message while it is being sent if their texts match, and stays a draft otherwise', async () => {
    const draft = await makeDraft()
    await send(draft)
    const record = (recorded: string) =>
      draft.owner.call('recordLinkedinMessage', {
        ...{ prospectId: draft.prospectId, repId: draft.repId, type: 'manual', text: recorded },
      })
    await record('One moment.')
    expect((await findOpenTask(draft)).linkedinMessageId).toBe(draft.draftId)
    expect(await record(` ${text} `)).toMatchObject({ id: draft.draftId, status: 'sent' })
    expect(await findOpenTask(draft)).toBeUndefined()
    expect(await listMessages(draft)).toHaveLength(3)
  })

  it('results in one message when its task is completed with a text that was already recorded', async () => {
    const draft = await makeDraft()
    const { taskId } = await send(draft)
    const fields = { prospectId: draft.prospectId, repId: draft.repId, text: 'Friday.' }
    await draft.owner.call('recordLinkedinMessage', { ...fields, type: 'manual' })
    await app.owner`update linkedin_messages set provider_message_id = 'm1' where text = 'Friday.'`
    expect(await draft.owner.call('completeTask', { taskId: taskId!, text: 'Friday.' })).toMatchObject({
      status: 'completed',
    })
    expect((await listMessages(draft)).map(each => each.text)).toEqual(['Friday.', 'Yes'])
    expect(await listMessages(draft, 'draft')).toEqual([])
  })

  it('cannot be sent from another account or by a user who does not own its rep', async () => {
    const draft = await makeDraft()
    const { draftId: linkedinMessageId, owner } = draft
    const stranger = await makeCaller(app)
    const member = await makeCaller(app, 'member', owner.accountId)
    for (const { call } of [stranger, member])
      await expect(call('sendLinkedinDraft', { linkedinMessageId })).rejects.toMatchObject({
        code: 'NotFound',
      })
    const viewer = await makeCaller(app, 'viewer', owner.accountId)
    await expect(viewer.call('sendLinkedinDraft', { linkedinMessageId })).rejects.toMatchObject({
      code: 'Forbidden',
    })
    expect(await findOpenTask(draft)).toBeUndefined()
  })

  it('is not affected by changes to campaign steps, and does not count in the statistics of the steps', async () => {
    const draft = await makeDraft()
    await send(draft)
    const { campaignId, owner } = draft
    const before = await owner.call('getCampaignStats', { campaignId })
    expect(before.steps.map(({ tasks }) => tasks)).toEqual([
      { open: 1, completed: 0, skipped: 0, cancelled: 1 },
    ])
    await owner.call('setCampaignSteps', { campaignId, steps: [message, message] })
    expect(await findOpenTask(draft)).toMatchObject({ linkedinMessageId: draft.draftId })
  })
})

describe('two LinkedIn drafts in one conversation', () => {
  const makeSecond = async ({ owner, prospectId, repId }: Draft) =>
    owner.call('createLinkedinDraft', { prospectId, repId, text: 'Friday suits me.' })
  const sendDraft = ({ owner }: Draft, linkedinMessageId: string, more = {}) =>
    owner.call('sendLinkedinDraft', { linkedinMessageId, ...more })

  it('list each other, and sending the second requires force', async () => {
    const draft = await makeDraft()
    const second = await makeSecond(draft)
    expect(second.otherDraftIds).toEqual([draft.draftId])
    app.setNow(at(1))
    await send(draft)
    await draft.owner.call('updateLinkedinDraft', { linkedinMessageId: second.id, text: 'Monday suits me.' })
    await expect(sendDraft(draft, second.id)).rejects.toMatchObject({
      code: 'Conflict',
      details: [
        { path: 'force', message: expect.stringContaining(`replied at ${at(1).toISOString()}, after`) },
      ],
    })
    expect((await sendDraft(draft, second.id, { force: true })).taskId).toBeDefined()
  })

  it('require force after a message that the rep sent on LinkedIn, but not after one that the rep received', async () => {
    const draft = await makeDraft()
    const record = (type: 'manual' | 'received', minutes: number) =>
      draft.owner.call('recordLinkedinMessage', {
        prospectId: draft.prospectId,
        repId: draft.repId,
        type,
        text: `Hello at ${minutes}`,
        happenedAt: at(minutes).toISOString(),
      })
    await record('received', 1)
    const second = await makeSecond(draft)
    expect((await sendDraft(draft, second.id)).taskId).toBeDefined()
    app.setNow(at(2))
    const third = await makeSecond(draft)
    await record('manual', 3)
    await expect(sendDraft(draft, third.id)).rejects.toMatchObject({ details: [{ path: 'force' }] })
  })

  it('are not both sent when both are requested concurrently', async () => {
    const draft = await makeDraft()
    const second = await makeSecond(draft)
    app.setNow(at(1))
    const sent = await Promise.allSettled([draft.draftId, second.id].map(id => sendDraft(draft, id)))
    expect(sent.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
  })
})
