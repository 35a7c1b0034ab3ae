import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { EMAIL_LEASE_MS } from '../../src/server/domain/notifications/send-emails.ts'
import type { Failpoint } from '../../src/server/kernel/failpoints.ts'
import { type Caller, makeCaller, openTestApp, type TestApp } from '../support/app.ts'
import { type MailServer, openMailServer } from '../support/mail/mail-server.ts'
import { EngineProcesses } from './engine-processes.ts'

/** The failpoint at which an engine dies, and how many of the owner's two emails then arrive. */
const cases: [name: Failpoint, emails: number][] = [
  ['notification.stored', 2],
  ['notification.claimed', 2],
  // Between the intent and the final dot nobody knows whether the email was sent, so it is not sent again.
  ['notification.sending', 1],
  ['notification.answered', 2],
]

/** While no engine dies, the clock advances once in this many rounds, so that later work becomes due. */
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

/** Returns a time zone in which it is about noon, so that no day ends during the test. */
function getNoonZone(): string {
  const offset = new Date().getUTCHours() - 12
  return offset === 0 ? 'Etc/GMT' : `Etc/GMT${offset > 0 ? '+' : ''}${offset}`
}

/** Creates an owner with a problem, which is emailed immediately, and a task for the daily digest. */
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

/** Runs two engines, one of which dies at this failpoint, until nothing is left to send to the owner. */
async function runEngines({ accountId }: Caller, name: Failpoint): Promise<void> {
  const arm = [{ name, group: 'owner', failure: { do: 'exit' as const } }]
  const instructions = { groups: { [accountId]: 'owner' }, arm }
  await using engines = await EngineProcesses.open(app, 2, instructions, mailServer.settings)
  const isOver = async () => {
    const emails = await app.owner<{ state: string }[]>`
      select state from notification_emails where account_id = ${accountId}`
    return (
      engines.armed.length === 0 && emails.length === 2 && emails.every(({ state }) => state !== 'queued')
    )
  }
  // If the clock ran ahead all the time, the leases of slow but living engines would expire.
  for (let [round, deaths] = [1, 0]; !(await isOver()); round++) {
    await sleep(500)
    if (engines.deaths === deaths && round % ROUNDS_PER_LEASE > 0) continue
    deaths = engines.deaths
    await engines.waitForReplacements(deaths)
    await engines.clock.advance(EMAIL_LEASE_MS)
  }
  await engines.waitForReplacements(1)
  // Nothing is sent again when the account is checked twice more.
  for (const _ of [1, 2]) {
    await engines.clock.advance(EMAIL_LEASE_MS)
    const isDue = async () => {
      const [account] = await app.owner<{ at: Date }[]>`
        select problems_due_at as at from accounts where id = ${accountId}`
      return account!.at <= engines.clock.now()
    }
    while (await isDue()) await sleep(500)
  }
}

// One account at a time: an engine works on two accounts at once, so its death would interrupt the emails of both.
it.each(cases)(
  'a member is notified once and gets no email twice when one of two engines is killed at %s',
  async (name, emails) => {
    const owner = await makeOwner()
    await runEngines(owner, name)
    const { user } = await owner.call('getMe', {})
    const subjects = mailServer.emails
      .filter(({ to }) => to![0]!.address === user.email)
      .map(({ subject }) => subject)
    expect([subjects.length, new Set(subjects).size]).toEqual([emails, emails])
    const { data } = await owner.call('listNotifications', {})
    expect(data.map(({ kind }) => kind).toSorted()).toEqual(['problem', 'task'])
  },
)
