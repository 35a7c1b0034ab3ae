import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { openTestApp, type TestApp } from '../../../../test/support/app.ts'
import { makeReply } from '../../../../test/support/mail/answers.ts'
import { openPostOffice } from '../../../../test/support/mail/correspondence.ts'
import {
  type MailCampaign,
  makeMailCampaign,
  parseEnvelopeAddress,
} from '../../../../test/support/mail/mail-campaign.ts'
import { ScriptedSmtp } from '../../../../test/support/mail/scripted-smtp.ts'
import { pauseMailbox } from '../../domain/mailboxes/pause-mailbox.ts'
import { claimSends } from '../../domain/outbox/claim-sends.ts'
import { endSend } from '../../domain/outbox/sends.ts'
import { claimDueProspects } from '../../domain/prospects/claim-prospects.ts'
import { inAccount } from '../../kernel/context.ts'
import { setFailpoints } from '../../kernel/failpoints.ts'
import { LEASE_MS } from '../attempt/lease.ts'
import { openEngine } from '../loop.ts'
import { planStep } from '../plan/plan-step.ts'
import { passGate } from './gate.ts'

const WAIT = { timeout: 180_000, interval: 50 }

let app: TestApp
beforeAll(async () => {
  app = await openTestApp({ ALLOW_PRIVATE_HOSTS: '127.0.0.1' })
})
afterEach(() => setFailpoints(undefined))
afterAll(() => app[Symbol.asyncDispose]())

const getRecipient = (envelope: string[]): string =>
  parseEnvelopeAddress(envelope.find(line => /^RCPT/i.test(line)) ?? '')

it.each<
  [what: string, forbid: (campaign: MailCampaign, prospectId: string, personId: string) => Promise<object>]
>([
  [
    'an opt-out',
    ({ owner, emails }) => owner.call('addOptOuts', { identifiers: [{ identifier: emails[0]! }] }),
  ],
  ['a pause of all sending', ({ owner }) => owner.call('pauseSending', {})],
  ['a pause of the campaign', ({ owner, campaignId }) => owner.call('pauseCampaign', { campaignId })],
  ['a pause of the prospect', ({ owner }, prospectId) => owner.call('pauseProspect', { prospectId })],
  [
    'a pause of prospects',
    ({ owner }, prospectId) => owner.call('pauseProspects', { prospectIds: [prospectId] }),
  ],
  [
    'a new address',
    ({ owner }, _prospectId, personId) =>
      owner.call('updatePerson', { personId, email: 'new@acme-friends.example' }),
  ],
  [
    'an erasure',
    ({ owner, emails }, _prospectId, personId) =>
      owner.call('erasePerson', { personId, expectedPerson: emails[0]! }),
  ],
])('%s reports an email that can no longer be recalled', async (_what, forbid) => {
  await using server = await ScriptedSmtp.open()
  const campaign = await makeMailCampaign(app, [server], 1)
  const [prospect] = await campaign.prospects()
  server.script = step => (step === 'DOT' ? 'silent' : undefined)
  const engine = openEngine(app)
  await server.until(() => server.transfers.some(transfer => transfer.isComplete))
  expect(await forbid(campaign, prospect!.id, prospect!.personId)).toMatchObject({ inFlight: 1 })
  await server[Symbol.asyncDispose]()
  await engine[Symbol.asyncDispose]()
  expect((await campaign.messages())[0]).toMatchObject({ deliveryStatus: 'unconfirmed' })
})

it('a worker keeps its send while its server is slow', async () => {
  await using server = await ScriptedSmtp.open()
  const campaign = await makeMailCampaign(app, [server], 1)
  server.script = step => (step === 'DOT' ? 'silent' : undefined)
  await using _engine = openEngine(app)
  await server.until(() => server.transfers.some(transfer => transfer.isComplete))
  const leaseEnd = async () => {
    const [send] = await app.owner`
      select due_at from email_sends where account_id = ${campaign.owner.accountId} and state = 'dot_pending'`
    return send?.due_at as Date
  }
  const first = await leaseEnd()
  await vi.waitFor(async () => expect((await leaseEnd()).getTime()).toBeGreaterThan(first.getTime()), WAIT)
  server.answer('250 2.0.0 ok')
  await vi.waitFor(async () => expect((await campaign.messages())[0]?.status).toBe('sent'), WAIT)
})

it.each([
  ['their address', (email: string) => ({ identifier: email })],
  ['their number', () => ({ identifier: '+442079460018' })],
  ['their profile', () => ({ identifier: 'linkedin.com/in/jane' })],
])('a reply to another address of a person is withheld once %s is opted out', async (_what, toEntry) => {
  await using post = await openPostOffice(app)
  const written = await post.write(1)
  const { owner } = written
  const [{ id: prospectId, personId } = {}] = await written.prospects()
  const contact = { phone: '+442079460018', linkedinUrl: 'linkedin.com/in/jane' }
  await owner.call('updatePerson', { personId: personId!, ...contact })
  const [mail] = await written.sent()
  const receipt = await written.receive(makeReply(mail!, 'Tell me more.', { From: '<jane@home.example>' }))
  const { messageId } = await owner.call('createEmailDraft', {
    prospectId: prospectId!,
    emailMessageIdToReplyTo: (receipt as { messageId: string }).messageId,
    body: 'Gladly.',
  })
  await owner.call('sendEmailDraft', { emailMessageId: messageId })
  await owner.call('addOptOuts', { identifiers: [toEntry(written.emails[0]!)] })
  await post.worker.work()
  expect((await post.mails()).filter(({ to }) => to === 'jane@home.example')).toEqual([])
  expect(await owner.call('getEmailMessage', { emailMessageId: messageId })).toMatchObject({
    deliveryStatus: 'suppressed',
    deliveryReason: 'do_not_contact',
  })
})

it('two concurrent engines send each step once', async () => {
  await using server = await ScriptedSmtp.open()
  await using other = await ScriptedSmtp.open()
  const campaign = await makeMailCampaign(app, [server, other], 120)
  {
    await using _one = openEngine({ ...app })
    await using _two = openEngine({ ...app })
    await vi.waitFor(async () => {
      const { status } = await campaign.owner.call('getCampaign', { campaignId: campaign.campaignId })
      expect(status).toBe('completed')
    }, WAIT)
  }
  const arrived = [...server.transfers, ...other.transfers].map(({ envelope }) => getRecipient(envelope))
  expect(arrived.sort()).toEqual(campaign.emails.toSorted())
})

const claimAt = (now: Date) =>
  claimSends(app.db.engine, { now, limit: 100, perMailbox: 12, leaseMs: LEASE_MS })

/** Queues the email of a new campaign with one person. */
async function planOneEmail(): Promise<MailCampaign> {
  await using server = await ScriptedSmtp.open()
  const campaign = await makeMailCampaign(app, [server], 1)
  const claim = { now: new Date(), limit: 100, perMailbox: 50, leaseMs: LEASE_MS }
  const due = await claimDueProspects(app.db.engine, claim)
  await Promise.all(due.map(claimed => planStep(app, claimed)))
  return campaign
}

it('the gate withholds a campaign email of a mailbox that was paused automatically', async () => {
  const { owner, mailboxIds } = await planOneEmail()
  const mailboxId = mailboxIds[0]!
  const [claim] = await claimAt(new Date())
  await inAccount(app.db.app, owner.accountId, tx => pauseMailbox(tx, mailboxId, 'bounces'))
  expect(await passGate(app, claim!)).toEqual({ kind: 'later', reason: 'no_working_mailbox' })
  await inAccount(app.db.app, owner.accountId, tx => endSend(tx, claim!, 'refused', 'test'))
})

it.each([
  ['address', (email: string) => email],
  ['number', () => '+442079460018'],
  ['profile', () => 'linkedin.com/in/jane'],
])('the gate withholds a step once the person’s %s is opted out', async (_what, toIdentifier) => {
  const { owner, emails, prospects } = await planOneEmail()
  const [{ personId } = {}] = await prospects()
  const contact = { phone: '+442079460018', linkedinUrl: 'linkedin.com/in/jane' }
  await owner.call('updatePerson', { personId: personId!, ...contact })
  const [claim] = await claimAt(new Date())
  const identifiers = [{ identifier: toIdentifier(emails[0]!) }]
  await owner.call('addOptOuts', { identifiers, pauseActiveProspects: false })
  expect(await passGate(app, claim!)).toMatchObject({ kind: 'stop', reason: 'do_not_contact' })
  await inAccount(app.db.app, owner.accountId, tx => endSend(tx, claim!, 'refused', 'test'))
})

describe('the gate', () => {
  /** Claims an email twice: by one worker, and by another after the first lease expired. */
  async function claimTwice() {
    await planOneEmail()
    const [stale] = await claimAt(new Date())
    const [current] = await claimAt(new Date(Date.now() + LEASE_MS))
    return { stale: stale!, current: current! }
  }

  it('withholds a send from a frozen worker when another worker has claimed the send since', async () => {
    const { stale, current } = await claimTwice()
    expect(await passGate(app, stale)).toEqual({ kind: 'void', reason: 'claimed_again' })
    expect(await passGate(app, current)).toBeUndefined()
    expect(await passGate(app, stale)).toEqual({ kind: 'void', reason: 'claimed_again' })
    // The second worker cannot pass twice either.
    expect(await passGate(app, current)).toEqual({ kind: 'void', reason: 'claimed_again' })
    await inAccount(app.db.app, current.accountId, tx => endSend(tx, current, 'unconfirmed', 'test'))
  })

  it('withholds a send from a frozen worker when the send has been given up as lost', async () => {
    const { current } = await claimTwice()
    await inAccount(app.db.app, current.accountId, tx => endSend(tx, current, 'unconfirmed', 'lost'))
    expect(await passGate(app, current)).toEqual({ kind: 'void', reason: 'claimed_again' })
  })

  it('withholds a send from a frozen worker when the lease expired while the gate checked opt-outs', async () => {
    const { current } = await claimTwice()
    let isLate = false
    const slow = { ...app, now: () => new Date(Date.now() + (isLate ? LEASE_MS : 0)) }
    setFailpoints(name => {
      if (name === 'gate.list_read') isLate = true
      return undefined
    })
    expect(await passGate(slow, current)).toEqual({ kind: 'again', reason: 'gate_took_too_long' })
  })
})
