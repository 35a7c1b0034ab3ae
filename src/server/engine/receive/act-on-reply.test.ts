import { randomUUIDv7 } from 'node:crypto'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { openTestApp, type TestApp } from '../../../../test/support/app.ts'
import { makeReply, rawMail } from '../../../../test/support/mail/answers.ts'
import {
  openPostOffice,
  type PostOffice,
  type SentCampaign,
} from '../../../../test/support/mail/correspondence.ts'
import { startOfDay } from './act-on-reply.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
const steps = [
  { subject: 'Hello', body: 'One' },
  { delay: { amount: 2, unit: 'days' as const }, body: 'Two' },
]

let app: TestApp
let post: PostOffice
beforeAll(async () => {
  app = await openTestApp({ ALLOW_PRIVATE_HOSTS: '127.0.0.1' })
  app.setNow('2026-11-20T09:00:00Z')
  post = await openPostOffice(app)
})
afterEach(() => {
  post.server.script = () => undefined
})
afterAll(async () => {
  await post[Symbol.asyncDispose]()
  await app[Symbol.asyncDispose]()
})

const outOfOffice = (text: string) => ({
  text,
  fields: { 'Auto-Submitted': 'auto-replied', Subject: 'Out of office' },
})
const getFirstEmail = async (written: SentCampaign) => (await written.sent())[0]!
const getStates = async (written: SentCampaign) =>
  (await written.prospects()).map(({ status, statusReason }) => [status, statusReason])

/** Launches another campaign for these people, with a two-day delay before its first step. */
async function launchSecond({ owner }: SentCampaign, emails: string[]) {
  const { data: reps } = await owner.call('listReps', {})
  const { id: campaignId } = await owner.call('createCampaign', {
    name: 'Summer',
    repIds: [reps[0]!.id],
    steps: [{ ...steps[1]!, subject: 'Summer' }],
  })
  await owner.call('addProspectsToCampaign', { campaignId, data: emails.map(email => ({ email })) })
  await owner.call('launchCampaign', { campaignId })
  return {
    campaignId,
    states: async () =>
      (await owner.call('listProspects', { campaignId })).data
        .map(({ status, statusReason }) => [status, statusReason])
        .reverse(),
  }
}

describe('a human reply', () => {
  it('ends its sequence and pauses other sequences of the same person', async () => {
    const written = await post.write(2, steps)
    const second = await launchSecond(written, written.emails)
    await written.receive(makeReply(await getFirstEmail(written), 'Tell me more.'))
    const repliedFrom = (await getFirstEmail(written)).to
    const others = written.emails.filter(email => email !== repliedFrom)
    expect((await getStates(written)).sort()).toEqual([
      ['active', undefined],
      ['replied', undefined],
    ])
    expect((await second.states()).sort()).toEqual([
      ['paused', 'replied_elsewhere'],
      ['pending', undefined],
    ])
    await post.workAfter(3 * DAY_MS)
    expect((await written.sent()).slice(2).map(({ to }) => to)).toEqual([...others, ...others])
  })

  it.each([
    ['failed', 'no_email'],
    ['failed', 'missing_variable: company'],
    ['failed', 'template: unknown filter'],
    ['paused', 'role_address'],
    ['paused', 'undeliverable_domain'],
  ])('also pauses a prospect that is %s because of %s, until a user resumes it', async (status, reason) => {
    const written = await post.write(1, steps)
    const { owner } = written
    const second = await launchSecond(written, written.emails)
    const { campaignId } = second
    const [held] = (await owner.call('listProspects', { campaignId })).data
    await app.owner`
        update prospects
           set status = ${status}, status_reason = ${reason}, next_step_at = case ${status} when 'paused' then next_step_at end
         where id = ${held!.id}`
    await written.receive(makeReply(await getFirstEmail(written), 'Write to my other address.'))
    expect(await second.states()).toEqual([['paused', 'replied_elsewhere']])
    await owner.call('updatePerson', { personId: held!.personId, email: `ada@${randomUUIDv7()}.example` })
    await owner.call('updateCampaign', { campaignId, settings: { holdRiskyAddresses: false } })
    const { steps: set } = await owner.call('getCampaign', { campaignId })
    await owner.call('setCampaignSteps', {
      campaignId,
      steps: [{ id: set[0]!.id, subject: 'Fixed', body: 'Summer' }],
    })
    await post.workAfter(3 * DAY_MS)
    expect(await second.states()).toEqual([['paused', 'replied_elsewhere']])
    await owner.call('resumeProspect', { prospectId: held!.id })
    await post.workAfter(0)
    expect(await second.states()).toEqual([['completed', undefined]])
  })

  it('pauses the sequences of everyone at the company if the account is configured to', async () => {
    const written = await post.write(2, steps)
    await written.owner.call('updateAccount', { replyPauses: 'company_domain' })
    const elsewhere = await launchSecond(written, [
      `boss@mail.${written.emails[0]!.split('@')[1]}`,
      'x@gmail.com',
    ])
    await written.receive(makeReply(await getFirstEmail(written), 'Tell me more.'))
    expect((await getStates(written)).sort()).toEqual([
      ['paused', 'replied_elsewhere'],
      ['replied', undefined],
    ])
    expect((await elsewhere.states()).sort()).toEqual([
      ['paused', 'replied_elsewhere'],
      ['pending', undefined],
    ])
  })

  it('withdraws the queued step', async () => {
    const written = await post.write(1, steps)
    post.server.script = step => (step === 'RCPT' ? '451 4.3.0 later' : undefined)
    await post.workAfter(2 * DAY_MS)
    expect((await written.messages()).map(message => message.deliveryStatus)).toContain('queued')
    await written.receive(makeReply(await getFirstEmail(written), 'Tell me more.'))
    expect((await written.messages()).map(({ type }) => type).sort()).toEqual(['campaign', 'received'])
    post.server.script = () => undefined
    await post.workAfter(5 * DAY_MS)
    expect(await written.sent()).toHaveLength(1)
  })

  it('stops a step during its SMTP session, before the last bytes are sent', async () => {
    const written = await post.write(1, steps)
    const mail = await getFirstEmail(written)
    post.server.script = step => (step === 'DATA' ? 'silent' : undefined)
    const countDataCommands = () => post.server.commands.filter(line => line.startsWith('DATA')).length
    const before = countDataCommands()
    const sending = post.workAfter(2 * DAY_MS)
    await post.server.until(() => countDataCommands() > before)
    await written.receive(makeReply(mail, 'Tell me more.'))
    post.server.answer('354 go on')
    await sending
    expect(await written.sent()).toHaveLength(1)
    expect(await getStates(written)).toEqual([['replied', undefined]])
    expect((await written.messages()).map(({ type }) => type).sort()).toEqual(['campaign', 'received'])
  })

  it('marks the prospect as replied after the last step, even when a colleague replies', async () => {
    const written = await post.write(3)
    expect(new Set((await getStates(written)).flat())).toEqual(new Set(['completed', undefined]))
    for (const mail of await written.sent())
      await written.receive(makeReply(mail, 'Ask me.', { From: `colleague-${mail.to}` }))
    expect(new Set((await getStates(written)).map(([status]) => status))).toEqual(new Set(['replied']))
  })
})

describe('a manual email', () => {
  it('pauses the sequences of its recipient', async () => {
    const written = await post.write(1, steps)
    const second = await launchSecond(written, written.emails)
    const [message] = await written.messages()
    const { messageId } = await written.owner.call('createEmailDraft', {
      prospectId: message!.prospectId!,
      emailMessageIdToReplyTo: message!.id,
      body: 'By the way',
    })
    await written.owner.call('sendEmailDraft', { emailMessageId: messageId })
    expect(await getStates(written)).toEqual([['paused', 'manual_email']])
    expect(await second.states()).toEqual([['paused', 'manual_email']])
    await post.workAfter(5 * DAY_MS)
    expect((await written.sent()).map(({ mail }) => mail.text?.trim().split('\n')[0])).toEqual([
      'One',
      'By the way',
    ])
  })
})

describe('an automatic reply', () => {
  it('does not stop the sequence', async () => {
    const written = await post.write(1, steps)
    const { text, fields } = outOfOffice('I am out of the office.')
    expect(await written.receive(makeReply(await getFirstEmail(written), text, fields))).toMatchObject({
      outcome: 'stored',
      kind: 'auto_reply',
    })
    expect(await getStates(written)).toEqual([['active', undefined]])
    await post.workAfter(2 * DAY_MS)
    expect(await written.sent()).toHaveLength(2)
  })

  it('postpones the next step until the return date in the reply', async () => {
    app.setNow('2026-11-20T09:00:00Z')
    const written = await post.write(1, steps)
    const { text, fields } = outOfOffice('I am out of the office and will be back on 30 November 2026.')
    await written.receive(makeReply(await getFirstEmail(written), text, fields))
    expect(await written.prospects()).toMatchObject([
      { status: 'out_of_office', nextStepAt: '2026-11-30T00:00:00.000Z' },
    ])
    app.setNow('2026-11-29T23:59:59Z')
    await post.worker.work()
    expect(await written.sent()).toHaveLength(1)
    app.setNow('2026-11-30T00:00:00Z')
    await post.worker.work()
    expect(await written.sent()).toHaveLength(2)
    expect(await getStates(written)).toEqual([['completed', undefined]])
  })

  it.each([
    ['paused', 'paused', null],
    ['blocked by a missing value', 'failed', 'missing_variable: title'],
  ])('also postpones the next step of a prospect who is %s', async (_, status, reason) => {
    app.setNow('2026-11-20T09:00:00Z')
    const written = await post.write(1, steps)
    const { owner } = written
    const [prospect] = await written.prospects()
    const { id: prospectId, personId } = prospect!
    await app.owner`
      update prospects
         set status = ${status}, status_reason = ${reason}, next_step_at = case ${status} when 'paused' then next_step_at end
       where id = ${prospectId}`
    const { text, fields } = outOfOffice('I am out of the office and will be back on 30 November 2026.')
    await written.receive(makeReply(await getFirstEmail(written), text, fields))
    expect(await getStates(written)).toEqual([[status, reason ?? undefined]])
    if (status === 'paused') await owner.call('resumeProspect', { prospectId })
    else await owner.call('updatePerson', { personId, title: 'Countess' })
    app.setNow('2026-11-25T09:00:00Z')
    await post.worker.work()
    expect((await owner.call('getProspect', { prospectId })).next).toMatchObject({
      heldBy: 'out_of_office',
      dueAt: '2026-11-30T00:00:00.000Z',
    })
    expect(await written.sent()).toHaveLength(1)
    app.setNow('2026-11-30T00:00:00Z')
    await post.worker.work()
    expect(await written.sent()).toHaveLength(2)
  })

  it.each(['moved', 'added'])('postpones the steps of a campaign that the person is %s to', async how => {
    app.setNow('2026-11-20T09:00:00Z')
    const written = await post.write(1, steps)
    const { owner, emails } = written
    const { text, fields } = outOfOffice('I am out of the office and will be back on 30 November 2026.')
    await written.receive(makeReply(await getFirstEmail(written), text, fields))
    const [prospect] = await written.prospects()
    const { repIds } = await owner.call('getCampaign', { campaignId: written.campaignId })
    const { id: campaignId } = await owner.call('createCampaign', {
      ...{ name: 'Summer', repIds, steps: [{ subject: 'Summer', body: 'Summer' }] },
      settings: { isEvergreen: true },
    })
    if (how === 'moved') await owner.call('moveProspects', { prospectIds: [prospect!.id], campaignId })
    else await owner.call('addProspectsToCampaign', { campaignId, data: [{ email: emails[0]! }] })
    await owner.call('launchCampaign', { campaignId })
    const { data } = await owner.call('listProspects', { campaignId })
    await post.worker.work()
    expect((await owner.call('getProspect', { prospectId: data[0]!.id })).next).toMatchObject({
      ...{ step: 1, heldBy: 'out_of_office', dueAt: '2026-11-30T00:00:00.000Z' },
    })
    expect(await written.sent()).toHaveLength(1)
  })

  it('never makes a step due earlier', async () => {
    app.setNow('2026-12-01T09:00:00Z')
    const written = await post.write(1, [steps[0]!, { delay: { amount: 20, unit: 'days' }, body: 'Two' }])
    const { text, fields } = outOfOffice('I am out of the office, back on 3 December 2026.')
    await written.receive(makeReply(await getFirstEmail(written), text, fields))
    expect(await written.prospects()).toMatchObject([
      { status: 'out_of_office', nextStepAt: '2026-12-21T09:00:00.000Z' },
    ])
  })

  it('does not leave the prospect out of office when it arrives during the last step', async () => {
    app.setNow('2026-12-01T09:00:00Z')
    const written = await post.write(1, steps)
    const mail = await getFirstEmail(written)
    const { text, fields } = outOfOffice('I am out of the office, back on 30 December 2026.')
    let received: Promise<unknown> | undefined
    post.server.script = step => {
      if (step === 'DOT') received = written.receive(makeReply(mail, text, fields))
      return undefined
    }
    await post.workAfter(2 * DAY_MS)
    await received
    post.server.script = () => undefined
    await post.worker.work()
    expect(await getStates(written)).toEqual([['completed', undefined]])
    const { status } = await written.owner.call('getCampaign', { campaignId: written.campaignId })
    expect(status).toBe('completed')
  })

  it.each([
    ['UTC', '2026-11-30T00:00:00.000Z'],
    ['America/Los_Angeles', '2026-11-30T08:00:00.000Z'],
    ['Pacific/Kiritimati', '2026-11-29T10:00:00.000Z'],
  ])('has a return date that begins at midnight in the time zone %s', (zone, at) => {
    expect(startOfDay(new Date('2026-11-30T00:00:00Z'), zone).toISOString()).toBe(at)
  })
})

describe('a reply to an email that a rep wrote to several people', () => {
  it('opts out only its sender, and postpones no step of the prospect, if somebody else wrote it', async () => {
    app.setNow('2026-11-20T09:00:00Z')
    const written = await post.write(1, steps)
    await written.owner.call('updateAccount', { unsubscribeWords: 'opt_out' })
    const { to } = await getFirstEmail(written)
    const carl = `carl-${randomUUIDv7()}@other.example`
    const id = `<${randomUUIDv7()}@phone.example>`
    const fields = { From: written.address, To: to, Cc: carl, Subject: 'Hello', 'Message-ID': id }
    await written.receive(rawMail(fields, 'Carl joins us.'), 'sent')
    const reply = (from: string, text: string, more = {}) =>
      written.receive(rawMail({ From: from, To: written.address, 'In-Reply-To': id, ...more }, text))
    const [prospect] = await written.prospects()
    await written.owner.call('resumeProspect', { prospectId: prospect!.id })
    const { text, fields: automatic } = outOfOffice('I am out of the office, back on 30 November 2026.')
    await reply(carl, text, automatic)
    expect(await getStates(written)).toEqual([['active', undefined]])
    await reply(carl, 'Please remove me.')
    const listed = async () =>
      (await written.owner.call('listOptOuts', {})).data.map(({ identifier }) => identifier)
    expect(await listed()).toEqual([carl])
    await reply(to, 'Please remove me.')
    expect((await listed()).sort()).toEqual([carl, to].sort())
  })
})

describe('an opt-out request in the text of a reply', () => {
  const request = 'Please remove me from your list.'

  it('ends the sequence and flags the reply for a user to review', async () => {
    const written = await post.write(1, steps)
    const second = await launchSecond(written, written.emails)
    const receipt = await written.receive(makeReply(await getFirstEmail(written), request))
    expect(receipt).toMatchObject({ outcome: 'stored', kind: 'unsubscribe' })
    expect(await getStates(written)).toEqual([['replied', 'asks_to_unsubscribe']])
    expect(await second.states()).toEqual([['paused', 'replied_elsewhere']])
    expect((await written.owner.call('listOptOuts', {})).data).toEqual([])
  })

  it('opts the person out if the account is configured to', async () => {
    const written = await post.write(1, steps)
    await written.owner.call('updateAccount', { unsubscribeWords: 'opt_out' })
    const second = await launchSecond(written, written.emails)
    const colleague = `colleague-${randomUUIDv7()}@other.example`
    await written.receive(makeReply(await getFirstEmail(written), request, { From: colleague }))
    expect(await getStates(written)).toEqual([['opted_out', 'reply']])
    expect(await second.states()).toEqual([['opted_out', 'reply']])
    const { data } = await written.owner.call('listOptOuts', {})
    expect(data.map(({ identifier }) => identifier).sort()).toEqual([colleague, ...written.emails].sort())
  })

  it.each(['moved@elsewhere.example', null])('opts out a person whose address was set to %s', async moved => {
    const written = await post.write(1, steps)
    const { owner } = written
    await owner.call('updateAccount', { unsubscribeWords: 'opt_out' })
    const second = await launchSecond(written, written.emails)
    const failed = await launchSecond(written, written.emails)
    await app.owner`
      update prospects set status = 'failed', status_reason = 'no_email', next_step_at = null
       where campaign_id = ${failed.campaignId}`
    const [prospect] = await written.prospects()
    await owner.call('updatePerson', { personId: prospect!.personId, email: moved })
    const colleague = `colleague-${randomUUIDv7()}@other.example`
    await written.receive(makeReply(await getFirstEmail(written), request, { From: colleague }))
    for (const states of [await getStates(written), await second.states(), await failed.states()])
      expect(states).toEqual([['opted_out', 'reply']])
    const { data } = await owner.call('listOptOuts', {})
    const expected = [colleague, ...written.emails, ...(moved ? [moved] : [])]
    expect(data.map(({ identifier }) => identifier).sort()).toEqual(expected.sort())
  })

  it('pauses the sequences of colleagues, like any other reply, when it opts the person out', async () => {
    const written = await post.write(2, steps)
    await written.owner.call('updateAccount', { unsubscribeWords: 'opt_out', replyPauses: 'company_domain' })
    await written.receive(makeReply(await getFirstEmail(written), request))
    expect((await getStates(written)).sort()).toEqual([
      ['opted_out', 'reply'],
      ['paused', 'replied_elsewhere'],
    ])
  })
})
