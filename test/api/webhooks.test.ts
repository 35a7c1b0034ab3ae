import { randomUUIDv7 } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { eventTypes } from '../../src/contract/webhooks.ts'
import { recordCallEvent } from '../../src/server/domain/calls/record-event.ts'
import { recordWinner } from '../../src/server/domain/campaigns/choose-winners.ts'
import { markMailboxFailing } from '../../src/server/domain/mailboxes/circuit-breaker.ts'
import { pauseMailbox } from '../../src/server/domain/mailboxes/pause-mailbox.ts'
import {
  insertEmailMessage,
  markEmailMessagesSent,
  setDelivery,
} from '../../src/server/domain/messages/write-email-messages.ts'
import { insertLinkedinMessage } from '../../src/server/domain/messages/write-linkedin-messages.ts'
import { stopProspect } from '../../src/server/domain/prospects/advance-prospects.ts'
import { completeCampaign } from '../../src/server/domain/prospects/complete-campaign.ts'
import { markAway, markReplied } from '../../src/server/domain/prospects/in-touch.ts'
import { recordProblems } from '../../src/server/domain/reports/record-problems.ts'
import { inAccount } from '../../src/server/kernel/context.ts'
import { type Caller, createCaller, makeCaller } from '../support/app.ts'
import { findEventErrors } from '../support/contract/document-check.ts'
import { makeWorld, type World } from '../support/contract/world.ts'
import { openTestServer, type TestServer } from '../support/http/server.ts'
import { deliverDueEvents, WebhookReceiver } from '../support/http/webhook-receiver.ts'

let server: TestServer
let receiver: WebhookReceiver
let owner: Caller
let world: World
beforeAll(async () => {
  server = await openTestServer({ ALLOW_PRIVATE_HOSTS: '127.0.0.1' })
  receiver = await WebhookReceiver.open()
  owner = await makeCaller(server.app)
  world = await makeWorld(server.app, owner)
  await owner.call('updateAccount', { assistantSendsNeedApproval: true })
  await owner.call('deleteWebhook', { webhookId: world.webhookId })
  await owner.call('createWebhook', {
    url: receiver.url(),
    eventTypes: ['*'],
  })
})
afterAll(async () => {
  await receiver[Symbol.asyncDispose]()
  await server[Symbol.asyncDispose]()
})

/** Returns the events that `work` causes, in no particular order. */
async function collectEvents(
  work: () => Promise<unknown>,
): Promise<{ type: string; data: Record<string, unknown> }[]> {
  receiver.posted.length = 0
  await work()
  await deliverDueEvents(server.app)
  for (const { event } of receiver.posted) {
    seenTypes.add(event.type)
    expect(findEventErrors(event), `${event.type} as documented`).toEqual([])
  }
  return receiver.posted.map(({ event: { type, data } }) => ({ type, data }))
}
const seenTypes = new Set<string>()
const inOwnerAccount = (work: Parameters<typeof inAccount<unknown>>[2]) =>
  inAccount(server.app.db.app, owner.accountId, work)
const event = (type: string, id: string, data: object = {}) => ({
  type,
  data: expect.objectContaining({ id, ...data }),
})
const makeAssistant = () => createCaller(server.app, { ...owner, actor: 'oauth:assistant' })
const makeProspect = async () => {
  const { campaignId } = world
  const added = await owner.call('addProspectsToCampaign', {
    campaignId,
    data: [{ email: `${randomUUIDv7()}@navy.example` }],
  })
  return (added.data[0] as { prospectId: string }).prospectId
}

describe('a webhook', () => {
  it('reports changes to the status of a prospect', async () => {
    let prospectId = ''
    const create = async () => {
      prospectId = await makeProspect()
    }
    expect(await collectEvents(create)).toEqual([
      event('prospect.created', prospectId, { objectType: 'prospect', status: 'pending' }),
    ])
    const steps: [type: string, work: () => Promise<unknown>][] = [
      ['prospect.paused', () => owner.call('pauseProspect', { prospectId })],
      ['prospect.resumed', () => owner.call('resumeProspect', { prospectId })],
      [
        'prospect.out_of_office',
        () => inOwnerAccount(tx => markAway(tx, prospectId, new Date('2100-01-01'))),
      ],
      ['prospect.replied', () => inOwnerAccount(tx => markReplied(tx, prospectId, null))],
    ]
    for (const [type, work] of steps) {
      expect(await collectEvents(work)).toEqual([
        event(type, prospectId, { status: type === 'prospect.resumed' ? 'pending' : type.slice(9) }),
      ])
    }
    for (const status of ['completed', 'bounced', 'opted_out', 'failed'] as const) {
      const other = await makeProspect()
      const stopped = await collectEvents(() =>
        inOwnerAccount(tx => stopProspect(tx, other, status, 'why', new Date())),
      )
      expect(stopped).toContainEqual(event(`prospect.${status}`, other, { status, statusReason: 'why' }))
    }
    for (const [mode, type] of [
      ['stop', 'prospect.stopped'],
      ['remove', 'prospect.removed'],
    ] as const) {
      const other = await makeProspect()
      const stop = () => owner.call('stopProspects', { prospectIds: [other], mode })
      expect(await collectEvents(stop)).toContainEqual(event(type, other, { objectType: 'prospect' }))
    }
  })

  it('reports each event of an email exactly once', async () => {
    const { emailThreadId: threadId } = world
    const recipients = { to: [{ name: 'Ada', email: 'ada@navy.example' }] }
    const message = {
      threadId,
      subject: 'Hello',
      body: 'Hi',
      bodyFormat: 'text' as const,
      sender: null,
      recipients,
      sentAt: new Date(),
    }
    const insert = (what: { type: 'received' | 'campaign'; status: 'sent' | null }) =>
      inOwnerAccount(tx =>
        insertEmailMessage(tx, { ...message, ...what, messageId: `<${randomUUIDv7()}@x>` }),
      )
    const id = randomUUIDv7()
    const planned = { ...message, id, type: 'campaign', status: null, messageId: `<${id}@x>` } as const
    expect(await collectEvents(() => inOwnerAccount(tx => insertEmailMessage(tx, planned)))).toEqual([])
    const sending = () => inOwnerAccount(tx => setDelivery(tx, id, 'sending', null))
    expect(await collectEvents(sending)).toEqual([])
    const unconfirm = () => inOwnerAccount(tx => setDelivery(tx, id, 'unconfirmed', 'lost'))
    expect(await collectEvents(unconfirm)).toEqual([
      event('email.unconfirmed', id, { deliveryStatus: 'unconfirmed' }),
    ])
    expect(
      await collectEvents(() => inOwnerAccount(tx => markEmailMessagesSent(tx, [id], new Date()))),
    ).toEqual([event('email.sent', id, { objectType: 'email_message', status: 'sent', body: 'Hi' })])
    const bounce = () => inOwnerAccount(tx => setDelivery(tx, id, 'bounced', 'hard'))
    expect(await collectEvents(bounce)).toEqual([event('email.bounced', id, { deliveryReason: 'hard' })])
    expect(await collectEvents(bounce)).toEqual([])
    const [received] = await collectEvents(() => insert({ type: 'received', status: 'sent' }))
    expect(received!.type).toBe('email.received')
    const [elsewhere] = await collectEvents(() => insert({ type: 'campaign', status: 'sent' }))
    expect(elsewhere!.type).toBe('email.sent')
    const failing = randomUUIDv7()
    await inOwnerAccount(tx =>
      insertEmailMessage(tx, { ...planned, id: failing, messageId: `<${failing}@x>` }),
    )
    expect(await collectEvents(() => inOwnerAccount(tx => setDelivery(tx, failing, 'failed', 'no')))).toEqual(
      [event('email.failed', failing)],
    )
    const requestApproval = () =>
      makeAssistant().call('sendEmailDraft', { emailMessageId: world.draftMessageId, force: true })
    expect(await collectEvents(requestApproval)).toEqual([
      event('email.approval_requested', world.draftMessageId, { approvalRequest: expect.anything() }),
    ])
    const tag = () =>
      owner.call('assignTags', { entityType: 'email_thread', entityId: threadId, tags: ['Hot'] })
    expect(await collectEvents(tag)).toEqual([])
  })

  it('reports LinkedIn messages', async () => {
    const insert = (type: 'received' | 'manual', status: 'sent' | 'draft') =>
      inOwnerAccount(tx =>
        insertLinkedinMessage(tx, {
          conversationRecordId: world.linkedinConversationId,
          text: 'Hi',
          type,
          status,
          happenedAt: new Date(),
        }),
      )
    expect((await collectEvents(() => insert('received', 'sent'))).map(({ type }) => type)).toEqual([
      'linkedin.received',
    ])
    expect((await collectEvents(() => insert('manual', 'sent'))).map(({ type }) => type)).toEqual([
      'linkedin.sent',
    ])
    expect(await collectEvents(() => insert('manual', 'draft'))).toEqual([])
    const requestApproval = () =>
      makeAssistant().call('sendLinkedinDraft', { linkedinMessageId: world.linkedinDraftId, force: true })
    expect(await collectEvents(requestApproval)).toEqual([
      event('linkedin.approval_requested', world.linkedinDraftId, { approvalRequest: expect.anything() }),
    ])
  })

  it('reports calls and their outcome', async () => {
    const { assistantId } = world
    const call = { assistantId, name: 'Ada', phoneNumber: '+442079460992' }
    let callId = ''
    const trigger = async () => {
      callId = (await owner.call('triggerAssistantCall', call)).callId
    }
    expect(await collectEvents(trigger)).toEqual([event('call.queued', callId, { objectType: 'call' })])
    await server.app.owner`update calls set status = 'dialing' where id = ${callId}`
    const record = (event: Parameters<typeof recordCallEvent>[3]) =>
      recordCallEvent(server.app, owner.accountId, callId, event)
    const happenedAt = new Date()
    const start = () => record({ type: 'status-update', status: 'in_progress', happenedAt } as never)
    expect(await collectEvents(start)).toEqual([event('call.started', callId, { status: 'in_progress' })])
    const end = () => record({ type: 'end-of-call', outcome: 'answered', endedAt: happenedAt } as never)
    expect(await collectEvents(end)).toEqual([event('call.ended', callId, { outcome: 'answered' })])
    expect(await collectEvents(end)).toEqual([])
  })

  it('reports conversations that are marked as read, closed, assigned and reopened', async () => {
    const conversationId = world.emailThreadId
    const update = (changes: object) => () =>
      owner.call('updateConversations', { conversationIds: [conversationId], ...changes })
    const updated = (data: object) => [event('conversation.updated', conversationId, data)]
    const { isUnread, status } = await owner.call('getConversation', { conversationId })
    expect({ isUnread, status }).toEqual({ isUnread: true, status: 'open' })
    expect(await collectEvents(update({ isUnread: false }))).toEqual(updated({ isUnread: false }))
    expect(await collectEvents(update({ status: 'done' }))).toEqual(updated({ status: 'done' }))
    expect(await collectEvents(update({ addTags: ['Hot'] }))).toEqual([])
    const assignee = { id: owner.userId }
    expect(await collectEvents(update({ assigneeId: owner.userId }))).toEqual(
      updated({ assignee: expect.objectContaining(assignee) }),
    )
    expect(await collectEvents(update({ status: 'open' }))).toEqual(updated({ status: 'open' }))
  })

  it('reports tasks that are created and closed', async () => {
    const { personId, repId } = world
    const task = { channel: 'call', title: 'Call them', dueAt: '2026-12-01T09:00:00Z' } as const
    for (const [verb, status] of [
      ['complete', 'completed'],
      ['skip', 'skipped'],
    ] as const) {
      let taskId = ''
      const create = async () => {
        taskId = (await owner.call('createTask', { ...task, personId, repId })).id
      }
      expect(await collectEvents(create)).toEqual([
        event('task.created', taskId, { objectType: 'task', status: 'open', personId }),
      ])
      expect(await collectEvents(() => owner.call(`${verb}Task`, { taskId }))).toEqual([
        event(`task.${status}`, taskId, { status }),
      ])
    }
    const open = await owner.call('getTask', { taskId: world.openTaskId })
    const fail = () => inOwnerAccount(tx => stopProspect(tx, open.prospectId!, 'failed', 'test', new Date()))
    expect(await collectEvents(fail)).toContainEqual(
      event('task.cancelled', open.id, { status: 'cancelled' }),
    )
  })

  it('reports added and removed opt-outs', async () => {
    const identifiers = ['ada@acme.example', 'rival.example'].map(identifier => ({ identifier }))
    const added = await collectEvents(() => owner.call('addOptOuts', { identifiers }))
    expect(added.map(({ type, data }) => [type, data.identifier]).sort()).toEqual([
      ['opt_out.added', 'ada@acme.example'],
      ['opt_out.added', 'rival.example'],
    ])
    expect(await collectEvents(() => owner.call('addOptOuts', { identifiers }))).toEqual([])
    const removed = await collectEvents(() => owner.call('removeOptOut', { identifier: 'rival.example' }))
    const { data } = added.find(({ data }) => data.identifier === 'rival.example')!
    expect(removed).toEqual([{ type: 'opt_out.removed', data }])
  })

  it('reports changes to the status of a campaign', async () => {
    let campaignId = ''
    const create = async () => {
      const steps = [{ subject: 'Hello', body: 'Hi' }]
      campaignId = (await owner.call('createCampaign', { name: 'New', repIds: [world.repId], steps })).id
    }
    expect(await collectEvents(create)).toEqual([event('campaign.created', campaignId, { status: 'draft' })])
    for (const [verb, status] of [
      ['launch', 'active'],
      ['pause', 'paused'],
      ['resume', 'active'],
    ] as const) {
      expect(await collectEvents(() => owner.call(`${verb}Campaign`, { campaignId }))).toEqual([
        event(`campaign.${verb.replace(/e$/, '')}ed`, campaignId, { objectType: 'campaign', status }),
      ])
    }
    expect(await collectEvents(() => owner.call('updateCampaign', { campaignId, name: 'Renamed' }))).toEqual(
      [],
    )
    const { data } = await owner.call('addProspectsToCampaign', {
      campaignId,
      data: [{ email: 'x@y.example' }],
    })
    const { prospectId } = data[0] as { prospectId: string }
    await inOwnerAccount(tx => stopProspect(tx, prospectId, 'completed', 'done', new Date()))
    expect(await collectEvents(() => inOwnerAccount(tx => completeCampaign(tx, campaignId)))).toContainEqual(
      event('campaign.completed', campaignId, { status: 'completed' }),
    )
  })

  it('reports the variant that wins a step', async () => {
    const { id: campaignId, steps } = await owner.call('createCampaign', {
      name: 'Contest',
      steps: [{ variants: ['A', 'B'].map(subject => ({ subject, body: 'Hi' })) }],
    })
    const [{ id: stepId, variants }] = steps as [(typeof steps)[number]]
    const variantIds = variants.map(({ id }) => id).sort()
    const numbers = { metric: 'replied' as const, pValue: 0.01, variants: [] }
    const winner = { ...numbers, variantId: variantIds[0]!, decidedAt: new Date().toISOString() }
    const win = () => inOwnerAccount(tx => recordWinner(tx, { campaignId, stepId, variantIds }, winner))
    expect(await collectEvents(win)).toContainEqual(event('campaign.variant_won', campaignId))
    expect(await collectEvents(win)).toEqual([])
  })

  it('reports problems that are opened and resolved', async () => {
    await recordProblems(server.app, owner.accountId)
    const pausing = async () => {
      await owner.call('pauseSending', {})
      await recordProblems(server.app, owner.accountId)
    }
    const problem = { objectType: 'problem', kind: 'sending_paused', message: 'All sending is paused.' }
    expect(await collectEvents(pausing)).toContainEqual({
      type: 'problem.opened',
      data: expect.objectContaining(problem),
    })
    const resuming = async () => {
      await owner.call('resumeSending', {})
      await recordProblems(server.app, owner.accountId)
    }
    expect(await collectEvents(resuming)).toContainEqual({
      type: 'problem.resolved',
      data: expect.objectContaining(problem),
    })
  })

  it('reports campaigns that cannot send because their mailbox fails', async () => {
    const { id: repId } = await owner.call('createRep', { name: 'Joan' })
    const email = 'joan@problems.example'
    const { id: mailboxId } = await owner.call('createMailbox', { repId, kind: 'sandbox', email })
    const steps = [{ subject: 'Hello', body: 'Hi' }]
    const { id: campaignId } = await owner.call('createCampaign', { name: 'Idle', repIds: [repId], steps })
    const data = [{ email: 'alan@problems.example' }]
    await owner.call('addProspectsToCampaign', { campaignId, data })
    await owner.call('launchCampaign', { campaignId })
    const failing = async () => {
      await inOwnerAccount(tx => markMailboxFailing(tx, mailboxId, 'Refused', new Date()))
      await recordProblems(server.app, owner.accountId)
    }
    expect(await collectEvents(failing)).toContainEqual({
      type: 'problem.opened',
      data: expect.objectContaining({
        kind: 'mailbox_failing',
        campaigns: [{ id: campaignId, name: 'Idle', prospects: 1 }],
      }),
    })
  })

  it('reports persons who are merged with a duplicate', async () => {
    const { id: personId } = await owner.call('createPerson', { email: 'ada@kept.example' })
    const { id: duplicateId } = await owner.call('createPerson', { email: 'ada@duplicate.example' })
    const merge = () => owner.call('mergePersons', { personId, duplicateIds: [duplicateId] })
    expect(await collectEvents(merge)).toEqual([
      event('person.merged', personId, { objectType: 'person', mergedPersonIds: [duplicateId] }),
    ])
  })

  it('reports meetings that are booked, moved and cancelled', async () => {
    const prospectId = await makeProspect()
    const startsAt = '2026-12-01T09:00:00.000Z'
    let meetingId = ''
    const record = async () => {
      meetingId = (await owner.call('recordMeeting', { prospectId, startsAt })).id
    }
    expect(await collectEvents(record)).toContainEqual(
      event('meeting.booked', meetingId, { objectType: 'meeting', prospectId, status: 'booked' }),
    )
    const later = '2026-12-02T09:00:00.000Z'
    expect(await collectEvents(() => owner.call('updateMeeting', { meetingId, startsAt: later }))).toEqual([
      event('meeting.rescheduled', meetingId, { startsAt: later }),
    ])
    expect(await collectEvents(() => owner.call('cancelMeeting', { meetingId }))).toEqual([
      event('meeting.cancelled', meetingId, { status: 'cancelled' }),
    ])
  })

  it('reports mailboxes that pause, resume, fail and recover', async () => {
    const { mailboxId } = world
    const expectEvent = async (type: string, data: object, change: () => Promise<unknown>) => {
      const expected = event(`mailbox.${type}`, mailboxId, { objectType: 'mailbox', ...data })
      expect(await collectEvents(change)).toEqual([expected])
      expect(await collectEvents(change)).toEqual([])
    }
    const pause = () => inOwnerAccount(tx => pauseMailbox(tx, mailboxId, 'Too many bounces'))
    await expectEvent('paused', { pauseReason: 'Too many bounces' }, pause)
    await expectEvent('resumed', { status: 'active' }, () => owner.call('resumeMailbox', { mailboxId }))
    const stop = () => inOwnerAccount(tx => markMailboxFailing(tx, mailboxId, 'Refused', new Date()))
    await expectEvent('failing', { status: 'failing', statusReason: 'Refused' }, stop)
    await expectEvent('recovered', { status: 'active' }, () => owner.call('verifyMailbox', { mailboxId }))
  })

  it('reports every event type of the contract', () => {
    expect([...seenTypes].sort()).toEqual([...eventTypes].sort())
  })
})

it('a change that is rolled back sends no event', async () => {
  const undo = inOwnerAccount(async tx => {
    await stopProspect(tx, world.prospectId, 'failed', 'no', new Date())
    throw new Error('undone')
  })
  expect(await collectEvents(() => undo.catch(() => {}))).toEqual([])
})

it('every subscribed webhook gets an event under the same ID; other webhooks and accounts get none', async () => {
  const stranger = await makeCaller(server.app)
  const add = (caller: Caller, path: string, type: string) =>
    caller.call('createWebhook', { url: receiver.url(path), eventTypes: [type] })
  await add(owner, '/one', 'opt_out.added')
  await add(owner, '/two', 'opt_out.*')
  await add(owner, '/other', 'opt_out.removed')
  await add(stranger, '/stranger', 'opt_out.*')
  await collectEvents(() => owner.call('addOptOuts', { identifiers: [{ identifier: 'third@acme.example' }] }))
  expect(receiver.posted.map(({ path }) => path).sort()).toEqual(['/events', '/one', '/two'])
  expect(new Set(receiver.posted.map(({ id }) => id)).size).toBe(1)
})

it('a change succeeds even when a subscribed webhook is removed at the same time', async () => {
  const { id } = await owner.call('createWebhook', { url: receiver.url(), eventTypes: ['opt_out.*'] })
  const { owner: database } = server.app
  const adding = Promise.withResolvers<unknown>()
  await database.begin(async tx => {
    await tx`delete from webhooks where id = ${id}`
    adding.resolve(owner.call('addOptOuts', { identifiers: [{ identifier: 'fourth@acme.example' }] }))
    const waiting = async () => {
      await tx`select pg_stat_clear_snapshot()`
      const found = await tx`
        select from pg_stat_activity
         where datname = current_database() and wait_event_type = 'Lock' and query like '%insert into opt_outs%'`
      return found.length
    }
    await expect.poll(waiting).toBe(1)
  })
  expect(await adding.promise).toMatchObject({ added: 1 })
})

it('an account has at most 20 webhooks, even when they are added at once', async () => {
  const caller = await makeCaller(server.app)
  const add = () => caller.call('createWebhook', { url: 'https://crm.example/', eventTypes: ['email.*'] })
  const results = await Promise.allSettled(Array.from({ length: 24 }, add))
  expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(20)
  await expect(add()).rejects.toThrow(/20 webhooks/)
})

it('only administrators can list webhooks, and the list contains no secrets', async () => {
  for (const role of ['viewer', 'member', 'manager'] as const) {
    const caller = await makeCaller(server.app, role, owner.accountId)
    await expect(caller.call('listWebhooks', {})).rejects.toThrow(/Account.ManageWebhooks/)
  }
  const admin = await makeCaller(server.app, 'admin', owner.accountId)
  const { data } = await admin.call('listWebhooks', {})
  expect(JSON.stringify(data)).not.toContain('whsec_')
})
