import type { Email } from 'postal-mime'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type Caller, makeCaller, openTestApp, type TestApp } from '../../../../test/support/app.ts'
import { type Desk, makeDesk, makeEmail, makeThread } from '../../../../test/support/campaigns/inbox.ts'
import { deliverDueEvents, WebhookReceiver } from '../../../../test/support/http/webhook-receiver.ts'
import { type MailServer, openMailServer } from '../../../../test/support/mail/mail-server.ts'
import { claimProblemChecks } from '../accounts/problem-checks.ts'
import { recordProblems } from '../reports/record-problems.ts'
import { notifyMembers } from './notify-members.ts'

let mailServer: MailServer
let app: TestApp
let owner: Caller
beforeAll(async () => {
  mailServer = await openMailServer()
  app = await openTestApp({ ...mailServer.settings, ALLOW_PRIVATE_HOSTS: '127.0.0.1' })
})
beforeEach(async () => {
  mailServer.emails.length = 0
  mailServer.busy.clear()
  mailServer.recipients.length = 0
  app.setNow('2026-11-25T06:00:00.000Z')
  owner = await makeCaller(app)
})
afterAll(async () => {
  await app?.[Symbol.asyncDispose]()
  await mailServer?.[Symbol.asyncDispose]()
})

/** Records problems after this many minutes and notifies members, as the engine does. */
async function check(minutes = 0): Promise<void> {
  app.setNow(new Date(app.now().getTime() + minutes * 60_000))
  await recordProblems(app, owner.accountId)
  await notifyMembers(app, owner.accountId, new AbortController().signal)
}
const getAddress = ({ to }: Email) => to![0]!.address
const readEmail = async ({ call }: Caller) => (await call('getMe', {})).user.email
const list = async (who: Caller) => (await who.call('listNotifications', {})).data
const listUnread = async (who: Caller) => (await who.call('listNotifications', { unread: true })).data
const choose = (
  who: Caller,
  kind: 'reply' | 'task' | 'problem' | 'approval',
  email: 'at_once' | 'digest' | 'never',
) => who.call('updateNotificationSettings', { kinds: { [kind]: { email } } })

async function makeTask(title: string, dueAt: string, who = owner) {
  const [rep] = (await who.call('listReps', {})).data
  const repId = rep?.id ?? (await who.call('createRep', { name: 'Ada Byron' })).id
  const { id: personId } = await owner.call('createPerson', {
    email: `${title.replaceAll(' ', '.')}@navy.example`,
  })
  return owner.call('createTask', { title, channel: 'call', dueAt, personId, repId })
}

/** Adds tasks that are due now. */
async function addDueTasks(count: number): Promise<void> {
  const { id } = await makeTask('Call 1', app.now().toISOString())
  await app.owner`
    insert into tasks (account_id, id, channel, title, person_id, rep_id, due_at)
    select account_id, gen_random_uuid(), channel, 'Call ' || n, person_id, rep_id, due_at
      from tasks cross join generate_series(2, ${count}) n
     where id = ${id}`
}

it('problem.opened and problem.resolved report a problem once, with the same fields as listProblems', async () => {
  await using receiver = await WebhookReceiver.open()
  await owner.call('createWebhook', { url: receiver.url(), eventTypes: ['problem.*'] })
  await check()
  await owner.call('pauseSending', { reason: 'Wrong list' })
  const [problem] = (await owner.call('listProblems', {})).data
  for (const _ of [1, 2]) await check(1)
  await owner.call('resumeSending', {})
  for (const _ of [1, 2]) await check(1)
  await deliverDueEvents(app)
  const events = receiver.posted.map(({ event }) => event)
  expect(events.map(({ type }) => type).sort()).toEqual(['problem.opened', 'problem.resolved'])
  expect(new Set(events.map(({ data }) => data.id)).size).toBe(1)
  for (const { data } of events) expect(data).toMatchObject({ objectType: 'problem', ...problem })
})

it('getMe counts problems', async () => {
  expect((await owner.call('getMe', {})).waiting.problems).toBe(0)
  await owner.call('pauseSending', {})
  expect((await owner.call('getMe', {})).waiting.problems).toBe(1)
})

describe('a notification', () => {
  it('is created once per problem for everyone who can resolve it, and is marked as read once the problem is resolved', async () => {
    const manager = await makeCaller(app, 'manager', owner.accountId)
    const member = await makeCaller(app, 'member', owner.accountId)
    await owner.call('pauseSending', { reason: 'Wrong list' })
    for (const _ of [1, 2, 3]) await check(1)
    for (const who of [owner, manager]) {
      expect(await listUnread(who)).toMatchObject([
        {
          kind: 'problem',
          title: 'All sending is paused: Wrong list.',
          text: expect.stringContaining('Resume sending'),
          url: 'https://outreach.acme.example/',
        },
      ])
    }
    expect(await list(member)).toEqual([])
    await owner.call('resumeSending', {})
    await check(1)
    expect(await listUnread(manager)).toEqual([])
    expect(await list(manager)).toMatchObject([{ readAt: app.now().toISOString() }])
  })

  describe('about a reply', () => {
    let desk: Desk
    let threadId: string
    beforeEach(async () => {
      desk = await makeDesk(owner)
      threadId = await makeThread(app, owner, desk)
      await makeEmail(app, owner, { ...desk, threadId, sentAt: app.now() })
    })
    const reply = () =>
      makeEmail(app, owner, {
        ...{ ...desk, threadId, type: 'received', subject: 'Re: Engines' },
        sentAt: app.now(),
      })

    it('goes to the rep’s owner, names the person and links to the conversation', async () => {
      await makeCaller(app, 'manager', owner.accountId)
      await reply()
      for (const _ of [1, 2]) await check(1)
      expect((await list(owner)).filter(({ kind }) => kind === 'reply')).toMatchObject([
        {
          title: expect.stringMatching(/ replied$/),
          text: 'Re: Engines',
          about: { objectType: 'conversation', id: threadId },
          url: `https://outreach.acme.example/inbox/${threadId}`,
        },
      ])
    })

    it('goes to the conversation’s assignee, if it has one, once for each reply', async () => {
      const manager = await makeCaller(app, 'manager', owner.accountId)
      await reply()
      await owner.call('updateConversations', { conversationIds: [threadId], assigneeId: manager.userId })
      await check(1)
      const countReplies = async (who: Caller) =>
        (await list(who)).filter(({ kind }) => kind === 'reply').length
      expect([await countReplies(owner), await countReplies(manager)]).toEqual([0, 1])
      app.setNow(new Date(app.now().getTime() + 60_000))
      await reply()
      await check(1)
      expect(await countReplies(manager)).toBe(2)
    })

    it('goes to the rep’s owner if the assignee’s role can no longer read the conversation', async () => {
      const ann = await makeCaller(app, 'member', owner.accountId)
      const bob = await makeCaller(app, 'manager', owner.accountId)
      await owner.call('updateRep', { repId: desk.repId, ownedById: ann.userId })
      await reply()
      await owner.call('updateConversations', { conversationIds: [threadId], assigneeId: bob.userId })
      await owner.call('updateMember', { memberId: bob.userId, role: 'member' })
      await check(1)
      expect(await list(ann)).toMatchObject([{ text: 'Re: Engines' }])
      expect(await list(bob)).toEqual([])
    })

    it('shows and emails nothing to a member whose rep was given to somebody else', async () => {
      const ann = await makeCaller(app, 'member', owner.accountId)
      await choose(ann, 'reply', 'at_once')
      await owner.call('updateRep', { repId: desk.repId, ownedById: ann.userId })
      await reply()
      await check(1)
      expect(await list(ann)).toMatchObject([{ text: 'Re: Engines' }])
      const annsEmail = await readEmail(ann)
      const countEmails = () => mailServer.emails.filter(email => getAddress(email) === annsEmail).length
      expect(countEmails()).toBe(1)
      app.setNow(new Date(app.now().getTime() + 60_000))
      await reply()
      await check(1)
      await owner.call('updateRep', { repId: desk.repId, ownedById: owner.userId })
      await check(20)
      expect(countEmails()).toBe(1)
      const notifications = await list(ann)
      expect(notifications).toHaveLength(2)
      for (const { title, text, url } of notifications) {
        expect([title, text]).toEqual(['This item is no longer available', undefined])
        expect(url).toBe('https://outreach.acme.example/')
      }
    })

    it('is marked as read once the conversation is done', async () => {
      await reply()
      await check(1)
      await owner.call('updateConversations', { conversationIds: [threadId], status: 'done' })
      await check(1)
      expect((await listUnread(owner)).filter(({ kind }) => kind === 'reply')).toEqual([])
    })
  })

  it('is created when a task is due, and again after the task is postponed', async () => {
    const { id: taskId } = await makeTask('Call Grace', '2026-11-25T09:00:00Z')
    await check(120)
    expect(await list(owner)).toEqual([])
    await check(60)
    await check(1)
    expect(await list(owner)).toMatchObject([{ kind: 'task', title: 'Task: Call Grace' }])
    await owner.call('updateTask', { taskId, dueAt: '2026-11-25T10:00:00Z' })
    await check(60)
    expect(await list(owner)).toHaveLength(2)
    await owner.call('completeTask', { taskId })
    await check(1)
    expect(await listUnread(owner)).toEqual([])
  })

  it('is created for each event, even if there are too many for one check', async () => {
    await addDueTasks(600)
    await check()
    await check(1)
    const [created] = await app.owner<{ count: number }[]>`
      select count(*)::int as count from notifications where account_id = ${owner.accountId} and kind = 'task'`
    expect(created!.count).toBe(600)
  })

  it('names the person to call when a call needs approval, and is marked as read when the request expires', async () => {
    await owner.call('updateAccount', { assistantsMayRequestCalls: true })
    const { id: assistantId } = await owner.call('createAssistant', {
      name: 'Desk',
      fromNumber: '+442079460018',
    })
    await owner.call('requestCall', {
      ...{ assistantId, name: 'Alan Turing', phoneNumber: '+442079460019', reason: 'He asked for it.' },
    })
    await check()
    expect(await listUnread(owner)).toMatchObject([{ kind: 'approval', text: 'Alan Turing' }])
    await check(7 * 24 * 60 - 1)
    expect(await listUnread(owner)).toHaveLength(1)
    await check(1)
    expect(await listUnread(owner)).toEqual([])
  })

  it('can be marked as read only by its user', async () => {
    const manager = await makeCaller(app, 'manager', owner.accountId)
    await owner.call('pauseSending', {})
    await check()
    const [notification] = await list(owner)
    expect(await manager.call('readNotifications', { notificationIds: [notification!.id] })).toEqual({
      count: 0,
    })
    expect(await owner.call('readNotifications', {})).toEqual({ count: 1 })
    expect(await owner.call('readNotifications', {})).toEqual({ count: 0 })
    expect([await listUnread(owner), await listUnread(manager)]).toMatchObject([[], [{ kind: 'problem' }]])
  })

  it('is hidden from other users by the database itself', async () => {
    const manager = await makeCaller(app, 'manager', owner.accountId)
    await owner.call('pauseSending', {})
    await check()
    const count = (userId: string) =>
      app.db.app.begin(async sql => {
        await sql`select set_config('app.account_id', ${owner.accountId}, true), set_config('app.user_id', ${userId}, true)`
        const [row] = await sql<{ count: number; own: number }[]>`
          select count(*)::int as count, count(*) filter (where user_id::text = ${userId})::int as own from notifications`
        return row
      })
    expect(await count(manager.userId)).toEqual({ count: 1, own: 1 })
    expect(await count('')).toEqual({ count: 0, own: 0 })
  })

  it('is not created for members who turned it off, and is deleted after 30 days', async () => {
    const manager = await makeCaller(app, 'manager', owner.accountId)
    await manager.call('updateNotificationSettings', { kinds: { problem: { isInApp: false } } })
    await owner.call('pauseSending', {})
    await check()
    expect(await list(manager)).toEqual([])
    expect(await list(owner)).toHaveLength(1)
    await owner.call('resumeSending', {})
    await check(31 * 24 * 60)
    expect(await list(owner)).toEqual([])
  })
})

describe('notification settings', () => {
  it('default to those of the role, and keep fields that an update omits', async () => {
    const manager = await makeCaller(app, 'manager', owner.accountId)
    expect(await manager.call('getNotificationSettings', {})).toMatchObject({
      kinds: { problem: { isInApp: true, email: 'never' } },
      digestHour: 8,
      timezone: 'UTC',
      isAccountTimezone: true,
      canEmail: true,
    })
    expect((await owner.call('getNotificationSettings', {})).kinds.problem.email).toBe('at_once')
    await manager.call('updateNotificationSettings', { kinds: { reply: { email: 'digest' } }, digestHour: 7 })
    const changed = await manager.call('updateNotificationSettings', {
      kinds: { reply: { isInApp: false } },
      timezone: 'Europe/Lisbon',
    })
    expect(changed).toMatchObject({
      kinds: { reply: { isInApp: false, email: 'digest' } },
      ...{ digestHour: 7, timezone: 'Europe/Lisbon', isAccountTimezone: false },
    })
    expect(await manager.call('updateNotificationSettings', { timezone: null })).toMatchObject({
      timezone: 'UTC',
    })
    expect((await owner.call('getNotificationSettings', {})).kinds.reply.email).toBe('never')
  })

  it('must have a valid time zone', async () => {
    await expect(
      owner.call('updateNotificationSettings', { timezone: 'Europe/Nowhere' }),
    ).rejects.toMatchObject({
      code: 'ValidationError',
      details: [{ path: 'timezone' }],
    })
  })
})

describe('immediate emails', () => {
  it('report problems only to owners: the first immediately, then at most once every 15 minutes', async () => {
    const { accountId } = owner
    const second = await makeCaller(app, 'owner', accountId)
    await makeCaller(app, 'admin', accountId)
    await owner.call('pauseSending', { reason: 'Wrong list' })
    await check()
    expect(mailServer.emails.map(getAddress).sort()).toEqual(
      [await readEmail(owner), await readEmail(second)].sort(),
    )
    const [mail] = mailServer.emails
    expect(mail).toMatchObject({
      subject: 'All sending is paused: Wrong list.',
      from: { address: 'overture@acme.example' },
    })
    for (const body of [mail!.text, mail!.html]) {
      expect(body).toContain('Resume sending')
      expect(body).toContain('https://outreach.acme.example/settings/notifications')
    }

    mailServer.emails.length = 0
    await owner.call('createDomain', { domain: 'acme.example' })
    await app.owner`
      update domains set checks = '[{"name": "spf", "status": "error", "message": "There is no SPF record."}]'
       where account_id = ${accountId}`
    await check(14)
    expect(mailServer.emails).toEqual([])
    await check(1)
    expect(mailServer.emails).toHaveLength(2)
    expect(mailServer.emails[0]!.text).toContain('There is no SPF record.')
    expect(mailServer.emails[0]!.text).not.toContain('paused')
    await check(60)
    expect(mailServer.emails).toHaveLength(2)
  })

  it('omit notifications that were already read or resolved', async () => {
    await owner.call('pauseSending', {})
    await check()
    mailServer.emails.length = 0
    await choose(owner, 'task', 'at_once')
    await makeTask('Call Grace', '2026-11-25T06:02:00Z')
    const { id: taskId } = await makeTask('Call Alan', '2026-11-25T06:02:00Z')
    await check(5)
    await owner.call('completeTask', { taskId })
    await check(15)
    expect(mailServer.emails).toMatchObject([{ subject: 'Task: Call Grace' }])
  })

  it('list 20 notifications and count the others', async () => {
    await choose(owner, 'task', 'at_once')
    await addDueTasks(35)
    await check()
    expect(mailServer.emails).toMatchObject([{ subject: '35 notifications from Acme' }])
    const [{ text } = { text: '' }] = mailServer.emails
    expect(text!.match(/^Task: /gm)).toHaveLength(20)
    expect(text).toContain('15 more notifications\nhttps://outreach.acme.example/\n')
  })

  it('include notifications that the web app does not show, even after all are marked as read', async () => {
    await owner.call('updateNotificationSettings', { kinds: { task: { isInApp: false, email: 'at_once' } } })
    await owner.call('pauseSending', {})
    await check()
    mailServer.emails.length = 0
    await makeTask('Call Grace', '2026-11-25T06:01:00Z')
    await check(1)
    expect(await owner.call('readNotifications', {})).toEqual({ count: 1 })
    await check(15)
    expect(mailServer.emails).toMatchObject([{ subject: 'Task: Call Grace' }])
  })

  it('show content from other people as plain text, in both parts and in the subject', async () => {
    await choose(owner, 'reply', 'at_once')
    const desk = await makeDesk(owner)
    const threadId = await makeThread(app, owner, desk)
    const message = { ...desk, threadId, sentAt: app.now() }
    await makeEmail(app, owner, message)
    await owner.call('updatePerson', { personId: desk.personId, firstName: '<b>Ada</b>' })
    await makeEmail(app, owner, { ...message, type: 'received', subject: '<img src=x onerror=alert(1)>' })
    await check()
    const mail = mailServer.emails.find(({ subject }) => subject?.includes('replied'))!
    expect(mail.subject).toBe('<b>Ada</b> replied')
    expect(mail.html).not.toMatch(/<img|<b>/)
    expect(mail.html).toContain('&lt;img src=x onerror=alert(1)&gt;')
    expect(mail.text).toContain('<img src=x onerror=alert(1)>')
  })

  it('are limited to 20 a day, and the rest are combined the next day', async () => {
    await choose(owner, 'task', 'at_once')
    const start = app.now().getTime()
    for (let n = 1; n <= 22; n++) {
      await makeTask(`Call ${n}`, new Date(start + n * 20 * 60_000).toISOString())
    }
    for (let n = 1; n <= 22; n++) await check(20)
    expect(mailServer.emails).toHaveLength(20)
    await check(17 * 60)
    expect(mailServer.emails).toHaveLength(21)
    for (const title of ['Call 21', 'Call 22']) expect(mailServer.emails.at(-1)!.text).toContain(title)
  })

  it('are retried when they fail, and never sent twice', async () => {
    const second = await makeCaller(app, 'owner', owner.accountId)
    const address = await readEmail(owner)
    mailServer.busy.add(address)
    await owner.call('pauseSending', {})
    await check()
    await check(1)
    expect(mailServer.emails.map(getAddress)).toEqual([await readEmail(second)])
    mailServer.busy.clear()
    await check(10)
    await check(60)
    expect(mailServer.emails.map(getAddress)).toEqual([await readEmail(second), address])
  })

  it('are sent once the mail server is back within 12 hours, and are skipped after that', async () => {
    const address = await readEmail(owner)
    mailServer.busy.add(address)
    await owner.call('pauseSending', {})
    for (let halfHour = 0; halfHour < 20; halfHour++) await check(30)
    mailServer.busy.clear()
    await check(60)
    await check(60)
    expect(mailServer.emails.map(getAddress)).toEqual([address])

    mailServer.busy.add(address)
    await owner.call('resumeSending', {})
    await check(1)
    await owner.call('pauseSending', {})
    for (let hour = 0; hour < 13; hour++) await check(60)
    mailServer.busy.clear()
    for (let hour = 0; hour < 3; hour++) await check(60)
    expect(mailServer.emails).toHaveLength(1)
  })

  it('never reach somebody who has left the account', async () => {
    const second = await makeCaller(app, 'owner', owner.accountId)
    const address = await readEmail(second)
    await owner.call('pauseSending', {})
    // The member leaves while the mail server checks the address.
    mailServer.onRecipient = asked =>
      asked === address ? owner.call('removeMember', { memberId: second.userId }) : undefined
    await check()
    mailServer.onRecipient = () => undefined
    await check(60)
    expect(mailServer.recipients).toContain(address)
    expect(mailServer.emails.map(getAddress)).toEqual([await readEmail(owner)])
  })
})

describe('the daily digest', () => {
  it('is sent once a day at the hour that the member chose, in their time zone, with their pending work', async () => {
    const member = await makeCaller(app, 'manager', owner.accountId)
    await makeCaller(app, 'manager', owner.accountId)
    await makeTask('Call Grace', '2026-11-25T15:00:00Z')
    await choose(member, 'task', 'digest')
    await member.call('updateNotificationSettings', { digestHour: 7, timezone: 'Europe/Berlin' })
    app.setNow('2026-11-25T05:59:00.000Z')
    await check()
    expect(mailServer.emails).toEqual([])
    await check(1)
    expect(mailServer.emails.map(getAddress)).toEqual([await readEmail(member)])
    expect(mailServer.emails[0]).toMatchObject({ subject: 'Your day in Acme: 1 task due today' })
    for (const body of [mailServer.emails[0]!.text, mailServer.emails[0]!.html]) {
      expect(body).toContain('Call Grace')
      expect(body).toContain('https://outreach.acme.example/tasks')
      expect(body).toContain('https://outreach.acme.example/settings/notifications')
    }
    await check(60)
    expect(mailServer.emails).toHaveLength(1)
    await check(23 * 60)
    expect(mailServer.emails).toHaveLength(2)
    await choose(member, 'task', 'never')
    await check(24 * 60)
    expect(mailServer.emails).toHaveLength(2)
  })

  it('is not sent on days with nothing to report', async () => {
    await choose(owner, 'task', 'digest')
    await choose(owner, 'reply', 'digest')
    await check(180)
    expect(mailServer.emails).toEqual([])
  })

  it('counts all completed campaigns, and names the first five', async () => {
    await owner.call('updateNotificationSettings', { kinds: { campaign: { email: 'digest' } } })
    for (let n = 1; n <= 6; n++) await owner.call('createCampaign', { name: `Campaign ${n}` })
    await app.owner`
      update campaigns set status = 'completed', launched_at = now(), completed_at = now()
       where account_id = ${owner.accountId}`
    await check(180)
    const { text } = mailServer.emails[0]!
    expect(text).toContain('6 campaigns completed')
    expect(text!.match(/^- Campaign \d$/gm)).toHaveLength(5)
  })

  it('has the same numbers for yesterday as the report', async () => {
    const desk = await makeDesk(owner)
    const threadId = await makeThread(app, owner, desk)
    const message = { ...desk, threadId, sentAt: app.now() }
    await makeEmail(app, owner, message)
    await makeEmail(app, owner, { ...message, type: 'received' })
    await choose(owner, 'reply', 'digest')
    await check(180)
    expect(mailServer.emails.at(-1)!.text).toContain('1 reply to answer')
    await check(24 * 60)
    const day = '2026-11-25'
    const { total } = await owner.call('getReport', { from: day, to: day })
    expect(total).toMatchObject({ sent: 1, replied: 0 })
    expect(mailServer.emails.at(-1)!.text).toContain('Yesterday\n- 1 email sent\n')
  })

  it('is delayed after the mail server refuses three emails in a row', async () => {
    const members = await Promise.all([1, 2, 3, 4].map(() => makeCaller(app, 'manager', owner.accountId)))
    await owner.call('pauseSending', {})
    await owner.call('updateNotificationSettings', { kinds: { problem: { email: 'never' } } })
    for (const member of members) {
      await choose(member, 'problem', 'digest')
      mailServer.busy.add(await readEmail(member))
    }
    await check(120)
    expect(mailServer.recipients).toHaveLength(3)
    mailServer.busy.clear()
    await check(10)
    expect(mailServer.emails.map(getAddress).sort()).toEqual(
      (await Promise.all(members.map(readEmail))).sort(),
    )
  })
})

it('each account is checked once a minute, by one engine', async () => {
  app.setNow('2031-01-01T00:00:00.000Z')
  const claim = () => claimProblemChecks(app.db.engine, { now: app.now(), limit: 1000 })
  const claimed = await Promise.all([claim(), claim()])
  const ids = claimed.flat().map(({ accountId }) => accountId)
  expect(new Set(ids).size).toBe(ids.length)
  expect(ids).toContain(owner.accountId)
  expect(await claim()).toEqual([])
  app.setNow('2031-01-01T00:01:00.000Z')
  expect(await claim()).toHaveLength(ids.length)
})
