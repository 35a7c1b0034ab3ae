import type { Email } from 'postal-mime'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { aCaller, type Caller, openTestApp, type TestApp } from '../../../../test/support/app.ts'
import { deliverDueEvents, WebhookReceiver } from '../../../../test/support/http/webhook-receiver.ts'
import { type MailServer, openMailServer } from '../../../../test/support/mail/mail-server.ts'
import { claimProblemChecks } from '../accounts/problem-checks.ts'
import { mailDigests } from './mail-digests.ts'
import { mailProblems } from './mail-problems.ts'
import { recordProblems } from './record-problems.ts'

let mailServer: MailServer
let app: TestApp
let owner: Caller
beforeAll(async () => {
  mailServer = await openMailServer()
  app = await openTestApp({ ...mailServer.settings, ALLOW_PRIVATE_HOSTS: '127.0.0.1' })
})
beforeEach(async () => {
  mailServer.mails.length = 0
  mailServer.refused.clear()
  app.setNow('2026-11-25T06:00:00.000Z')
  owner = await aCaller(app)
})
afterAll(async () => {
  await app?.[Symbol.asyncDispose]()
  await mailServer?.[Symbol.asyncDispose]()
})

/** Looks for problems after these minutes, as the engine does. */
async function check(minutes = 0): Promise<void> {
  app.setNow(new Date(app.now().getTime() + minutes * 60_000))
  await recordProblems(app, owner.accountId)
  const { signal } = new AbortController()
  await mailProblems(app, owner.accountId, signal)
  await mailDigests(app, owner.accountId, signal)
}
const getAddress = ({ to }: Email) => to![0]!.address
const readEmail = async ({ call }: Caller) => (await call('getMe', {})).user.email

it('problem.opened and problem.resolved report a problem once, with what listProblems returns', async () => {
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

it('owners get an email about new problems at once, later ones together after 15 minutes, and nobody else does', async () => {
  const { accountId } = owner
  const second = await aCaller(app, 'owner', accountId)
  await aCaller(app, 'admin', accountId)
  await owner.call('pauseSending', { reason: 'Wrong list' })
  await check()
  expect(mailServer.mails.map(getAddress).sort()).toEqual(
    [await readEmail(owner), await readEmail(second)].sort(),
  )
  const [mail] = mailServer.mails
  expect(mail).toMatchObject({ subject: 'A problem in Acme', from: { address: 'overture@acme.example' } })
  expect(mail!.text).toContain('All sending is paused: Wrong list.\nResume sending')
  expect(mail!.text).toContain('https://outreach.acme.example')

  mailServer.mails.length = 0
  await owner.call('createDomain', { domain: 'acme.example' })
  await app.owner`
    update domains set checks = '[{"name": "spf", "status": "fault", "message": "There is no SPF record."}]'
     where account_id = ${accountId}`
  await check(14)
  expect(mailServer.mails).toEqual([])
  await check(1)
  expect(mailServer.mails).toHaveLength(2)
  expect(mailServer.mails[0]!.text).toContain('There is no SPF record.')
  expect(mailServer.mails[0]!.text).not.toContain('paused')
  await check(60)
  expect(mailServer.mails).toHaveLength(2)
})

it('an email that reaches no owner is sent again, and one that reaches an owner is not', async () => {
  const address = await readEmail(owner)
  mailServer.refused.add(address)
  await owner.call('pauseSending', {})
  await check()
  await check(1)
  expect(mailServer.mails).toEqual([])
  const second = await aCaller(app, 'owner', owner.accountId)
  await check(15)
  expect(mailServer.mails.map(getAddress)).toEqual([await readEmail(second)])
  await check(60)
  expect(mailServer.mails).toHaveLength(1)
})

it('members who want it get an email at 8:00 in the zone of the account about what waits for them, once a day', async () => {
  await owner.call('updateAccount', { timezone: 'Europe/Berlin' })
  await owner.call('createRep', { name: 'Ada Byron' })
  const { id: personId } = await owner.call('createPerson', { email: 'grace@navy.example' })
  const task = { title: 'Call Grace', channel: 'call' as const, dueAt: '2026-11-26T09:00:00Z' }
  await owner.call('createTask', { ...task, personId })
  const member = await aCaller(app, 'manager', owner.accountId)
  await aCaller(app, 'manager', owner.accountId)
  expect(await member.call('updateUser', { hasDigest: true })).toMatchObject({ hasDigest: true })
  expect((await member.call('getMe', {})).hasDigest).toBe(true)
  await check(59)
  expect(mailServer.mails).toEqual([])
  await check(1)
  expect(mailServer.mails.map(getAddress)).toEqual([await readEmail(member)])
  expect(mailServer.mails[0]).toMatchObject({ subject: 'To do in Acme' })
  expect(mailServer.mails[0]!.text).toMatch(/^1 open task/)
  await check(60)
  expect(mailServer.mails).toHaveLength(1)
  await check(23 * 60)
  expect(mailServer.mails).toHaveLength(2)
  await member.call('updateUser', { hasDigest: false })
  await check(24 * 60)
  expect(mailServer.mails).toHaveLength(2)
})

it('daily emails stop when the mail server refuses three in a row', async () => {
  const members = await Promise.all([1, 2, 3, 4].map(() => aCaller(app, 'manager', owner.accountId)))
  await owner.call('pauseSending', {})
  for (const member of members) await member.call('updateUser', { hasDigest: true })
  const byId = members.toSorted((one, other) => (one.userId < other.userId ? -1 : 1))
  for (const member of byId.slice(0, 3)) mailServer.refused.add(await readEmail(member))
  await check(120)
  expect(mailServer.mails.filter(({ subject }) => subject === 'To do in Acme')).toEqual([])
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
