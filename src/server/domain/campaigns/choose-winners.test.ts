import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openTestApp, type TestApp } from '../../../../test/support/app.ts'
import { makeReply } from '../../../../test/support/mail/answers.ts'
import { openPostOffice, type PostOffice } from '../../../../test/support/mail/correspondence.ts'
import { chooseWinners } from './choose-winners.ts'

const DAY_MS = 86_400_000
const subjects = ['A', 'B']
const variants = subjects.map(subject => ({ subject, body: 'Hi' }))

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

/** Makes a campaign with two variants and sends it to 300 people. */
async function makeContest() {
  const written = await post.write(300, [{ variants }])
  const { owner, campaignId } = written
  await owner.call('updateCampaign', { campaignId, settings: { isEvergreen: true, autoWinner: 'positive' } })
  await owner.call('resumeCampaign', { campaignId }).catch(() => undefined)
  const sent = await written.sent()
  const findSent = (subject: string) => sent.filter(({ mail }) => mail.subject === subject)
  const reply = async (subject: string, from: number, to: number, text: string) => {
    for (const mail of findSent(subject).slice(from, to)) await written.receive(makeReply(mail, text))
  }
  const add = async (name: string) => {
    const emails = Array.from({ length: 20 }, (_, n) => `${name}-${n}@${campaignId}.example`)
    await owner.call('addProspectsToCampaign', { campaignId, data: emails.map(email => ({ email })) })
    return emails
  }
  return {
    ...{ owner, campaignId, findSent, reply, add },
    /** Returns the subjects of the emails to these people. */
    subjectsTo: async (emails: string[]) =>
      (await post.mails()).filter(({ to }) => emails.includes(to)).map(({ mail }) => mail.subject),
    choose: async () => {
      app.setNow(new Date(app.now().getTime() + 2 * 3_600_000))
      await chooseWinners(app, owner.accountId)
      return owner.call('getCampaign', { campaignId })
    },
  }
}
const getWeights = ({ steps }: { steps: { variants: { weight: number }[] }[] }) =>
  steps[0]!.variants.map(({ weight }) => weight)

describe('a campaign that chooses the winner', () => {
  it('turns the other variants off once one is proven best, for prospects who have no email yet', async () => {
    const { owner, campaignId, findSent, reply, add, subjectsTo, choose } = await makeContest()
    const [a, b] = [findSent('A').length, findSent('B').length]
    await reply('A', 0, 25, 'No thanks, we are not interested.')
    await reply('B', 0, 25, 'Yes, I am interested. Please send me more information.')
    // Nobody has had three days to reply.
    expect((await choose()).winners).toBeUndefined()
    app.setNow(new Date(app.now().getTime() + 3 * DAY_MS))
    // These replies are too late to be counted.
    await reply('A', 25, 60, 'Yes, I am interested. Please send me more information.')
    post.server.script = step => (step === 'RCPT' ? '451 4.3.0 later' : undefined)
    const queued = await add('queued')
    await post.workAfter(60_000)
    const campaign = await choose()
    expect(getWeights(campaign)).toEqual([0, 1])
    const [stepA, stepB] = campaign.steps[0]!.variants.map(({ id }) => id)
    const winner = {
      ...{ variantId: stepB, metric: 'positive', pValue: expect.closeTo(0, 3) },
      decidedAt: app.now().toISOString(),
      variants: expect.arrayContaining([
        { variantId: stepA, contacted: a, successes: 0 },
        { variantId: stepB, contacted: b, successes: 25 },
      ]),
    }
    expect(campaign.winners).toEqual([{ stepId: campaign.steps[0]!.id, ...winner }])
    const stats = await owner.call('getCampaignStats', { campaignId })
    expect(stats.steps[0]!.winner).toEqual(winner)
    // The report also counts the late replies, which make the first variant the better one.
    const report = await owner.call('getReport', { campaignId, from: '2026-11-20', groupBy: 'variant' })
    const { comparison, variants: tested } = stats.steps[0]!
    expect(comparison).toMatchObject({ bestVariantId: stepA, result: 'different' })
    expect([{ stepId: campaign.steps[0]!.id, ...comparison }]).toEqual(report.comparisons)
    for (const { key, replyInterval } of report.data)
      expect(tested.find(({ variantId }) => variantId === key)?.replyInterval).toEqual(replyInterval)
    // Events are listed once every earlier transaction on the server has ended.
    const listEvents = async () => (await owner.call('listEvents', { types: ['campaign.variant_won'] })).data
    await expect.poll(listEvents).toMatchObject([{ data: { id: campaignId, objectType: 'campaign' } }])
    const { data: audit } = await owner.call('listAuditLog', {})
    expect(audit.filter(({ action }) => action === 'choose_variant')).toMatchObject([
      { actor: 'engine', auditedType: 'campaign', auditedId: campaignId },
    ])
    post.server.script = () => undefined
    await post.workAfter(2 * 3_600_000)
    const late = await add('late')
    await post.workAfter(60_000)
    expect(new Set(await subjectsTo(queued))).toEqual(new Set(subjects))
    expect(await subjectsTo(late)).toEqual(late.map(() => 'B'))
  })

  it('keeps weights that a user changed, until a variant is added', async () => {
    const { owner, campaignId, reply, choose } = await makeContest()
    await reply('A', 0, 25, 'Yes, I am interested. Please send me more information.')
    app.setNow(new Date(app.now().getTime() + 3 * DAY_MS))
    const { steps } = await choose()
    const set = (weights: number[], more: { subject: string; body: string }[] = []) =>
      owner.call('setCampaignSteps', {
        campaignId,
        steps: [
          {
            id: steps[0]!.id,
            variants: [...steps[0]!.variants.map((each, n) => ({ ...each, weight: weights[n] })), ...more],
          },
        ],
      })
    // Setting the same weights again changes nothing.
    expect((await set([1, 0])).winners).toEqual([
      expect.not.objectContaining({ overriddenAt: expect.anything() }),
    ])
    const overridden = await set([1, 1])
    expect(overridden.winners).toMatchObject([
      { variantId: steps[0]!.variants[0]!.id, overriddenAt: expect.any(String) },
    ])
    const later = await choose()
    expect(getWeights(later)).toEqual([1, 1])
    expect(later.winners).toEqual(overridden.winners)
    expect((await set([1, 0], [{ subject: 'C', body: 'Hi' }])).winners).toBeUndefined()
  })
})
