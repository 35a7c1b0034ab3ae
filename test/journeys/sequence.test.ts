import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { openTestApp, type TestApp } from '../support/app.ts'
import { isWaitingForLock } from '../support/db/lock-waits.ts'
import { makeMailCampaign, openWorker, type Worker } from '../support/mail/mail-campaign.ts'
import { ScriptedSmtp } from '../support/mail/scripted-smtp.ts'
import { getReferences, readMails } from '../support/mail/sent-mail.ts'

const DAY_MS = 24 * 3_600_000

let app: TestApp
let server: ScriptedSmtp
let worker: Worker
beforeAll(async () => {
  app = await openTestApp({ ALLOW_PRIVATE_HOSTS: '127.0.0.1' })
  server = await ScriptedSmtp.open()
  worker = openWorker(app)
})
afterEach(() => {
  server.transfers.length = 0
})
afterAll(async () => {
  await worker[Symbol.asyncDispose]()
  await server[Symbol.asyncDispose]()
  await app[Symbol.asyncDispose]()
})

const subjects = async () => (await readMails(server)).map(({ mail }) => mail.subject)

describe('a sequence', () => {
  it('sends each step after its delay, in the same or a new thread, then completes', async () => {
    app.setNow('2026-11-20T09:00:00.000Z') // a Friday
    const campaign = await makeMailCampaign(app, [server], 3, [
      { subject: 'Hello {{ firstName }}', body: 'One' },
      { delay: { amount: 2, unit: 'days' }, body: 'Two' },
      { body: 'Three' },
      { delay: { amount: 90, unit: 'minutes' }, subject: 'Last try', body: 'Four' },
    ])
    await worker.work()
    expect(await readMails(server)).toHaveLength(3)
    expect(await campaign.prospects()).toMatchObject(
      Array(3).fill({ status: 'active', step: 1, nextStepAt: '2026-11-22T09:00:00.000Z' }),
    )
    await worker.workAfter(2 * DAY_MS - 1)
    expect(await readMails(server)).toHaveLength(3)
    await worker.workAfter(1)
    expect(await readMails(server)).toHaveLength(6)
    // Three business days after a Sunday.
    expect((await campaign.prospects())[0]).toMatchObject({ nextStepAt: '2026-11-25T09:00:00.000Z' })
    await worker.workAfter(3 * DAY_MS)
    await worker.workAfter(90 * 60_000 - 1)
    expect(await readMails(server)).toHaveLength(9)
    await worker.workAfter(1)
    for (const [n, email] of campaign.emails.entries()) {
      const mails = (await readMails(server)).filter(({ to }) => to === email)
      const ids = mails.map(({ mail }) => mail.messageId!)
      expect(new Set(ids).size).toBe(4)
      const greeting = `Hello Person${n}`
      expect(mails.map(({ mail }) => mail.subject)).toEqual([
        greeting,
        `Re: ${greeting}`,
        `Re: ${greeting}`,
        'Last try',
      ])
      expect(mails.map(({ mail }) => mail.inReplyTo)).toEqual([undefined, ids[0], ids[1], undefined])
      expect(mails.map(getReferences)).toEqual([[], [ids[0]], [ids[0], ids[1]], []])
    }
    const messages = await campaign.messages()
    expect(new Set(messages.map(message => message.emailThreadId)).size).toBe(6)
    expect(await campaign.prospects()).toMatchObject(Array(3).fill({ status: 'completed', step: 4 }))
    const { status } = await campaign.owner.call('getCampaign', { campaignId: campaign.campaignId })
    expect(status).toBe('completed')
  })

  it('starts after the delay of its first step, counted from launch or from adding the prospect', async () => {
    app.setNow('2026-11-23T09:00:00.000Z')
    const { owner, campaignId, prospects } = await makeMailCampaign(app, [server], 1, [
      { delay: { amount: 2, unit: 'hours' }, subject: 'One', body: 'One' },
    ])
    expect(await prospects()).toMatchObject([{ nextStepAt: '2026-11-23T11:00:00.000Z' }])
    await worker.workAfter(3_600_000)
    const data = [{ email: `late@${campaignId}.example` }]
    await owner.call('addProspectsToCampaign', { campaignId, data })
    await worker.workAfter(3_600_000)
    expect(await readMails(server)).toHaveLength(1)
    await worker.workAfter(3_600_000 - 1)
    expect(await readMails(server)).toHaveLength(1)
    await worker.workAfter(1)
    expect(await readMails(server)).toHaveLength(2)
  })

  it('distributes variants by weight', async () => {
    const steps = [
      {
        variants: [
          { subject: 'A', body: 'a', weight: 3 },
          { subject: 'B', body: 'b', weight: 1 },
          { subject: 'C', body: 'c', weight: 0 },
        ],
      },
    ]
    const campaign = await makeMailCampaign(app, [server], 100, steps)
    await worker.work()
    const counts = Object.groupBy(await subjects(), subject => subject!)
    expect(Object.keys(counts).sort()).toEqual(['A', 'B'])
    expect(counts.A!.length).toBeGreaterThan(counts.B!.length)
    const [step] = (await campaign.owner.call('getCampaign', { campaignId: campaign.campaignId })).steps
    const sent = await app.owner<{ variant: string; subject: string }[]>`
      select distinct variant_id as variant, subject from email_messages where campaign_id = ${campaign.campaignId}
       order by subject`
    expect(sent.map(({ variant }) => variant)).toEqual(step!.variants.slice(0, 2).map(({ id }) => id))
  })
})

describe('an edit of a running sequence', () => {
  const soon = { amount: 1, unit: 'hours' as const }
  const named = (text: string) => ({ delay: soon, subject: text, body: text })

  /** Starts a campaign with one person, who has received the first of these steps. */
  async function makeRunning(...texts: string[]) {
    const steps = [{ subject: texts[0]!, body: 'first' }, ...texts.slice(1).map(named)]
    const campaign = await makeMailCampaign(app, [server], 1, steps)
    const { owner, campaignId } = campaign
    await worker.work()
    const read = async () => (await owner.call('getCampaign', { campaignId })).steps
    const ids = Object.fromEntries((await read()).map(({ id, variants }) => [variants[0]!.subject!, id]))
    const set = (...texts: string[]) =>
      owner.call('setCampaignSteps', {
        campaignId,
        steps: texts.map(text => ({ ...named(text), ...(ids[text] && { id: ids[text] }) })),
      })
    return { ...campaign, ids, set, read }
  }
  const runAllSteps = async () => {
    for (let n = 0; n < 8; n++) await worker.workAfter(3_600_000)
  }

  it('sends steps inserted after the current one, but not those inserted before it', async () => {
    const { set } = await makeRunning('A', 'B', 'C')
    await set('X', 'A', 'Y', 'B', 'C', 'Z')
    await runAllSteps()
    expect(await subjects()).toEqual(['A', 'Y', 'B', 'C', 'Z'])
  })

  it('follows the new order without repeating a step', async () => {
    const { set } = await makeRunning('A', 'B', 'C')
    await set('C', 'A', 'B')
    await runAllSteps()
    expect(await subjects()).toEqual(['A', 'B'])
  })

  it('continues after a step that was removed after it was sent', async () => {
    const { set, ids, read } = await makeRunning('A', 'B', 'C')
    await worker.workAfter(3_600_000)
    await set('A', 'C')
    await runAllSteps()
    expect(await subjects()).toEqual(['A', 'B', 'C'])
    expect((await read()).map(({ id, position }) => [id, position])).toEqual([
      [ids.A, 1],
      [ids.C, 2],
    ])
  })

  it('does not send replacements to people who got the original step', async () => {
    const { set } = await makeRunning('A', 'B')
    await set('X', 'Y', 'B')
    await runAllSteps()
    expect(await subjects()).toEqual(['A', 'B'])
  })

  it('keeps the IDs of all steps by position when no ID is given', async () => {
    const { owner, campaignId, ids, read } = await makeRunning('A', 'B')
    await owner.call('setCampaignSteps', { campaignId, steps: [named('A2'), named('B2')] })
    expect((await read()).map(({ id }) => id)).toEqual([ids.A, ids.B])
    await runAllSteps()
    expect(await subjects()).toEqual(['A', 'B2'])
  })

  it('does not change completed prospects', async () => {
    const { set, prospects } = await makeRunning('A')
    await set('A', 'B')
    await runAllSteps()
    expect(await subjects()).toEqual(['A'])
    expect(await prospects()).toMatchObject([{ status: 'completed', step: 1 }])
  })

  it('moves due times earlier or later when delays change', async () => {
    app.setNow('2026-11-23T09:00:00.000Z')
    const { owner, campaignId, prospects } = await makeRunning('A', 'B')
    const wait = (amount: number) =>
      owner.call('setCampaignSteps', {
        campaignId,
        steps: [named('A'), { ...named('B'), delay: { amount, unit: 'days' } }],
      })
    await wait(5)
    expect(await prospects()).toMatchObject([{ nextStepAt: '2026-11-28T09:00:00.000Z' }])
    await worker.workAfter(DAY_MS)
    await wait(1)
    await worker.work()
    expect(await subjects()).toEqual(['A', 'B'])
  })

  it('moves the due time of a prospect that another transaction has locked', async () => {
    app.setNow('2026-11-23T09:00:00.000Z')
    const { owner, campaignId, prospects } = await makeRunning('A', 'B')
    const [prospect] = await prospects()
    let editing: Promise<unknown> | undefined
    await app.owner.begin(async tx => {
      await tx`select from prospects where id = ${prospect!.id} for share`
      const steps = [named('A'), { ...named('B'), delay: { amount: 5, unit: 'days' as const } }]
      editing = owner.call('setCampaignSteps', { campaignId, steps })
      await expect.poll(() => isWaitingForLock(app)).toBe(true)
    })
    await editing
    expect(await prospects()).toMatchObject([{ nextStepAt: '2026-11-28T09:00:00.000Z' }])
  })

  it('replaces a queued email of a removed step with an email of the step in its place', async () => {
    const { owner, campaignId, ids, set, messages } = await makeRunning('A', 'B')
    server.script = step => (step === 'RCPT' ? '451 4.3.0 later' : undefined)
    await worker.workAfter(3_600_000)
    server.script = () => undefined
    expect((await messages()).map(({ subject, deliveryStatus }) => [subject, deliveryStatus])).toContainEqual(
      ['B', 'queued'],
    )
    await set('A', 'Y')
    await worker.work()
    expect(await subjects()).toEqual(['A', 'Y'])
    const { steps } = await owner.call('getCampaign', { campaignId })
    expect(steps.map(({ id }) => id)).not.toContain(ids.B)
  })

  it('is applied completely when two edits run at once', async () => {
    const { owner, campaignId, read } = await makeRunning('A', 'B', 'C')
    const lists = ['x', 'y'].map(mark => ['1', '2', '3', '4'].map(n => named(mark + n)))
    for (let round = 0; round < 5; round++) {
      await Promise.all(lists.map(steps => owner.call('setCampaignSteps', { campaignId, steps })))
      const subjects = (await read()).map(({ variants }) => variants[0]!.subject)
      expect(lists.map(steps => steps.map(({ subject }) => subject))).toContainEqual(subjects)
    }
  })
})

it('a prospect paused while a step is in transit continues with the next step', async () => {
  const campaign = await makeMailCampaign(app, [server], 1, [
    { subject: 'A', body: 'A' },
    { delay: { amount: 1, unit: 'hours' }, body: 'B' },
    { delay: { amount: 1, unit: 'hours' }, body: 'C' },
  ])
  const { owner } = campaign
  await worker.work()
  const prospectId = (await campaign.prospects())[0]!.id
  server.script = step => (step === 'RCPT' ? '451 4.3.0 later' : undefined)
  await worker.workAfter(3_600_000)
  server.script = () => undefined
  await owner.call('pauseProspect', { prospectId })
  expect((await owner.call('resumeProspect', { prospectId })).status).toBe('active')
  for (let n = 0; n < 4; n++) await worker.workAfter(3_600_000)
  const mails = (await readMails(server)).filter(({ to }) => campaign.emails.includes(to))
  expect(mails.map(({ mail }) => mail.text?.trim()[0])).toEqual(['A', 'B', 'C'])
  expect(await campaign.prospects()).toMatchObject([{ status: 'completed', step: 3 }])
})
