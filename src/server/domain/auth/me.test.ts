import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createCaller, makeCaller, openTestApp, type TestApp } from '../../../../test/support/app.ts'
import { makeDesk, makeEmail, makeThread } from '../../../../test/support/campaigns/inbox.ts'
import { createApiToken } from './stored-api-tokens.ts'

let app: TestApp
beforeAll(async () => {
  app = await openTestApp()
})
afterAll(() => app[Symbol.asyncDispose]())

describe('getMe', () => {
  it('returns the user, the account, the role with its permissions, and the API token', async () => {
    const viewer = await makeCaller(app, 'viewer')
    const { id } = await createApiToken(app.db.auth, {
      userId: viewer.userId,
      name: 'CRM sync',
      expiresAt: new Date('2099-01-01T00:00:00Z'),
    })
    const caller = createCaller(app, { ...viewer, actor: `token:${id}`, isReadOnly: true })
    const me = await caller.call('getMe', {})
    expect(me).toMatchObject({
      user: { id: viewer.userId },
      account: { id: viewer.accountId, name: 'Acme', timezone: 'UTC' },
      role: 'viewer',
      isReadOnly: true,
      accounts: [{ id: viewer.accountId, name: 'Acme', role: 'viewer' }],
      token: { id, name: 'CRM sync', expiresAt: '2099-01-01T00:00:00.000Z' },
    })
    expect(me.permissions).toMatchObject({ 'Inbox.ReadInbox': 'all', 'User.ManageSelf': 'all' })
    expect(me.permissions).not.toHaveProperty('Inbox.SendMessage')
  })

  it("lists all of the user's accounts, but shows a connected app only its own", async () => {
    const user = await makeCaller(app, 'member')
    const { accountId: other } = await makeCaller(app)
    await app.owner`insert into members (account_id, user_id, role) values (${other}, ${user.userId}, 'admin')`
    expect((await user.call('getMe', {})).accounts.map(({ id, role }) => [id, role])).toEqual([
      [user.accountId, 'member'],
      [other, 'admin'],
    ])
    const application = createCaller(app, { ...user, actor: 'oauth:grant' })
    expect((await application.call('getMe', {})).accounts.map(({ id }) => id)).toEqual([user.accountId])
  })

  it('counts pending work, and for a member only the work of their own reps', async () => {
    const owner = await makeCaller(app)
    const desk = await makeDesk(owner)
    const threadId = await makeThread(app, owner, desk)
    const emailMessageIdToReplyTo = await makeEmail(app, owner, { ...desk, threadId })
    const { prospectId } = desk
    await owner.call('createEmailDraft', { prospectId, emailMessageIdToReplyTo, body: 'Thank you' })
    const nothing = {
      tasks: 0,
      replies: 0,
      emailDrafts: 0,
      linkedinDrafts: 0,
      unconfirmedEmails: 0,
      callRequests: 0,
      problems: 0,
    }
    expect((await owner.call('getMe', {})).waiting).toEqual({ ...nothing, emailDrafts: 1 })
    const hoursAgo = (hours: number) => new Date(app.now().getTime() - hours * 3_600_000)
    const receive = async (message: object) =>
      makeEmail(app, owner, {
        ...desk,
        threadId: await makeThread(app, owner, desk),
        type: 'received',
        sentAt: hoursAgo(1),
        ...message,
      })
    await receive({})
    await receive({ received: { kind: 'auto_reply', newText: 'Away.', attachments: [] } })
    await receive({ sentAt: hoursAgo(24 * 365) })
    expect((await owner.call('getMe', {})).waiting).toEqual({ ...nothing, emailDrafts: 1, replies: 2 })
    const member = await makeCaller(app, 'member', owner.accountId)
    expect((await member.call('getMe', {})).waiting).toEqual(nothing)
  })
})
