import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Caller, openTestApp, type TestApp } from '../../../../test/support/app.ts'
import { connectUnipile, sendLinkedinInTurn } from '../../../../test/support/linkedin/unipile-reps.ts'
import { toMemberId, UnipileServer } from '../../../../test/support/linkedin/unipile-server.ts'
import { makeMailCampaign, openWorker, type Worker } from '../../../../test/support/mail/mail-campaign.ts'
import { ScriptedSmtp } from '../../../../test/support/mail/scripted-smtp.ts'
import type { RawInput } from '../../../contract/index.ts'
import { inAccount } from '../../kernel/context.ts'
import { claimSyncs, recordSync } from '../mailboxes/claim-syncs.ts'

type Step = RawInput<'setCampaignSteps'>['steps'][number]

const MINUTE_MS = 60_000
const imap = { host: '127.0.0.1', port: 993, tls: 'none', user: 'ada', password: 'secret' } as const

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
const workAfterMinutes = (minutes: number) => worker.workAfter(minutes * MINUTE_MS)

/** Records a complete sync of every mailbox. */
async function syncInboxes(): Promise<void> {
  const now = app.now()
  for (const claim of await claimSyncs(app.db.engine, { now, limit: 100, leaseMs: 0 }))
    await inAccount(app.db.app, claim.accountId, tx => recordSync(tx, claim, now))
}

/** Creates a campaign whose prospect received the first of two hourly steps from a mailbox with new IMAP settings. */
async function makeContactedProspect(
  server: ScriptedSmtp,
  second: Step = { delay: { amount: 1, unit: 'hours' }, body: 'Again' },
) {
  const campaign = await makeMailCampaign(app, [server], 1, [{ subject: 'Hello', body: 'Hi' }, second])
  const { owner, campaignId, mailboxIds } = campaign
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

/** Expects that the follow-up is held until the next sync. */
async function expectSendAfterSync(server: ScriptedSmtp, health: () => Promise<string | undefined>) {
  await workAfterMinutes(60)
  expect(countDelivered(server)).toBe(1)
  expect(await health()).toMatch(/could not be received/)
  await syncInboxes()
  await workAfterMinutes(2)
  expect(countDelivered(server)).toBe(2)
}

it('a follow-up waits for an inbox that could not be synced and is sent after the next sync', async () => {
  await using server = await ScriptedSmtp.open()
  const { health } = await makeContactedProspect(server)
  await expectSendAfterSync(server, health)
  expect(await health()).toBeUndefined()
})

it('a follow-up waits for the inbox of a mailbox that was deleted and connected again', async () => {
  await using server = await ScriptedSmtp.open()
  const { owner, mailboxIds, health } = await makeContactedProspect(server)
  const { id: mailboxId, repId, email } = await owner.call('getMailbox', { mailboxId: mailboxIds[0]! })
  await owner.call('deleteMailbox', { mailboxId })
  const reconnected = await owner.call('createMailbox', {
    ...{ repId, kind: 'smtp', email, imap },
    smtp: { host: '127.0.0.1', port: server.port, tls: 'none' },
  })
  await owner.call('verifyMailbox', { mailboxId: reconnected.id })
  await expectSendAfterSync(server, health)
})

it('a LinkedIn message that was planned while the inbox was synced waits when the last sync is too old', async () => {
  await using server = await ScriptedSmtp.open()
  await using unipile = await UnipileServer.open()
  unipile.members.push({ memberId: toMemberId(1), publicIdentifier: 'ada-byron' })
  const message = {
    channel: 'linkedin_message',
    delay: { amount: 1, unit: 'hours' },
    body: 'Hiring?',
  } as const
  const { owner, prospects } = await makeContactedProspect(server, message)
  const [{ personId = '', repId = '' } = {}] = await prospects()
  await connectUnipile({ owner, repId }, unipile)
  await owner.call('updatePerson', { personId, linkedinUrl: 'linkedin.com/in/ada-byron' })
  await workAfterMinutes(51)
  await syncInboxes()
  await workAfterMinutes(9)
  const afterMinutes = (minutes: number) => new Date(app.now().getTime() + minutes * MINUTE_MS)
  expect((await owner.call('listTasks', {})).data).toMatchObject([{ status: 'open', sentBy: 'unipile' }])
  await sendLinkedinInTurn(app, afterMinutes(20))
  expect(unipile.requests).toEqual([])
  app.setNow(afterMinutes(55))
  await syncInboxes()
  await sendLinkedinInTurn(app, afterMinutes(9))
  expect(unipile.requests).toMatchObject([{ path: '/chats' }])
})

it('a follow-up waits for an inbox whose last sync is too old', async () => {
  await using server = await ScriptedSmtp.open()
  await makeContactedProspect(server)
  await workAfterMinutes(49)
  await syncInboxes()
  await workAfterMinutes(11)
  expect(countDelivered(server)).toBe(1)
  await syncInboxes()
  await workAfterMinutes(2)
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
  await workAfterMinutes(1)
  // The retry of the first email stays queued until the end of the test.
  await app.owner`update email_sends set due_at = ${new Date(app.now().getTime() + 4 * 60 * MINUTE_MS)} where state = 'queued'`
  server.script = () => undefined
  await workAfterMinutes(62)
  expect(countDelivered(server)).toBe(1)
  await syncInboxes()
  await workAfterMinutes(2)
  expect(countDelivered(server)).toBe(2)
})

it('a follow-up that was planned in time is held back at the gate', async () => {
  await using server = await ScriptedSmtp.open()
  await makeContactedProspect(server)
  server.script = step => (step === 'RCPT' ? '451 4.3.0 later' : undefined)
  await workAfterMinutes(59)
  await syncInboxes()
  await workAfterMinutes(1)
  expect(server.transfers).toHaveLength(1)
  server.script = () => undefined
  await workAfterMinutes(30)
  // The transfer was aborted before its last bytes.
  expect(server.transfers).toHaveLength(2)
  expect(countDelivered(server)).toBe(1)
  await syncInboxes()
  await workAfterMinutes(9)
  expect(countDelivered(server)).toBe(2)
})

it('another campaign waits for the inbox that may contain the person’s reply, but delays nobody else', async () => {
  await using server = await ScriptedSmtp.open()
  await using other = await ScriptedSmtp.open()
  const first = await makeContactedProspect(server)
  const { health } = await makeAnotherCampaign(other, first, [first.emails[0]!, 'ben@elsewhere.example'])
  await worker.work()
  await workAfterMinutes(2)
  expect(other.transfers.map(({ envelope }) => envelope.join())).toEqual([
    expect.stringContaining('ben@elsewhere.example'),
  ])
  expect(await health()).toMatch(/could not be received/)
  await syncInboxes()
  await workAfterMinutes(2)
  expect(countDelivered(other)).toBe(2)
})

it('a first step waits for the inbox that may contain the reply to an email outside campaigns', async () => {
  await using server = await ScriptedSmtp.open()
  await using other = await ScriptedSmtp.open()
  const first = await makeContactedProspect(server)
  const { owner, mailboxIds } = first
  const [ada, ben] = ['ada@outside.example', 'ben@elsewhere.example']
  for (const [email, draft] of [
    [ada, false],
    [ben, true],
  ] as const) {
    const { id: personId } = await owner.call('createPerson', { email })
    const fields = { personId, mailboxId: mailboxIds[0]!, subject: 'Your talk', body: 'I liked it.' }
    await owner.call('composeEmail', { ...fields, draft })
  }
  await worker.work()
  expect(countDelivered(server)).toBe(2)
  await makeAnotherCampaign(other, first, [ada, ben])
  await worker.work()
  await workAfterMinutes(2)
  expect(other.transfers.map(({ envelope }) => envelope.join())).toEqual([expect.stringContaining(ben)])
  await syncInboxes()
  await workAfterMinutes(2)
  expect(countDelivered(other)).toBe(2)
})
