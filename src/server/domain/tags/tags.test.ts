import { randomUUIDv7 } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Caller, makeCaller, openTestApp, type TestApp } from '../../../../test/support/app.ts'
import {
  inAccountTransaction,
  makeDesk,
  makeEmail,
  makeThread,
} from '../../../../test/support/campaigns/inbox.ts'
import { isWaitingForLock } from '../../../../test/support/db/lock-waits.ts'
import { inAccount } from '../../kernel/context.ts'
import { insertLinkedinMessage, openConversation } from '../messages/write-linkedin-messages.ts'
import { ensureTags } from './tags.ts'

let app: TestApp
let admin: Caller
beforeAll(async () => {
  app = await openTestApp()
  admin = await makeCaller(app, 'admin')
})
afterAll(() => app[Symbol.asyncDispose]())

type Entity = { entityType: 'email_thread' | 'linkedin_conversation'; entityId: string }

/** Creates a thread or conversation with one message. */
const create = {
  email_thread: async (repId?: string) => {
    const entityId = await makeThread(app, admin, { repId: repId ?? null })
    const messageId = await makeEmail(app, admin, { threadId: entityId, type: 'received' })
    return { entity: { entityType: 'email_thread' as const, entityId }, messageId }
  },
  linkedin_conversation: async (repId?: string) => {
    const conversationId = randomUUIDv7()
    const [entityId, messageId] = await inAccountTransaction(app, admin, async tx => {
      const id = await openConversation(tx, { conversationId, repId: repId ?? null })
      const message = { text: 'Hello', type: 'received', status: 'sent', happenedAt: new Date() } as const
      return [id, await insertLinkedinMessage(tx, { conversationRecordId: id, ...message })]
    })
    return {
      entity: { entityType: 'linkedin_conversation' as const, entityId: entityId! },
      messageId: messageId!,
    }
  },
}
const listMessages = async ({ entityType }: Entity, tag: string) => {
  const list = entityType === 'email_thread' ? 'listEmailMessages' : 'listLinkedinMessages'
  return (await admin.call(list, { tag })).data.map(({ id, tags }) => ({ id, tags }))
}

describe.each(['email_thread', 'linkedin_conversation'] as const)('tags of %s objects', kind => {
  it('are created on first use, ignore case, and filter the messages', async () => {
    const { entity, messageId } = await create[kind]()
    const warm = `Wärm ${kind}`
    expect(await admin.call('assignTags', { ...entity, tags: [warm, warm.toUpperCase(), 'Later'] })).toEqual({
      tags: [warm, 'Later'],
    })
    expect(await admin.call('assignTags', { ...entity, tags: [warm.toLowerCase()] })).toEqual({
      tags: [warm, 'Later'],
    })
    expect(await listMessages(entity, warm.toUpperCase())).toEqual([{ id: messageId, tags: [warm, 'Later'] }])
    expect(
      await admin.call('unassignTags', { ...entity, tags: [warm.normalize('NFD').toUpperCase(), 'never'] }),
    ).toEqual({ tags: ['Later'] })
    expect(await listMessages(entity, warm)).toEqual([])
    expect(await listMessages(entity, 'later')).toEqual([{ id: messageId, tags: ['Later'] }])
    expect((await admin.call('listTags', { limit: 100 })).data.filter(tag => tag.name === warm)).toHaveLength(
      1,
    )
  })

  it('count as a change to the messages of the object when they are assigned, renamed or deleted', async () => {
    const { entity, messageId } = await create[kind]()
    const list = kind === 'email_thread' ? 'listEmailMessages' : 'listLinkedinMessages'
    const expectChange = async (change: () => Promise<unknown>) => {
      const [{ now } = { now: '' }] = await app.owner<
        { now: string }[]
      >`select api_time(clock_timestamp()) as now`
      await change()
      const { data } = await admin.call(list, { updatedSince: now })
      expect(data.map(({ id }) => id)).toEqual([messageId])
    }
    const name = `Changed ${kind}`
    await expectChange(() => admin.call('assignTags', { ...entity, tags: [name] }))
    const tagId = (await admin.call('listTags', { limit: 100 })).data.find(tag => tag.name === name)!.id
    await expectChange(() => admin.call('updateTag', { tagId, name: `${name} again` }))
    await expectChange(() => admin.call('deleteTag', { tagId }))
  })

  it('are limited to 50', async () => {
    const { entity } = await create[kind]()
    const tags = Array.from({ length: 50 }, (_, n) => `${kind} ${n}`)
    expect((await admin.call('assignTags', { ...entity, tags })).tags).toEqual(tags)
    await expect(admin.call('assignTags', { ...entity, tags: ['one more'] })).rejects.toMatchObject({
      code: 'ValidationError',
      details: [{ path: 'tags' }],
    })
    expect((await admin.call('assignTags', { ...entity, tags: [tags[7]!] })).tags).toHaveLength(50)
  })

  it('can be changed by callers who may read the object; to others, the object is unknown', async () => {
    const member = await makeCaller(app, 'member', admin.accountId)
    const ownDesk = await makeDesk(admin, member.userId)
    const { entity: ownEntity } = await create[kind](ownDesk.repId)
    expect((await member.call('assignTags', { ...ownEntity, tags: ['Mine'] })).tags).toEqual(['Mine'])
    const { entity: otherEntity } = await create[kind]()
    const strangers = [
      [member, otherEntity.entityId],
      [admin, randomUUIDv7()],
      [await makeCaller(app), otherEntity.entityId],
    ] as const
    for (const [caller, entityId] of strangers) {
      for (const name of ['assignTags', 'unassignTags'] as const) {
        await expect(caller.call(name, { ...otherEntity, entityId, tags: ['Mine'] })).rejects.toMatchObject({
          code: 'ValidationError',
          details: [{ path: 'entityId' }],
        })
      }
    }
  })

  it('are all kept when requests are concurrent', async () => {
    const { entity, messageId } = await create[kind]()
    const names = Array.from({ length: 8 }, (_, n) => `Race ${kind} ${n}`)
    await Promise.all(
      names.map((_, n) =>
        admin.call('assignTags', { ...entity, tags: [...names.slice(n), ...names.slice(0, n)].slice(0, 5) }),
      ),
    )
    const [message] = await listMessages(entity, names[3]!)
    expect(message).toMatchObject({ id: messageId })
    expect(message!.tags!.toSorted()).toEqual(names)
  })
})

describe('a tag', () => {
  const findTagId = async (caller: Caller, name: string) =>
    (await caller.call('listTags', { limit: 100 })).data.find(tag => tag.name === name)!.id

  /** Tags a person, a thread and a LinkedIn conversation; returns a function that reads their tags. */
  const tagEverything = async (caller: Caller, tags: string[]) => {
    const person = await caller.call('createPerson', { email: `${randomUUIDv7()}@x.example` })
    const thread = await create.email_thread()
    const conversation = await create.linkedin_conversation()
    const entities = [
      { entityType: 'person' as const, entityId: person.id },
      thread.entity,
      conversation.entity,
    ]
    for (const entity of entities) await caller.call('assignTags', { ...entity, tags })
    return async () => ({
      person: (await caller.call('getPerson', { personId: person.id })).tags ?? [],
      thread: (await caller.call('getEmailThread', { emailThreadId: thread.entity.entityId })).tags ?? [],
      linkedin:
        (
          await caller.call('getLinkedinConversation', {
            linkedinConversationId: conversation.entity.entityId,
          })
        ).tags ?? [],
    })
  }
  const tagsPerEntity = (tags: string[]) => ({ person: tags, thread: tags, linkedin: tags })
  const countTagged = async (caller: Caller, tag: string) => ({
    persons: (await caller.call('listPersons', { tag })).data.length,
    conversations: (await caller.call('listConversations', { view: 'all', tag })).data.length,
    emails: (await caller.call('listEmailMessages', { tag })).data.length,
    linkedin: (await caller.call('listLinkedinMessages', { tag })).data.length,
  })

  it('is renamed on everything that has it, and filters find it by its new name', async () => {
    const readTags = await tagEverything(admin, ['Lukewarm', 'Other'])
    const before = await countTagged(admin, 'Lukewarm')
    const tagId = await findTagId(admin, 'Lukewarm')
    expect(await admin.call('updateTag', { tagId, name: 'Hot' })).toMatchObject({ id: tagId, name: 'Hot' })
    expect(await readTags()).toEqual(tagsPerEntity(['Hot', 'Other']))
    expect(await countTagged(admin, 'Hot')).toEqual(before)
    expect((await admin.call('listEmailMessages', { tag: 'Lukewarm' })).data).toEqual([])
  })

  it('is renamed in the filters of shared views and of each member’s own views', async () => {
    await tagEverything(admin, ['Warm', 'Warmer'])
    const member = await makeCaller(app, 'member', admin.accountId)
    const view = { kind: 'people', filters: { tag: 'WARM', sort: 'name' } } as const
    await admin.call('createSavedView', { ...view, name: 'Ours', isShared: true })
    await admin.call('createSavedView', { ...view, name: 'Own' })
    await member.call('createSavedView', { ...view, name: 'Theirs' })
    await admin.call('createSavedView', { ...view, name: 'Other', filters: { tag: 'Warmer' } })
    await admin.call('updateTag', { tagId: await findTagId(admin, 'Warm'), name: 'Boiling' })
    const readTags = async (caller: Caller) =>
      Object.fromEntries(
        (await caller.call('listSavedViews', {})).data.map(({ name, filters }) => [name, filters.tag]),
      )
    expect(await readTags(admin)).toEqual({ Ours: 'Boiling', Own: 'Boiling', Other: 'Warmer' })
    expect(await readTags(member)).toEqual({ Ours: 'Boiling', Theirs: 'Boiling' })
  })

  it('can get another spelling of its own name, but not the name of another tag', async () => {
    await tagEverything(admin, ['Cold lead', 'Taken'])
    const tagId = await findTagId(admin, 'Cold lead')
    await admin.call('updateTag', { tagId, name: 'COLD LEAD' })
    await expect(admin.call('updateTag', { tagId, name: 'taken' })).rejects.toMatchObject({
      code: 'Conflict',
      message: 'The tag Taken already exists.',
    })
  })

  it('cannot get the name of a tag that is created at the same time', async () => {
    await tagEverything(admin, ['Tepid'])
    const tagId = await findTagId(admin, 'Tepid')
    let refusal: Promise<void> | undefined
    await inAccount(app.owner, admin.accountId, async sql => {
      await ensureTags({ ...admin.context, sql }, ['VIP'])
      refusal = expect(admin.call('updateTag', { tagId, name: 'vip' })).rejects.toMatchObject({
        code: 'Conflict',
        message: 'The tag vip already exists.',
      })
      await expect.poll(() => isWaitingForLock(app)).toBe(true)
    })
    await refusal
  })

  it('is removed from everything when it is deleted, and can be assigned again', async () => {
    const readTags = await tagEverything(admin, ['Passing', 'Staying'])
    const tagId = await findTagId(admin, 'Passing')
    await admin.call('deleteTag', { tagId })
    expect(await readTags()).toEqual(tagsPerEntity(['Staying']))
    expect((await admin.call('listConversations', { view: 'all', tag: 'Passing' })).data).toEqual([])
    await tagEverything(admin, ['Passing'])
    expect(await findTagId(admin, 'Passing')).not.toBe(tagId)
  })

  it('is found by filters only on objects that still have it if it is assigned while it is being deleted', async () => {
    for (let n = 0; n < 5; n++) {
      const name = `Fleeting ${n}`
      await tagEverything(admin, [name])
      const { entity } = await create.email_thread()
      const [, assigned] = await Promise.all([
        admin.call('deleteTag', { tagId: await findTagId(admin, name) }),
        admin.call('assignTags', { ...entity, tags: [name] }),
      ])
      expect(assigned.tags).toEqual([name])
      const { tags = [] } = await admin.call('getEmailThread', { emailThreadId: entity.entityId })
      expect((await admin.call('listEmailMessages', { tag: name })).data).toHaveLength(tags.length)
    }
  })

  it('is managed only by managers of its own account', async () => {
    await tagEverything(admin, ['Ours'])
    const tagId = await findTagId(admin, 'Ours')
    const member = await makeCaller(app, 'member', admin.accountId)
    await expect(member.call('deleteTag', { tagId })).rejects.toMatchObject({ code: 'Forbidden' })
    const stranger = await makeCaller(app)
    await expect(stranger.call('updateTag', { tagId, name: 'X' })).rejects.toMatchObject({ code: 'NotFound' })
    await expect(stranger.call('deleteTag', { tagId })).rejects.toMatchObject({ code: 'NotFound' })
  })
})
