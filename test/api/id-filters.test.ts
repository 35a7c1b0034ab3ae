import { randomUUIDv7 } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { type OperationName, operations, type RawInput } from '../../src/contract/index.ts'
import type { Operation } from '../../src/contract/operation.ts'
import { type Caller, makeCaller, openTestApp, type TestApp } from '../support/app.ts'
import { createRequests, makeWorld, type World } from '../support/contract/world.ts'

/** Every ID filter of every list and report, so that new ones are tested automatically. */
const filters = (Object.entries(operations) as [OperationName, Operation][])
  .filter(([, { input }]) => 'cursor' in input.shape || 'groupBy' in input.shape)
  .flatMap(([name, { input, path }]) => {
    const { properties = {} } = z.toJSONSchema(input, { io: 'input', unrepresentable: 'any' })
    return Object.entries(properties)
      .filter(([, schema]) => (schema as { format?: string }).format === 'uuid')
      .filter(([field]) => !path.includes(`{${field}}`))
      .map(([field]): [OperationName, string] => [name, field])
  })

/** Returns an ID for each kind of object, keyed by its name in error messages. */
const listIds = (world: World): Record<string, string> => ({
  'a campaign': world.campaignId,
  'a step': world.stepId,
  'a prospect': world.prospectId,
  'a person': world.personId,
  'a company': world.companyId,
  'a custom field': world.customFieldId,
  'an email thread': world.emailThreadId,
  'an email message': world.receivedMessageId,
  'a LinkedIn conversation': world.linkedinConversationId,
  'a LinkedIn message': world.linkedinDraftId,
  'a snippet': world.snippetId,
  'a saved view': world.savedViewId,
  'a note': world.noteId,
  'a meeting': world.meetingId,
  'a task': world.openTaskId,
  'a call': world.callId,
  'a call request': world.callRequestId,
  'a consent': world.consentId,
  'an assistant': world.assistantId,
  'a rep': world.repId,
  'a mailbox': world.mailboxId,
  'a LinkedIn account': world.linkedinAccountId,
  'a domain': world.domainId,
  'a member': world.memberId,
  'a webhook': world.webhookId,
})

let app: TestApp
let world: World
beforeAll(async () => {
  app = await openTestApp()
  world = await makeWorld(app, await makeCaller(app))
})
afterAll(() => app[Symbol.asyncDispose]())

const list = (who: Caller, name: OperationName, input: object) =>
  who.call(name, input as RawInput<typeof name>)

it('at least 14 ID filters are tested', () => {
  expect(filters.length).toBeGreaterThanOrEqual(14)
})

describe.each(filters)('%s by %s', (name, field) => {
  it('accepts the ID of an existing object and returns 404 for any other ID', async () => {
    const ids = listIds(world)
    const validId =
      (createRequests(world)[name] as Record<string, string>)[field] ??
      { ...world, addedById: world.memberId, assigneeId: world.memberId, ownerRepId: world.repId }[
        field as 'prospectId'
      ]
    await expect(list(world.caller, name, { [field]: validId })).resolves.toMatchObject({ hasMore: false })
    await expect(list(world.caller, name, { [field]: randomUUIDv7() })).rejects.toMatchObject({
      code: 'NotFound',
      message: expect.stringMatching(new RegExp(`^${field}: there is no [\\w ]+ with this ID\\.$`)),
      details: [{ path: field }],
    })
    for (const [kind, id] of Object.entries(ids).filter(([, id]) => id !== validId)) {
      await expect(list(world.caller, name, { [field]: id }), kind).rejects.toMatchObject({
        code: 'NotFound',
        message: expect.stringContaining(`${field}: this is the ID of ${kind}, not of `),
      })
    }
  })
})

it('an error names the one invalid filter among several', async () => {
  const input = { campaignId: world.campaignId, prospectId: world.prospectId, repId: world.prospectId }
  await expect(world.caller.call('listEmailMessages', input)).rejects.toMatchObject({
    code: 'NotFound',
    message: 'repId: this is the ID of a prospect, not of a rep.',
  })
})

it('an error reveals nothing about objects that the caller cannot read', async () => {
  const member = await makeCaller(app, 'member', world.caller.accountId)
  const unreadableKinds = [
    'an email thread',
    'an email message',
    'a LinkedIn conversation',
    'a LinkedIn message',
  ]
  for (const kind of [...unreadableKinds, 'a task', 'a call', 'a call request', 'a webhook']) {
    await expect(member.call('listProspects', { campaignId: listIds(world)[kind]! })).rejects.toMatchObject({
      message: 'campaignId: there is no campaign with this ID.',
    })
  }
  await expect(
    member.call('listEmailMessages', { emailThreadId: world.emailThreadId }),
  ).rejects.toMatchObject({ message: 'emailThreadId: there is no email thread with this ID.' })
})

it('a list is empty when its filter names an object that exists but has no rows', async () => {
  const { id: campaignId } = await world.caller.call('createCampaign', { name: 'Nobody yet' })
  await expect(world.caller.call('listProspects', { campaignId })).resolves.toEqual({
    data: [],
    hasMore: false,
  })
})
