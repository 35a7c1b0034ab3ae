import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  type Caller,
  createCaller,
  makeCaller,
  openTestApp,
  type TestApp,
} from '../../../test/support/app.ts'
import { tick } from '../../../test/support/campaigns/tick.ts'
import { openSandbox, type Sandbox } from '../protocols/smtp/sandbox.ts'
import { dispatchDue, type Job, planDue } from './dispatch.ts'
import { SmtpPools } from './send/smtp-pools.ts'

let app: TestApp
let sandbox: Sandbox
const pools = new SmtpPools()

beforeAll(async () => {
  const opened = await openTestApp()
  sandbox = await openSandbox({ dir: join(opened.dataDir, 'sandbox') })
  app = { ...opened, sandbox }
})
afterAll(async () => {
  await pools[Symbol.asyncDispose]()
  await sandbox[Symbol.asyncDispose]()
  await app[Symbol.asyncDispose]()
})

/** Runs ticks until no work is left. */
async function runTicks(): Promise<void> {
  for (let quiet = 0; quiet < 2; ) {
    const jobs = await tick(app, pools)
    await Promise.all(jobs.map(({ done }) => done))
    quiet = jobs.length === 0 ? quiet + 1 : 0
  }
}

type Campaign = { owner: Caller; campaignId: string; email: string }

/** Creates a campaign that is ready to launch, with a sandbox mailbox and one step. */
async function makeCampaign(people: object[], step: { subject: string; body: string }): Promise<Campaign> {
  const { accountId, userId } = await makeCaller(app)
  const owner = createCaller(app, { accountId, userId, role: 'owner', actor: 'test', isReadOnly: false })
  const email = `ada-${accountId}@acme.example`
  await owner.call('updateAccount', {
    postalAddress: '12 St James Square',
    optOutLine: 'Reply stop to hear no more.',
  })
  const rep = await owner.call('createRep', { name: 'Ada Byron' })
  await owner.call('createMailbox', { repId: rep.id, kind: 'sandbox', email })
  const { id: campaignId } = await owner.call('createCampaign', {
    name: 'Spring',
    repIds: [rep.id],
    steps: [step],
  })
  for (let from = 0; from < people.length; from += 20) {
    await owner.call('addProspectsToCampaign', { campaignId, data: people.slice(from, from + 20) as never })
  }
  return { owner, campaignId, email }
}

const hello = { subject: 'Hello {{ firstName }}', body: 'Hi {{ firstName }},\n\nIs {{ company }} hiring?' }
const person = (name: string) => ({
  firstName: name,
  lastName: 'Test',
  email: `${name.toLowerCase()}@people.example`,
  company: 'Navy',
})

const readEmails = async ({ email }: Campaign): Promise<string[]> => {
  const dir = join(app.dataDir, 'sandbox', email)
  const names = await readdir(dir).catch(() => [])
  return Promise.all(names.map(name => readFile(join(dir, name), 'utf8')))
}
const listMessages = async ({ owner, campaignId }: Campaign) =>
  (await owner.call('listEmailMessages', { campaignId, limit: 100 })).data

describe('an active campaign', () => {
  it('sends its step to each prospect once and is then completed', async () => {
    const campaign = await makeCampaign(['Grace', 'Alan', 'Mary'].map(person), hello)
    await runTicks()
    expect(await listMessages(campaign), 'nothing before the launch').toEqual([])
    await campaign.owner.call('launchCampaign', { campaignId: campaign.campaignId })
    await runTicks()
    const messages = await listMessages(campaign)
    expect(messages.map(message => message.subject).sort()).toEqual([
      'Hello Alan',
      'Hello Grace',
      'Hello Mary',
    ])
    for (const message of messages) {
      expect(message).toMatchObject({ status: 'sent', type: 'campaign', from: { email: campaign.email } })
      expect(message.deliveryStatus).toBeUndefined()
    }
    const emails = await readEmails(campaign)
    expect(emails).toHaveLength(3)
    const alan = emails.find(text => text.includes('Subject: Hello Alan'))
    expect(alan).toContain('Is Navy hiring?')
    expect(alan, 'how to opt out').toContain('Reply stop to hear no more.')
    expect(alan, 'who writes').toContain('12 St James Square')
    expect((await campaign.owner.call('getCampaign', { campaignId: campaign.campaignId })).status).toBe(
      'completed',
    )
    await runTicks()
    expect(await readEmails(campaign), 'nothing twice').toHaveLength(3)
  })

  it('sends emails immediately after planning, up to the capacity', async () => {
    const campaign = await makeCampaign(['Grace', 'Alan', 'Mary'].map(person), hello)
    await campaign.owner.call('launchCampaign', { campaignId: campaign.campaignId })
    const jobs: Job[] = []
    const { done } = await planDue(app, { pools, capacity: 2, track: job => jobs.push(job) })
    await done
    expect(jobs.map(({ send }) => send)).toEqual([
      expect.objectContaining({ epoch: 1n, attempts: 1 }),
      expect.objectContaining({ epoch: 1n, attempts: 1 }),
    ])
    await Promise.all(jobs.map(job => job.done))
    expect(await readEmails(campaign)).toHaveLength(2)
    const [third, ...others] = await dispatchDue(app, pools, 100)
    expect([third?.send?.attempts, others]).toEqual([1, []])
    await third!.done
    expect(await readEmails(campaign)).toHaveLength(3)
  })

  it('skips prospects whose address or domain opted out after they were added', async () => {
    const campaign = await makeCampaign(
      [person('Grace'), person('Alan'), { ...person('Zoe'), email: 'zoe@mail.quiet.example' }],
      hello,
    )
    await campaign.owner.call('addOptOuts', {
      identifiers: [{ identifier: 'GRACE@people.example' }, { identifier: 'quiet.example' }],
      pauseActiveProspects: false,
    })
    await campaign.owner.call('launchCampaign', { campaignId: campaign.campaignId })
    await runTicks()
    expect((await listMessages(campaign)).map(message => message.subject)).toEqual(['Hello Alan'])
    expect(await readEmails(campaign)).toHaveLength(1)
    const { data } = await campaign.owner.call('listProspects', { campaignId: campaign.campaignId })
    expect(
      data.filter(prospect => prospect.statusReason === 'do_not_contact').map(prospect => prospect.status),
    ).toEqual(['paused', 'paused'])
  })

  it('sends nothing while it is paused, and the rest once it is resumed', async () => {
    const campaign = await makeCampaign([person('Grace')], hello)
    const { campaignId } = campaign
    await campaign.owner.call('launchCampaign', { campaignId })
    await campaign.owner.call('pauseCampaign', { campaignId })
    await runTicks()
    expect(await readEmails(campaign)).toEqual([])
    await campaign.owner.call('resumeCampaign', { campaignId })
    await runTicks()
    expect(await readEmails(campaign)).toHaveLength(1)
  })

  it('sends no email with a missing variable and reports the variable', async () => {
    const campaign = await makeCampaign([person('Grace'), { email: 'nameless@people.example' }], hello)
    await campaign.owner.call('launchCampaign', { campaignId: campaign.campaignId })
    await runTicks()
    expect(await readEmails(campaign)).toHaveLength(1)
    const { data } = await campaign.owner.call('listProspects', { campaignId: campaign.campaignId })
    expect(data.map(({ status, statusReason }) => ({ status, statusReason }))).toEqual(
      expect.arrayContaining([
        { status: 'completed', statusReason: undefined },
        { status: 'failed', statusReason: 'missing_variable: firstName' },
      ]),
    )
  })

  it('waits for a working mailbox and reports the lack of one in its health', async () => {
    const campaign = await makeCampaign([person('Grace')], hello)
    const { campaignId } = campaign
    await campaign.owner.call('launchCampaign', { campaignId })
    await app.owner`update mailboxes set status = 'failing' where email = ${campaign.email}`
    await runTicks()
    expect(await readEmails(campaign)).toEqual([])
    expect((await campaign.owner.call('getCampaign', { campaignId })).health).toMatch(/mailbox/)
    await app.owner`update mailboxes set status = 'active' where email = ${campaign.email}`
    app.setNow(new Date(Date.now() + 5 * 60_000))
    await runTicks()
    expect(await readEmails(campaign)).toHaveLength(1)
    expect((await campaign.owner.call('getCampaign', { campaignId })).health).toBeUndefined()
  })
})

describe('a manual reply', () => {
  it('is sent in the thread regardless of the prospect’s status, and does not advance a step', async () => {
    const campaign = await makeCampaign([person('Grace')], hello)
    const { owner, campaignId } = campaign
    await owner.call('launchCampaign', { campaignId })
    await runTicks()
    const [sent] = await listMessages(campaign)
    const prospectId = sent!.prospectId!
    await app.owner`update prospects set status = 'replied', steps_done = 0 where id = ${prospectId}`
    const { messageId } = await owner.call('createEmailDraft', {
      prospectId,
      emailMessageIdToReplyTo: sent!.id,
      body: 'Did you see this?',
    })
    const queued = await owner.call('sendEmailDraft', { emailMessageId: messageId })
    expect(queued).toMatchObject({ status: 'draft', deliveryStatus: 'queued' })
    await app.owner`update mailboxes set status = 'failing' where email = ${campaign.email}`
    await runTicks()
    expect(await owner.call('getEmailMessage', { emailMessageId: messageId })).toMatchObject({
      status: 'draft',
    })
    await app.owner`update mailboxes set status = 'active' where email = ${campaign.email}`
    app.setNow(new Date(app.now().getTime() + 10 * 60_000))
    await runTicks()
    const reply = await owner.call('getEmailMessage', { emailMessageId: messageId })
    expect(reply).toMatchObject({
      status: 'sent',
      subject: 'Re: Hello Grace',
      emailThreadId: sent!.emailThreadId,
    })
    expect(reply.deliveryStatus).toBeUndefined()
    const emails = await readEmails(campaign)
    expect(emails).toHaveLength(2)
    expect(emails.some(text => /^In-Reply-To: <.+>/m.test(text))).toBe(true)
    const [prospect] = await app.owner`select status, steps_done from prospects where id = ${prospectId}`
    expect(prospect).toMatchObject({ status: 'replied', steps_done: 0 })
  })
})
