import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Caller, openTestApp, type TestApp } from '../../../../test/support/app.ts'
import { makeMailCampaign, openWorker, type Worker } from '../../../../test/support/mail/mail-campaign.ts'
import { ScriptedSmtp } from '../../../../test/support/mail/scripted-smtp.ts'
import { inAccount } from '../../kernel/context.ts'
import { claimSyncs, recordSync } from '../mailboxes/claim-syncs.ts'

const MINUTE_MS = 60_000

let app: TestApp
let worker: Worker
beforeAll(async () => {
  app = await openTestApp({ ALLOW_PRIVATE_HOSTS: '127.0.0.1', INBOX_MAX_AGE_SECONDS: '600' })
  worker = openWorker(app)
})
afterAll(async () => {
  await worker[Symbol.asyncDispose]()
  await app[Symbol.asyncDispose]()
})

/** Advances the clock and lets the engine do everything that is due. */
const pass = (minutes: number) => worker.workAfter(minutes * MINUTE_MS)

/** Records a complete sync of every mailbox. */
async function syncInboxes(): Promise<void> {
  const now = app.now()
  for (const claim of await claimSyncs(app.db.engine, { now, limit: 100, leaseMs: 0 }))
    await inAccount(app.db.app, claim.accountId, tx => recordSync(tx, claim, now))
}

/** Creates a campaign whose prospect received the first of two hourly steps from a mailbox with new IMAP settings. */
async function makeContactedProspect(server: ScriptedSmtp) {
  const campaign = await makeMailCampaign(app, [server], 1, [
    { subject: 'Hello', body: 'Hi' },
    { delay: { amount: 1, unit: 'hours' }, body: 'Again' },
  ])
  const { owner, campaignId, mailboxIds } = campaign
  const imap = { host: '127.0.0.1', port: 993, tls: 'none' as const, user: 'ada', password: 'secret' }
  await owner.call('updateMailbox', { mailboxId: mailboxIds[0]!, imap })
  await worker.work()
  expect(countDelivered(server)).toBe(1)
  return { ...campaign, health: async () => (await owner.call('getCampaign', { campaignId })).health }
}

/** Creates another campaign in that account for these people, with its own mailbox. */
async function makeAnotherCampaign(
  server: ScriptedSmtp,
  { owner }: { owner: Caller },
  emails: readonly string[],
) {
  const { id: repId } = await owner.call('createRep', { name: 'Grace Hopper' })
  const { id: mailboxId } = await owner.call('createMailbox', {
    ...{ repId, kind: 'smtp', email: 'grace@acme.example' },
    smtp: { host: '127.0.0.1', port: server.port, tls: 'none' },
  })
  await owner.call('verifyMailbox', { mailboxId })
  const { id: campaignId } = await owner.call('createCampaign', {
    ...{ name: 'Summer', repIds: [repId], steps: [{ subject: 'Hello', body: 'Hi' }] },
  })
  await owner.call('addProspectsToCampaign', { campaignId, data: emails.map(email => ({ email })) })
  await owner.call('launchCampaign', { campaignId })
  return { health: async () => (await owner.call('getCampaign', { campaignId })).health }
}

const countDelivered = ({ transfers }: ScriptedSmtp) =>
  transfers.filter(({ isComplete }) => isComplete).length

it('a follow-up waits for an inbox that could not be synced and is sent after the next sync', async () => {
  await using server = await ScriptedSmtp.open()
  const { health } = await makeContactedProspect(server)
  await pass(60)
  expect(countDelivered(server)).toBe(1)
  expect(await health()).toMatch(/could not be received/)
  await syncInboxes()
  await pass(2)
  expect(countDelivered(server)).toBe(2)
  expect(await health()).toBeUndefined()
})

it('a follow-up waits for an inbox whose last sync is too old', async () => {
  await using server = await ScriptedSmtp.open()
  await makeContactedProspect(server)
  await pass(49)
  await syncInboxes()
  await pass(11)
  expect(countDelivered(server)).toBe(1)
  await syncInboxes()
  await pass(2)
  expect(countDelivered(server)).toBe(2)
})

it('a follow-up waits for a sync even if the previous email may have arrived and is queued to be sent again', async () => {
  await using server = await ScriptedSmtp.open()
  const { owner, messages } = await makeContactedProspect(server)
  const [first] = await messages()
  await app.owner`update email_sends set state = 'unconfirmed' where message_id = ${first!.id}`
  await app.owner`update email_messages set status = null, is_last = false, delivery_status = 'unconfirmed' where id = ${first!.id}`
  await owner.call('resolveEmailMessage', { emailMessageId: first!.id, as: 'send_again' })
  server.script = step => (step === 'RCPT' ? '451 4.3.0 later' : undefined)
  await pass(1)
  // The retry of the first email stays queued until the end of the test.
  await app.owner`update email_sends set due_at = ${new Date(app.now().getTime() + 4 * 60 * MINUTE_MS)} where state = 'queued'`
  server.script = () => undefined
  await pass(62)
  expect(countDelivered(server)).toBe(1)
  await syncInboxes()
  await pass(2)
  expect(countDelivered(server)).toBe(2)
})

it('a follow-up that was planned in time is held back at the gate', async () => {
  await using server = await ScriptedSmtp.open()
  await makeContactedProspect(server)
  server.script = step => (step === 'RCPT' ? '451 4.3.0 later' : undefined)
  await pass(59)
  await syncInboxes()
  await pass(1)
  expect(server.transfers).toHaveLength(1)
  server.script = () => undefined
  await pass(30)
  // The transfer was aborted before its last bytes.
  expect(server.transfers).toHaveLength(2)
  expect(countDelivered(server)).toBe(1)
  await syncInboxes()
  await pass(9)
  expect(countDelivered(server)).toBe(2)
})

it('another campaign waits for the inbox that may contain the same person’s reply, but not for other persons', async () => {
  await using server = await ScriptedSmtp.open()
  await using other = await ScriptedSmtp.open()
  const first = await makeContactedProspect(server)
  const { health } = await makeAnotherCampaign(other, first, [first.emails[0]!, 'ben@elsewhere.example'])
  await worker.work()
  await pass(2)
  expect(other.transfers.map(({ envelope }) => envelope.join())).toEqual([
    expect.stringContaining('ben@elsewhere.example'),
  ])
  expect(await health()).toMatch(/could not be received/)
  await syncInboxes()
  await pass(2)
  expect(countDelivered(other)).toBe(2)
})
