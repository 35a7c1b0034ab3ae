import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { EMAIL_LEASE_MS } from '../../src/server/domain/notifications/send-emails.ts'
import type { Failpoint } from '../../src/server/kernel/failpoints.ts'
import { type Caller, makeCaller, openTestApp, type TestApp } from '../support/app.ts'
import { type MailServer, openMailServer } from '../support/mail/mail-server.ts'
import { EngineProcesses } from './engine-processes.ts'

/** Where an engine dies, each in an account of its own. */
const places: Failpoint[] = [
  'notification.stored',
  'notification.claimed',
  'notification.leaving',
  'notification.answered',
]

/** Without a death the clock advances this rarely, for work that is due later. */
const ROUNDS_PER_LEASE = 20

let mailServer: MailServer
let app: TestApp
beforeAll(async () => {
  mailServer = await openMailServer()
  app = await openTestApp({ ...mailServer.settings, ALLOW_PRIVATE_HOSTS: '127.0.0.1' })
})
afterAll(async () => {
  await app?.[Symbol.asyncDispose]()
  await mailServer?.[Symbol.asyncDispose]()
})

/** A zone in which it is about noon, so that no day ends during the test. */
function getNoonZone(): string {
  const offset = new Date().getUTCHours() - 12
  return offset === 0 ? 'Etc/GMT' : `Etc/GMT${offset > 0 ? '+' : ''}${offset}`
}

/** An owner with a problem, of which they are told at once, and a task for the digest of the day. */
async function makeOwner(): Promise<Caller> {
  const owner = await makeCaller(app)
  await owner.call('updateNotificationSettings', {
    ...{ kinds: { task: { email: 'digest' } }, digestHour: 0, timezone: getNoonZone() },
  })
  const { id: repId } = await owner.call('createRep', { name: 'Ada Byron' })
  const { id: personId } = await owner.call('createPerson', { email: 'grace@navy.example' })
  const dueAt = new Date().toISOString()
  await owner.call('createTask', { title: 'Call Grace', channel: 'call', dueAt, personId, repId })
  await owner.call('pauseSending', {})
  return owner
}

/** Runs two engines, one of which dies at each place, until nothing is left to send. */
async function runEngines(owners: Caller[]): Promise<void> {
  const groups = Object.fromEntries(owners.map(({ accountId }, at) => [accountId, String(at)]))
  const arm = places.map((name, at) => ({ name, group: String(at), failure: { do: 'exit' as const } }))
  await using engines = await EngineProcesses.open(app, 2, { groups, arm }, mailServer.settings)
  const isOver = async () => {
    const emails = await app.owner<{ state: string }[]>`select state from notification_emails`
    return (
      engines.armed.length === 0 &&
      emails.length === 2 * owners.length &&
      emails.every(({ state }) => state !== 'queued')
    )
  }
  // A clock that ran ahead all the time would end the leases of living engines that are slower than it.
  for (let [round, deaths] = [1, 0]; !(await isOver()); round++) {
    await sleep(500)
    if (engines.deaths === deaths && round % ROUNDS_PER_LEASE > 0) continue
    deaths = engines.deaths
    await engines.waitForReplacements(deaths)
    await engines.clock.advance(EMAIL_LEASE_MS)
  }
  await engines.waitForReplacements(places.length)
  // Nothing is sent again when the accounts are checked twice more.
  for (const _ of [1, 2]) {
    await engines.clock.advance(EMAIL_LEASE_MS)
    const readDue = () => app.owner<{ at: Date }[]>`select problems_due_at as at from accounts`
    const isDue = ({ at }: { at: Date }) => at <= engines.clock.now()
    while ((await readDue()).some(isDue)) await sleep(500)
  }
}

it('each member is notified once and gets each email once, wherever one of two engines is killed', async () => {
  const owners = await Promise.all(places.map(makeOwner))
  await runEngines(owners)
  for (const [at, owner] of owners.entries()) {
    const { user } = await owner.call('getMe', {})
    const subjects = mailServer.mails
      .filter(({ to }) => to![0]!.address === user.email)
      .map(({ subject }) => subject)
    expect(new Set(subjects).size, `${places[at]}: no email arrives twice`).toBe(subjects.length)
    // Nobody knows whether an email left whose engine died before it recorded the server's answer, so it does not leave
    // again. An engine works on two accounts at once.
    const [emails] = await app.owner<{ sent: number; leaving: number }[]>`
      select count(*) filter (where state = 'sent')::integer as sent, count(*) filter (where state = 'leaving')::integer as leaving
        from notification_emails where account_id = ${owner.accountId}`
    const { sent, leaving } = emails!
    expect(sent + leaving, places[at]).toBe(2)
    expect(subjects.length, places[at]).toBeGreaterThanOrEqual(sent)
    if (places[at] === 'notification.leaving' || places[at] === 'notification.answered')
      expect(leaving, places[at]).toBeGreaterThan(0)
    if (places[at] === 'notification.leaving') expect(subjects.length, places[at]).toBeLessThan(2)
    if (places[at] === 'notification.answered') expect(subjects.length, places[at]).toBeGreaterThan(0)
    const { data } = await owner.call('listNotifications', {})
    expect(data.map(({ kind }) => kind).toSorted()).toEqual(['problem', 'task'])
  }
})
