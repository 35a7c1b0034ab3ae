import { randomUUIDv7 } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openTestApp, type TestApp } from '../../../../test/support/app.ts'
import { makeTaskCampaign } from '../../../../test/support/campaigns/task-campaign.ts'
import { makeReply } from '../../../../test/support/mail/answers.ts'
import {
  openPostOffice,
  type PostOffice,
  type SentCampaign,
} from '../../../../test/support/mail/correspondence.ts'
import { unsubscribe } from '../dnc/unsubscribe.ts'

const DAY_MS = 86_400_000
const steps = [
  { subject: 'Hello', body: 'One' },
  { delay: { amount: 2, unit: 'days' as const }, body: 'Two' },
]
const settings = { stopCompanyOnReply: true }
const request = 'Please remove me from your list.'

let app: TestApp
let post: PostOffice
beforeAll(async () => {
  app = await openTestApp({ ALLOW_PRIVATE_HOSTS: '127.0.0.1' })
  app.setNow('2026-11-20T09:00:00Z')
  post = await openPostOffice(app)
})
afterAll(async () => {
  await post[Symbol.asyncDispose]()
  await app[Symbol.asyncDispose]()
})

/** Sends the first step to two people at one company, one at another, and two with free-mail addresses. */
async function writeToCompanies(stopsCompany = true) {
  const tag = randomUUIDv7().slice(-12)
  const at = (name: string, domain: string) => `${name}-${tag}@${domain}`
  const [ada, boss] = [at('ada', `acme-${tag}.example`), at('boss', `mail.acme-${tag}.example`)]
  const others = [at('eve', `rival-${tag}.example`), at('joe', 'gmail.com'), at('jim', 'gmail.com')]
  const written = await post.write([ada, boss, ...others], steps)
  const { owner, campaignId } = written
  if (stopsCompany) await owner.call('updateCampaign', { campaignId, settings })
  const find = async (email: string) =>
    (await written.prospects()).find(({ person }) => person!.email === email)!
  return {
    ...written,
    ...{ ada, boss, others, find },
    state: async (email: string) => {
      const { status, statusReason } = await find(email)
      return statusReason ? `${status} ${statusReason}` : status
    },
    reply: async (from: string, text = 'Tell me more.') => {
      const mail = (await written.sent()).find(({ to }) => to === from)!
      return written.receive(makeReply(mail, text))
    },
  }
}

/** Sends the second step and returns its recipients. */
async function sendSecondStep(written: SentCampaign): Promise<string[]> {
  const before = (await written.sent()).length
  await post.workAfter(2 * DAY_MS)
  return (await written.sent()).slice(before).map(({ to }) => to)
}

describe('a reply in a campaign that stops the company', () => {
  it('stops and reports colleagues, while other companies and free-mail addresses continue', async () => {
    const written = await writeToCompanies()
    const { ada, boss, others, owner, state } = written
    await written.reply(ada)
    expect(await state(ada)).toBe('replied')
    const { id: prospectId, personId } = await written.find(boss)
    expect(await state(boss)).toBe('stopped company_replied')
    expect((await sendSecondStep(written)).sort()).toEqual(others.toSorted())
    // Events are listed once every earlier transaction on the server has ended.
    const listEvents = async () => (await owner.call('listEvents', { types: ['prospect.stopped'] })).data
    await expect
      .poll(listEvents)
      .toMatchObject([{ data: { id: prospectId, statusReason: 'company_replied' } }])
    const { data: timeline } = await owner.call('getPersonTimeline', { personId })
    expect(timeline.find(({ type }) => type === 'prospect')).toMatchObject({
      ...{ status: 'stopped', text: 'company_replied' },
    })
    const { data: audit } = await owner.call('listAuditLog', {})
    expect(audit.filter(({ action }) => action === 'stop')).toMatchObject([
      { actor: 'engine', auditedType: 'prospect', auditedId: prospectId },
    ])
  })

  it('stops no one else if it comes from a free-mail address or is automatic', async () => {
    const written = await writeToCompanies()
    const { ada, boss, others, state } = written
    const mail = (await written.sent()).find(({ to }) => to === ada)!
    await written.receive(makeReply(mail, 'I am away.', { 'Auto-Submitted': 'auto-replied' }))
    await written.reply(others[1]!)
    for (const email of [ada, boss, others[0]!, others[2]!]) expect(await state(email)).toBe('active')
  })

  it('stops paused colleagues too, but no colleagues in other campaigns', async () => {
    const written = await writeToCompanies()
    const { ada, boss, owner, find, state } = written
    const otherCampaign = await owner.call('createCampaign', { name: 'Summer', steps })
    const { data } = await owner.call('addProspectsToCampaign', {
      ...{ campaignId: otherCampaign.id, data: [{ email: boss }] },
    })
    await owner.call('pauseProspect', { prospectId: (await find(boss)).id })
    await written.reply(ada)
    expect(await state(boss)).toBe('stopped company_replied')
    const other = await owner.call('getProspect', { prospectId: data[0]!.prospectId! })
    expect(other.status).toBe('pending')
  })

  it('records the reply of a stopped colleague, and handles concurrent replies', async () => {
    const written = await writeToCompanies()
    const { ada, boss, state } = written
    await Promise.all([written.reply(ada), written.reply(boss)])
    expect([await state(ada), await state(boss)]).toEqual(['replied', 'replied'])
  })

  it('withdraws the queued email of a colleague', async () => {
    const written = await writeToCompanies()
    post.server.script = step => (step === 'RCPT' ? '451 4.3.0 later' : undefined)
    await post.workAfter(2 * DAY_MS)
    await written.reply(written.ada)
    const { id: prospectId } = await written.find(written.boss)
    post.server.script = () => undefined
    const messages = (await written.messages()).filter(message => message.prospectId === prospectId)
    expect(messages.map(({ deliveryStatus }) => deliveryStatus)).toEqual([undefined])
  })

  it('completes the campaign when nobody is left', async () => {
    const written = await post.write(3, steps)
    const { owner, campaignId } = written
    await owner.call('updateCampaign', { campaignId, settings })
    await written.receive(makeReply((await written.sent())[0]!, 'Tell me more.'))
    expect((await owner.call('getCampaign', { campaignId })).status).toBe('completed')
  })
})

describe('the sequences of colleagues', () => {
  it('stop when someone requests removal in a reply', async () => {
    const written = await writeToCompanies()
    await written.owner.call('updateAccount', { unsubscribeWords: 'opt_out' })
    await written.reply(written.ada, request)
    expect(await written.state(written.ada)).toBe('opted_out reply')
    expect(await written.state(written.boss)).toBe('stopped company_replied')
  })

  it('stop when someone follows the link to unsubscribe', async () => {
    const written = await writeToCompanies()
    const { id: prospectId } = await written.find(written.ada)
    const { id } = (await written.messages()).find(message => message.prospectId === prospectId)!
    const { accountId } = written.owner
    await unsubscribe(app, { accountId, emailMessageId: id, email: written.ada }, 'unsubscribe_link')
    expect(await written.state(written.ada)).toBe('opted_out unsubscribe_link')
    expect(await written.state(written.boss)).toBe('stopped company_replied')
  })

  it('stop when someone books a meeting', async () => {
    const written = await writeToCompanies()
    const { id: prospectId } = await written.find(written.ada)
    await written.owner.call('recordMeeting', { prospectId, startsAt: '2026-12-01T09:00:00Z' })
    expect(await written.state(written.boss)).toBe('stopped company_replied')
  })

  it('stop when someone replies on LinkedIn, which cancels the tasks of colleagues', async () => {
    const people = ['ada', 'boss'].map(name => ({ company: 'Acme', linkedinUrl: `linkedin.com/in/${name}` }))
    const campaign = await makeTaskCampaign(app, [{ channel: 'linkedin_view' }], people, { settings })
    const { owner, prospectIds } = campaign
    await owner.call('recordLinkedinMessage', {
      prospectId: prospectIds[0]!,
      ...{ type: 'received', text: 'Yes', happenedAt: app.now().toISOString() },
    })
    expect(await owner.call('getProspect', { prospectId: prospectIds[1]! })).toMatchObject({
      ...{ status: 'stopped', statusReason: 'company_replied' },
    })
    expect((await owner.call('listTasks', { status: 'open' })).data).toEqual([])
  })
})

it('a reply in a campaign that does not stop the company leaves the sequences of colleagues running', async () => {
  const written = await writeToCompanies(false)
  await written.reply(written.ada)
  expect((await sendSecondStep(written)).sort()).toEqual([written.boss, ...written.others].sort())
})
