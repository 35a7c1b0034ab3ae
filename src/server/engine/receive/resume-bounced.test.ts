import { randomUUIDv7 } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openTestApp, type TestApp } from '../../../../test/support/app.ts'
import { makeBounce, makeReply } from '../../../../test/support/mail/answers.ts'
import {
  openPostOffice,
  type PostOffice,
  type SentCampaign,
} from '../../../../test/support/mail/correspondence.ts'

const DAY_MS = 24 * 3_600_000
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
afterAll(async () => {
  await post[Symbol.asyncDispose]()
  await app[Symbol.asyncDispose]()
})

const getProspect = async (written: SentCampaign) => (await written.prospects())[0]!
const listSent = async (written: SentCampaign) =>
  (await written.sent()).map(({ to, mail }) => [to, mail.text!.split('\n')[0]])

/** Corrects the address and resumes the prospect and the campaign, which has completed with its only prospect. */
async function correctAddress(written: SentCampaign): Promise<string> {
  const { id: prospectId, personId, campaignId } = await getProspect(written)
  const email = `right@${randomUUIDv7().slice(-12)}.example`
  written.emails.push(email)
  await written.owner.call('updatePerson', { personId, email })
  expect(await written.owner.call('resumeProspect', { prospectId })).toMatchObject({ status: 'active' })
  await written.owner.call('resumeCampaign', { campaignId })
  await post.workAfter(1000)
  return email
}

describe('a bounced prospect with a corrected address', () => {
  it('gets the step that bounced at the new address, then the others', async () => {
    const written = await post.write(1, steps)
    const [first] = await written.sent()
    await written.receive(makeBounce(first!))
    expect(await getProspect(written)).toMatchObject({ status: 'bounced', step: 1 })
    const email = await correctAddress(written)
    expect(await listSent(written)).toEqual([
      [first!.to, 'One'],
      [email, 'One'],
    ])
    const [, second] = await written.sent()
    expect(second!.mail.messageId).not.toBe(first!.mail.messageId)
    // A report that arrives late is about the old address only.
    await written.receive(makeBounce(first!, { diagnostic: '550 5.1.1 still unknown' }))
    expect(await getProspect(written)).toMatchObject({ status: 'active', step: 1 })
    await post.workAfter(3 * DAY_MS)
    expect((await listSent(written)).slice(2)).toEqual([[email, 'Two']])
    const { call } = written.owner
    expect((await call('listOptOuts', {})).data).toMatchObject([{ identifier: first!.to, source: 'bounce' }])
    expect(await call('getCampaignStats', { campaignId: written.campaignId })).toMatchObject({
      ...{ sent: 3, bouncedHard: 1, prospects: { completed: 1 } },
    })
  })

  it('does not repeat a step that was already delivered', async () => {
    const written = await post.write(1, steps)
    await post.workAfter(3 * DAY_MS)
    const [first, second] = await written.sent()
    await written.receive(makeBounce(second!))
    const email = await correctAddress(written)
    expect(await listSent(written)).toEqual([
      [first!.to, 'One'],
      [first!.to, 'Two'],
      [email, 'Two'],
    ])
    await post.workAfter(9 * DAY_MS)
    expect(await written.sent()).toHaveLength(3)
    expect(await getProspect(written)).toMatchObject({ status: 'completed', step: 2 })
  })

  it('continues when the server rejected the old address', async () => {
    post.server.script = step => (step === 'RCPT' ? '550 5.1.1 no such user' : undefined)
    const written = await post.write(1, steps)
    post.server.script = () => undefined
    expect(await getProspect(written)).toMatchObject({ status: 'bounced', step: 0 })
    const email = await correctAddress(written)
    expect(await listSent(written)).toEqual([[email, 'One']])
    expect(await getProspect(written)).toMatchObject({ status: 'active', step: 1 })
  })
})

describe('a bounced prospect', () => {
  it('is not resumed until the address is changed to one that may be contacted', async () => {
    const written = await post.write(1, steps)
    const [first] = await written.sent()
    await written.receive(makeBounce(first!))
    const { call } = written.owner
    const { id: prospectId, personId } = await getProspect(written)
    const resume = () => call('resumeProspect', { prospectId })
    await expect(resume()).rejects.toMatchObject({
      code: 'Conflict',
      message: expect.stringContaining(`Emails to ${first!.to} bounced`),
    })
    await call('updatePerson', { personId, email: null, linkedinUrl: 'https://www.linkedin.com/in/ada' })
    await expect(resume()).rejects.toMatchObject({ message: expect.stringContaining('no email address') })
    await call('addOptOuts', { identifiers: [{ identifier: 'blocked.example' }] })
    await call('updatePerson', { personId, email: `${randomUUIDv7()}@blocked.example` })
    await expect(resume()).rejects.toMatchObject({ message: expect.stringContaining('Do Not Contact') })
    expect(await getProspect(written)).toMatchObject({ status: 'bounced', step: 1 })
    await post.workAfter(3 * DAY_MS)
    expect(await written.sent()).toHaveLength(1)
  })

  it('is not resumed while the email that bounced is still being recorded as sent', async () => {
    const written = await post.write(1, steps)
    await written.receive(makeBounce((await written.sent())[0]!))
    const { id: prospectId, personId } = await getProspect(written)
    await written.owner.call('updatePerson', { personId, email: `${randomUUIDv7()}@elsewhere.example` })
    const resume = () => written.owner.call('resumeProspect', { prospectId })
    const setState = (state: string) => app.owner`
      update email_sends set state = ${state}, dot_pending_at = now() where prospect_id = ${prospectId}`
    await setState('dot_pending')
    await expect(resume()).rejects.toMatchObject({
      code: 'Conflict',
      message: expect.stringContaining('being sent'),
    })
    await setState('sent')
    expect(await resume()).toMatchObject({ status: 'active', step: 0 })
  })

  it('is not resumed if its campaign has no further step, although others in the same request are resumed', async () => {
    const written = await post.write(2, steps)
    const { call } = written.owner
    const { campaignId } = written
    const [first] = await written.sent()
    await written.receive(makeBounce(first!))
    await post.workAfter(3 * DAY_MS)
    const [, , second] = await written.sent()
    await written.receive(makeBounce(second!))
    const findProspect = async (email: string) => (await call('listProspects', { email })).data[0]!
    const [one, two] = [await findProspect(first!.to), await findProspect(second!.to)]
    for (const { personId } of [one, two])
      await call('updatePerson', { personId, email: `${randomUUIDv7()}@elsewhere.example` })
    const { steps: stored } = await call('getCampaign', { campaignId })
    const setSteps = (added: { body: string }[]) =>
      call('setCampaignSteps', { campaignId, steps: [{ id: stored[0]!.id, ...steps[0] }, ...added] })
    await setSteps([])
    const reason = 'The campaign has no further step for this prospect.'
    expect(await call('resumeProspects', { prospectIds: [two.id, one.id] })).toMatchObject({
      ...{ resumed: 1, skipped: 1 },
      data: [
        { prospectId: two.id, outcome: 'not_resumable', reason },
        { prospectId: one.id, outcome: 'resumed' },
      ],
    })
    const resume = () => call('resumeProspect', { prospectId: two.id })
    await expect(resume()).rejects.toMatchObject({ code: 'Conflict', message: reason })
    expect(await call('getProspect', { prospectId: two.id })).toMatchObject({ status: 'bounced', step: 2 })
    await setSteps([{ ...steps[1]!, body: 'Another two' }])
    expect(await resume()).toMatchObject({ status: 'active', step: 1 })
  })

  it('is not resumed after the person has asked to opt out, even with another address', async () => {
    const written = await post.write(1, steps)
    await post.workAfter(3 * DAY_MS)
    const [first, second] = await written.sent()
    const { call } = written.owner
    await call('updateAccount', { unsubscribeWords: 'opt_out' })
    await written.receive(makeBounce(second!))
    await written.receive(makeReply(first!, 'Please remove me from your list.'))
    const { id: prospectId, personId, status } = await getProspect(written)
    expect(status).toBe('opted_out')
    await call('updatePerson', { personId, email: `${randomUUIDv7()}@elsewhere.example` })
    await expect(call('resumeProspect', { prospectId })).rejects.toMatchObject({ code: 'Conflict' })
  })
})
