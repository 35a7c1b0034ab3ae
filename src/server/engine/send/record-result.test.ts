import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openTestApp, type TestApp } from '../../../../test/support/app.ts'
import { holdAt } from '../../../../test/support/hold-at.ts'
import {
  type MailCampaign,
  makeMailCampaign,
  makeMailCampaignToLaunch,
  openWorker,
  parseEnvelopeAddress,
  type Worker,
} from '../../../../test/support/mail/mail-campaign.ts'
import { type Reaction, ScriptedSmtp, type Step } from '../../../../test/support/mail/scripted-smtp.ts'
import { readMails } from '../../../../test/support/mail/sent-mail.ts'

const MINUTE = 60_000
const DAY = 24 * 60 * MINUTE

let app: TestApp
let worker: Worker
beforeAll(async () => {
  app = await openTestApp({ ALLOW_PRIVATE_HOSTS: '127.0.0.1' })
  app.setNow('2026-11-20T09:00:00Z')
  worker = openWorker(app)
})
afterAll(async () => {
  await worker[Symbol.asyncDispose]()
  await app[Symbol.asyncDispose]()
})

/**
 * Opens a server that lets the mailbox be verified and then reacts as given at this step; it accepts everything else.
 */
async function makeServer(step?: Step, reaction?: Reaction): Promise<ScriptedSmtp & { heal: () => void }> {
  const server = await ScriptedSmtp.open()
  let isVerified = false
  const script: ScriptedSmtp['script'] = at => {
    if (at === 'QUIT') isVerified = true
    return isVerified && at === step ? reaction : undefined
  }
  server.script = script
  const heal = () => {
    server.script = () => undefined
  }
  return Object.assign(server, { heal })
}

const countAttempts = (server: ScriptedSmtp): number =>
  server.commands.filter(line => line.startsWith('MAIL')).length
const countDelivered = (server: ScriptedSmtp): number =>
  server.transfers.filter(transfer => transfer.isComplete).length
/** Returns the value of a header, unfolded. */
const getHeader = (server: ScriptedSmtp, index: number, name: string): string | undefined =>
  new RegExp(`^${name}: (.+)\r$`, 'm').exec(
    server.transfers[index]!.wire.toString().replaceAll(/\r\n[ \t]+/g, ' '),
  )?.[1]
const getOnly = async (campaign: MailCampaign) => ({
  message: (await campaign.messages())[0],
  prospect: (await campaign.prospects())[0]!,
  campaign: await campaign.owner.call('getCampaign', { campaignId: campaign.campaignId }),
})

it.each<
  [what: string, change: (campaign: MailCampaign, stepId: string, otherRepId: string) => Promise<unknown>]
>([
  [
    'the steps',
    ({ owner, campaignId }, id) => {
      const steps = [{ id, subject: 'Hello', body: 'A corrected text' }]
      return owner.call('setCampaignSteps', { campaignId, steps })
    },
  ],
  [
    'the reps',
    ({ owner, campaignId }, _id, otherRepId) =>
      owner.call('updateCampaign', { campaignId, repIds: [otherRepId] }),
  ],
])('an email that is being sent is written again when %s of its campaign change', async (what, change) => {
  await using first = await ScriptedSmtp.open()
  await using second = await ScriptedSmtp.open()
  const campaign = await makeMailCampaign(app, [first, second], 1)
  using hold = holdAt('gate.entered')
  const working = worker.work()
  await hold.reached
  const before = await getOnly(campaign)
  const otherRepId = before.campaign.repIds.find(id => id !== before.prospect.repId)!
  await change(campaign, before.campaign.steps[0]!.id, otherRepId)
  hold.release()
  await working
  await worker.workAfter(DAY)
  const mails = [...(await readMails(first)), ...(await readMails(second))]
  expect(mails.map(({ mail }) => mail.text)).toEqual([
    expect.stringContaining(what === 'the steps' ? 'A corrected text' : 'Hi Person0'),
  ])
  if (what === 'the reps') expect((await getOnly(campaign)).prospect.repId).toBe(otherRepId)
})

describe('a send', () => {
  it.each([
    ['reports an unknown mailbox', 'RCPT', '550 5.1.1 no such user', 'bounced'],
    ['rejects the email permanently', 'DOT', '554 5.6.0 not this', 'failed'],
  ] as const)('ends its step and is not retried when the server %s', async (_what, step, reply, status) => {
    await using server = await makeServer(step, reply)
    const campaign = await makeMailCampaign(app, [server], 1)
    await worker.workAfter(0)
    const { message, prospect, campaign: state } = await getOnly(campaign)
    expect(message).toMatchObject({
      deliveryStatus: 'failed',
      deliveryReason: expect.stringContaining(reply),
    })
    expect(message?.status).toBeUndefined()
    expect(prospect.status).toBe(status)
    expect(state.status).toBe('completed')
    await worker.workAfter(30 * DAY)
    expect(countAttempts(server)).toBe(1)
  })

  it('is retried with increasing delays after temporary refusals, and delivered once', async () => {
    await using server = await makeServer('RCPT', '450 4.2.0 greylisted')
    const campaign = await makeMailCampaign(app, [server], 1)
    await worker.workAfter(0)
    const { message } = await getOnly(campaign)
    expect(message).toMatchObject({
      deliveryStatus: 'queued',
      deliveryReason: expect.stringContaining('greylisted'),
    })
    for (const [attempt, waitMs] of [MINUTE, 2 * MINUTE, 4 * MINUTE, 8 * MINUTE].entries()) {
      await worker.workAfter(0.7 * waitMs)
      expect(countAttempts(server), `too early, attempt ${attempt}`).toBe(attempt + 1)
      await worker.workAfter(0.6 * waitMs)
      expect(countAttempts(server), `attempt ${attempt}`).toBe(attempt + 2)
    }
    server.heal()
    await worker.workAfter(DAY)
    expect(countDelivered(server)).toBe(1)
    expect((await getOnly(campaign)).message).toMatchObject({ status: 'sent' })
    await worker.workAfter(DAY)
    expect(countDelivered(server)).toBe(1)
  })

  it('fails with the reason when it is temporarily refused for days', async () => {
    await using server = await makeServer('RCPT', '450 4.2.2 mailbox full')
    const campaign = await makeMailCampaign(app, [server], 1)
    for (let attempt = 0; attempt < 40; attempt += 1) await worker.workAfter(5 * 60 * MINUTE)
    expect(countAttempts(server)).toBe(30)
    const { message, prospect } = await getOnly(campaign)
    expect(message).toMatchObject({ deliveryStatus: 'failed' })
    expect(prospect).toMatchObject({
      status: 'failed',
      statusReason: expect.stringContaining('mailbox full'),
    })
  })

  it('fails after days of temporary refusals even if its mailbox is at its daily cap, and does not delay other emails', async () => {
    await using server = await makeServer()
    const campaign = await makeMailCampaignToLaunch(app, [server], 9)
    const { owner, mailboxIds, emails } = campaign
    await owner.call('updateMailbox', { mailboxId: mailboxIds[0]!, dailyCap: 3 })
    const dead = emails.slice(0, 2)
    const askedAt = new Map<string, number[]>()
    server.script = (step, line) => {
      if (step !== 'RCPT') return undefined
      const email = parseEnvelopeAddress(line)
      askedAt.set(email, [...(askedAt.get(email) ?? []), app.now().getTime()])
      return dead.includes(email) ? '450 4.2.2 mailbox full' : undefined
    }
    await campaign.launch()
    for (let hours = 0; hours < 14 * 24; hours += 6) await worker.workAfter(6 * 60 * MINUTE)
    const statuses = (await campaign.prospects()).map(({ status }) => status).sort()
    expect(statuses).toEqual([...Array(7).fill('completed'), ...Array(2).fill('failed')])
    for (const email of dead) {
      const times = askedAt.get(email)!
      expect(times.at(-1)! - times[0]!).toBeGreaterThan(4 * DAY)
      expect(times.at(-1)! - times[0]!).toBeLessThan(7 * DAY)
    }
    const all = [...askedAt.values()].flat().sort((a, b) => a - b)
    for (const [index, time] of all.entries())
      expect(all[index + 3] ?? time + DAY).toBeGreaterThanOrEqual(time + DAY)
  })

  it('counts once a day toward the daily cap of its mailbox while it is temporarily refused', async () => {
    await using server = await makeServer()
    const { owner, campaignId, mailboxIds, emails } = await makeMailCampaign(app, [server], 1)
    await owner.call('updateCampaign', { campaignId, settings: { isEvergreen: true } })
    await owner.call('updateMailbox', { mailboxId: mailboxIds[0]!, dailyCap: 2 })
    await worker.workAfter(0)
    const add = (email: string) =>
      owner.call('addProspectsToCampaign', { campaignId, data: [{ firstName: 'Eve', email }] })
    const dead = `dead-${emails[0]}`
    server.script = (step, line) =>
      step === 'RCPT' && line.includes(`<${dead}>`) ? '450 4.2.2 mailbox full' : undefined
    await add(dead)
    await worker.workAfter(12 * 60 * MINUTE)
    await add(`late-${emails[0]}`)
    await worker.workAfter(11 * 60 * MINUTE)
    const countDelivered = () => server.transfers.filter(({ isComplete }) => isComplete).length
    expect(countDelivered()).toBe(1)
    await worker.workAfter(2 * 60 * MINUTE)
    expect(countDelivered()).toBe(2)
  })

  it('does not delay other emails while it is temporarily refused, even with a minimum gap', async () => {
    await using server = await makeServer()
    const campaign = await makeMailCampaignToLaunch(app, [server], 3)
    const { owner, mailboxIds } = campaign
    await owner.call('updateMailbox', { mailboxId: mailboxIds[0]!, minGapSeconds: 60 })
    const first = campaign.emails[0]!
    server.script = (step, line) =>
      step === 'RCPT' && line.includes(first) ? '450 4.2.2 mailbox full' : undefined
    await campaign.launch()
    for (let minutes = 0; minutes < 60; minutes += 2) await worker.workAfter(2 * MINUTE)
    expect(countDelivered(server)).toBe(2)
    const messages = await campaign.messages()
    expect(messages.filter(({ deliveryStatus }) => deliveryStatus === 'queued')).toHaveLength(1)
  })

  it.each([
    ['closes the connection', 'CONNECT', 'cut'],
    ['is shutting down', 'MAIL', '421 4.3.2 shutting down'],
    ['resets the connection in the middle of the message', 'DATA', 'reset'],
  ] as const)('is retried if the server %s, because nothing was delivered', async (_what, step, reaction) => {
    await using server = await makeServer(step, reaction)
    const campaign = await makeMailCampaign(app, [server], 1)
    await worker.workAfter(0)
    expect((await getOnly(campaign)).message).toMatchObject({ deliveryStatus: 'queued' })
    server.heal()
    await worker.workAfter(2 * MINUTE)
    expect((await getOnly(campaign)).message).toMatchObject({ status: 'sent' })
    expect(countDelivered(server)).toBe(1)
  })

  it('is shown as unconfirmed and never repeated when the server does not reply after the final dot', async () => {
    await using server = await makeServer('DOT', 'cut')
    const campaign = await makeMailCampaign(app, [server], 1)
    await worker.workAfter(0)
    const { message, prospect, campaign: state } = await getOnly(campaign)
    expect(message).toMatchObject({ deliveryStatus: 'unconfirmed' })
    expect(message?.status).toBeUndefined()
    expect(prospect).toMatchObject({ status: 'completed', statusReason: 'unconfirmed' })
    expect(state.status).toBe('completed')
    server.heal()
    await worker.workAfter(30 * DAY)
    expect(countAttempts(server)).toBe(1)
  })
})

describe('a server that replaces Message-IDs', () => {
  it('gets follow-ups that reference its Message-ID and ours', async () => {
    const given = '<AM0PR01MB1234@AM0PR01.prod.outlook.com>'
    await using server = await makeServer('DOT', `250 2.0.0 OK ${given} [Hostname=AM0PR01.prod.outlook.com]`)
    await makeMailCampaign(app, [server], 1, [
      { subject: 'Hello', body: 'Hi' },
      { delay: { amount: 1, unit: 'hours' }, body: 'Again', thread: 'same' },
    ])
    await worker.workAfter(0)
    await worker.workAfter(DAY)
    const own = getHeader(server, 0, 'Message-ID')
    expect(getHeader(server, 1, 'In-Reply-To')).toBe(given)
    expect(getHeader(server, 1, 'References')).toBe(`${own} ${given}`)
  })
})

describe('an email whose step is removed while its server is slow', () => {
  it('is withheld, and the next step is sent instead', async () => {
    await using server = await makeServer()
    const campaign = await makeMailCampaign(app, [server], 1, [
      { subject: 'Wrong', body: 'Hi' },
      { subject: 'Right', body: 'Hi again', thread: 'new' },
    ])
    const { owner, campaignId } = campaign
    server.forget()
    let isSlow = true
    server.script = at => (at === 'EHLO' && isSlow ? 'silent' : undefined)
    const sending = worker.work()
    await server.until(() => server.commands.some(line => line.startsWith('EHLO')))
    const { steps } = await owner.call('getCampaign', { campaignId })
    await owner.call('setCampaignSteps', {
      campaignId,
      steps: [{ id: steps[1]!.id, subject: 'Right', body: 'Hi again' }],
    })
    isSlow = false
    server.answer('250 scripted.test')
    await sending
    expect(countDelivered(server)).toBe(0)
    await worker.workAfter(5 * MINUTE)
    const complete = server.transfers.flatMap(({ isComplete }, index) => (isComplete ? [index] : []))
    expect(complete.map(index => getHeader(server, index, 'Subject'))).toEqual(['Right'])
  })
})

describe('an email of a person who is erased while it is being sent', () => {
  it('is not tried again when the server rejects it temporarily', async () => {
    await using server = await makeServer('DOT', 'silent')
    const campaign = await makeMailCampaign(app, [server], 1)
    const { owner, emails, mailboxIds } = campaign
    const [prospect] = await campaign.prospects()
    const sending = worker.work()
    await server.until(() => countDelivered(server) === 1)
    await owner.call('erasePerson', { personId: prospect!.personId, expectedPerson: emails[0]! })
    server.answer('451 4.3.0 try again later')
    await sending
    server.heal()
    await worker.workAfter(DAY)
    expect(countAttempts(server)).toBe(1)
    expect(await owner.call('deleteMailbox', { mailboxId: mailboxIds[0]! })).toEqual({ ok: true })
  })
})

describe('a worker whose send was given up as lost', () => {
  it('still records its result, and finishes the step once', async () => {
    await using server = await makeServer('DOT', 'silent')
    const campaign = await makeMailCampaign(app, [server], 1)
    const slow = worker.work()
    await server.until(() => countDelivered(server) === 1)
    app.setNow(new Date(app.now().getTime() + MINUTE))
    await using another = openWorker(app)
    await another.work()
    expect((await getOnly(campaign)).message).toMatchObject({ deliveryStatus: 'unconfirmed' })
    server.answer('250 2.0.0 ok')
    await slow
    const { message, prospect } = await getOnly(campaign)
    expect(message).toMatchObject({ status: 'sent' })
    expect(message?.deliveryStatus).toBeUndefined()
    expect(prospect.status).toBe('completed')
    expect(prospect.statusReason).toBeUndefined()
    const [row] = await app.owner`select steps_done from prospects where id = ${prospect.id}`
    expect(row).toEqual({ steps_done: 1 })
  })
})

describe('a mailbox that its server rejects', () => {
  it('is marked as failing with the reason, and the campaign continues once it works', async () => {
    await using server = await makeServer('MAIL', '550 5.7.26 not authenticated')
    const campaign = await makeMailCampaign(app, [server], 3)
    const { owner, campaignId, mailboxIds } = campaign
    await worker.workAfter(0)
    const [mailbox] = (await owner.call('listMailboxes', {})).data
    expect(mailbox).toMatchObject({ status: 'failing', statusReason: expect.stringContaining('5.7.26') })
    expect(await campaign.messages()).toEqual([])
    await worker.workAfter(5 * MINUTE)
    expect((await owner.call('getCampaign', { campaignId })).health).toMatch(/mailbox/)
    server.heal()
    await owner.call('verifyMailbox', { mailboxId: mailboxIds[0]! })
    await worker.workAfter(5 * MINUTE)
    expect(countDelivered(server)).toBe(3)
    const state = await owner.call('getCampaign', { campaignId })
    expect(state.status).toBe('completed')
    expect(state.health).toBeUndefined()
  })

  it.each([
    ['553 Sender is not allowed to relay emails', 'MAIL'],
    ['550 5.1.1 no such user', 'MAIL'],
    ['554 5.2.252 SendAsDenied', 'DOT'],
  ] as const)('is failing as a sender (%s), and its prospects stay in the campaign', async (reply, step) => {
    await using server = await makeServer(step, reply)
    const campaign = await makeMailCampaign(app, [server], 3)
    await worker.workAfter(0)
    expect((await campaign.owner.call('listMailboxes', {})).data[0]).toMatchObject({
      status: 'failing',
      statusReason: expect.stringMatching(/does not accept this sender address/),
    })
    const statuses = (await campaign.prospects()).map(({ status }) => status)
    expect(statuses.filter(status => status !== 'pending' && status !== 'active')).toEqual([])
    expect((await campaign.owner.call('listOptOuts', {})).data).toEqual([])
    server.heal()
    await campaign.owner.call('verifyMailbox', { mailboxId: campaign.mailboxIds[0]! })
    await worker.workAfter(5 * MINUTE)
    expect((await campaign.messages()).map(({ status }) => status)).toEqual(['sent', 'sent', 'sent'])
  })

  it("does not stop the campaign's other mailbox, which takes over the prospects without a first email", async () => {
    await using broken = await makeServer('MAIL', '535 5.7.8 who are you')
    await using healthy = await makeServer()
    const campaign = await makeMailCampaign(app, [broken, healthy], 20)
    await worker.workAfter(0)
    const first = countDelivered(healthy)
    expect(first).toBeGreaterThan(0)
    await worker.workAfter(5 * MINUTE)
    expect([countDelivered(broken), countDelivered(healthy)]).toEqual([0, 20])
    const messages = await campaign.messages()
    expect(messages).toHaveLength(20)
    expect(messages.every(message => message.status === 'sent')).toBe(true)
  })
})

describe('a reply that a person sends', () => {
  /** Delivers the first email and drafts a reply to it. */
  async function makeReplyDraft(server: ScriptedSmtp) {
    const campaign = await makeMailCampaign(app, [server], 1)
    await worker.workAfter(0)
    const { message } = await getOnly(campaign)
    const { messageId } = await campaign.owner.call('createEmailDraft', {
      prospectId: message!.prospectId!,
      emailMessageIdToReplyTo: message!.id,
      body: 'One more thing',
    })
    return { ...campaign, draft: { emailMessageId: messageId } }
  }
  it('refers in its headers to the email that it answers', async () => {
    await using server = await makeServer()
    const { owner, draft } = await makeReplyDraft(server)
    await owner.call('sendEmailDraft', draft)
    await worker.workAfter(0)
    expect(await owner.call('getEmailMessage', draft)).toMatchObject({ status: 'sent' })
    const firstId = getHeader(server, 0, 'Message-ID')
    expect(firstId).toMatch(/^<.+@acme\.example>$/)
    expect(getHeader(server, 1, 'In-Reply-To')).toBe(firstId)
    expect(getHeader(server, 1, 'References')).toBe(firstId)
    expect(getHeader(server, 1, 'Message-ID')).not.toBe(firstId)
  })

  it('lists the recipients that the server rejected, and is not sent to an unknown address again', async () => {
    await using server = await makeServer()
    const { owner, draft, emails } = await makeReplyDraft(server)
    const domain = emails[0]!.slice(emails[0]!.indexOf('@'))
    const cc = ['gone', 'full'].map(name => ({ name, email: `${name}${domain}` }))
    await owner.call('updateEmailDraft', {
      ...draft,
      recipients: { to: [{ name: 'Person', email: emails[0]! }], cc },
    })
    server.script = (step, line) => {
      if (step !== 'RCPT') return undefined
      if (line.includes('gone')) return '550 5.1.1 no such user'
      return line.includes('full') ? '452 4.2.2 over quota' : undefined
    }
    await owner.call('sendEmailDraft', { ...draft, allowNewRecipients: true })
    await worker.workAfter(0)
    expect(countDelivered(server)).toBe(2)
    expect(await owner.call('getEmailMessage', draft)).toMatchObject({
      status: 'sent',
      deliveryStatus: 'bounced',
      deliveryReason: `Refused by the server for gone${domain}: 550 5.1.1 no such user; full${domain}: 452 4.2.2 over quota`,
    })
    const { data } = await owner.call('listOptOuts', {})
    expect(data.map(({ identifier }) => identifier)).toEqual([`gone${domain}`])
  })

  it("is sent from the mailbox's own address when its alias was removed after it was scheduled", async () => {
    await using server = await makeServer()
    const { owner, draft, mailboxIds } = await makeReplyDraft(server)
    const mailboxId = mailboxIds[0]!
    const { email } = await owner.call('getMailbox', { mailboxId })
    await app.owner`
      insert into mailbox_aliases (account_id, mailbox_id, email, status, test_id, tested_at, verified_at, is_sender)
      values (${owner.accountId}, ${mailboxId}, 'sales@acme.example', 'verified', gen_random_uuid(), now(), now(), true)`
    const sendAt = new Date(app.now().getTime() + DAY).toISOString()
    expect(await owner.call('sendEmailDraft', { ...draft, sendAt })).toBeDefined()
    await owner.call('removeMailboxAlias', { mailboxId, email: 'sales@acme.example' })
    await worker.workAfter(DAY)
    expect(server.commands.findLast(line => line.startsWith('MAIL'))).toContain(`<${email}>`)
    expect(getHeader(server, 1, 'From')).toContain(`<${email}>`)
    expect(await owner.call('getEmailMessage', draft)).toMatchObject({ status: 'sent', from: { email } })
  })

  it('is rejected for an address on the Do Not Contact list', async () => {
    await using server = await makeServer()
    const { owner, draft, emails } = await makeReplyDraft(server)
    await owner.call('addOptOuts', { identifiers: [{ identifier: emails[0]! }] })
    await expect(owner.call('sendEmailDraft', draft)).rejects.toMatchObject({ code: 'Conflict' })
    await worker.workAfter(DAY)
    expect(countDelivered(server)).toBe(1)
  })

  it('is withheld at the gate when the opt-out follows the request to send it', async () => {
    await using server = await makeServer()
    const { owner, draft, emails } = await makeReplyDraft(server)
    await owner.call('sendEmailDraft', draft)
    await owner.call('addOptOuts', { identifiers: [{ identifier: emails[0]! }] })
    await worker.workAfter(0)
    expect(countDelivered(server)).toBe(1)
    expect(await owner.call('getEmailMessage', draft)).toMatchObject({
      status: 'draft',
      deliveryStatus: 'suppressed',
    })
  })

  it('fails when its mailbox has been failing for days, and is not sent afterwards', async () => {
    await using server = await makeServer()
    const { owner, draft, mailboxIds } = await makeReplyDraft(server)
    await owner.call('sendEmailDraft', draft)
    server.script = step => (step === 'MAIL' ? '553 not your address' : undefined)
    await worker.workAfter(0)
    // As many attempts as about four days of retries take.
    await app.owner`update email_sends set attempts = 28 where message_id = ${draft.emailMessageId}`
    await worker.workAfter(6 * 60 * MINUTE)
    expect(await owner.call('getEmailMessage', draft)).toMatchObject({ deliveryStatus: 'queued' })
    await worker.workAfter(6 * 60 * MINUTE)
    expect(await owner.call('getEmailMessage', draft)).toMatchObject({
      status: 'draft',
      deliveryStatus: 'failed',
      deliveryReason: expect.stringContaining('553 not your address'),
    })
    server.script = () => undefined
    await owner.call('verifyMailbox', { mailboxId: mailboxIds[0]! })
    await worker.workAfter(DAY)
    expect(countDelivered(server)).toBe(1)
    await owner.call('sendEmailDraft', draft)
    await worker.workAfter(0)
    expect(countDelivered(server)).toBe(2)
  })

  it('waits unchanged while its mailbox fails and is sent as soon as a user has verified the mailbox', async () => {
    await using server = await makeServer()
    const { owner, draft, mailboxIds } = await makeReplyDraft(server)
    await owner.call('sendEmailDraft', draft)
    server.script = step => (step === 'MAIL' ? '535 5.7.8 who are you' : undefined)
    await worker.workAfter(0)
    expect(await owner.call('getEmailMessage', draft)).toMatchObject({
      status: 'draft',
      deliveryStatus: 'queued',
      deliveryReason: expect.stringContaining('5.7.8'),
      body: 'One more thing',
    })
    expect((await owner.call('listMailboxes', {})).data[0]).toMatchObject({ status: 'failing' })
    server.script = () => undefined
    await owner.call('verifyMailbox', { mailboxId: mailboxIds[0]! })
    await worker.workAfter(0)
    expect(await owner.call('getEmailMessage', draft)).toMatchObject({ status: 'sent' })
    expect(countDelivered(server)).toBe(2)
  })
})
