import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Caller, makeCaller, openTestApp, type TestApp } from '../../../../test/support/app.ts'
import { openWorker, type Worker } from '../../../../test/support/mail/mail-campaign.ts'

let app: TestApp
let worker: Worker
beforeAll(async () => {
  app = await openTestApp()
  app.setNow('2026-11-23T09:00:00.000Z')
  worker = openWorker(app)
})
afterAll(async () => {
  await worker[Symbol.asyncDispose]()
  await app[Symbol.asyncDispose]()
})

const body = 'Hi {{ firstName | default: "there" }}{% if city %} in {{ city }}{% endif %}'
const steps = [
  { subject: 'Hello', body },
  { subject: 'For {{ company }}', body: '{Now|Then}, {{ title }}' },
]

/** Makes a draft with these steps and a prospect per row. */
async function makeDraft(rows: string[], draftSteps: { subject: string; body: string }[] = steps) {
  const owner = await makeCaller(app)
  await owner.call('updateAccount', { postalAddress: '12 St James Square', optOutLine: 'Reply stop.' })
  const { id: repId } = await owner.call('createRep', { name: 'Ada' })
  await owner.call('createMailbox', { repId, kind: 'sandbox', email: `ada@${repId}.example` })
  const { id: campaignId } = await owner.call('createCampaign', {
    name: 'Spring',
    repIds: [repId],
    steps: draftSteps,
  })
  const csv = ['Email,Company,Title', ...rows].join('\n')
  await owner.call('importProspects', { campaignId, csv })
  const prospects = async () => {
    const { data } = await owner.call('listProspects', { campaignId, limit: 100 })
    const persons = (await owner.call('listPersons', { limit: 100 })).data
    const getEmail = ({ personId }: { personId: string }) => persons.find(({ id }) => id === personId)!.email!
    return data.sort((a, b) => getEmail(a).localeCompare(getEmail(b)))
  }
  return { owner, repId, campaignId, prospects }
}

const getStatuses = async ({
  prospects,
}: {
  prospects: Awaited<ReturnType<typeof makeDraft>>['prospects']
}) => (await prospects()).map(({ status, statusReason }) => [status, statusReason])
const getMailedAddresses = async (owner: Caller, campaignId: string) =>
  (await owner.call('listEmailMessages', { campaignId, limit: 100 })).data.map(
    ({ recipients }) => recipients.to[0]!.email,
  )

const ann = 'ann@one.example,One,Head'
const ben = 'ben@two.example,,'
const cid = 'cid@three.example,Three,'

describe('a launch', () => {
  it('happens only if it contacts the expected number of prospects', async () => {
    const { owner, campaignId } = await makeDraft([ann, ben, cid])
    await expect(owner.call('launchCampaign', { campaignId, expectedRecipients: 3 })).rejects.toMatchObject({
      code: 'Conflict',
      message: expect.stringContaining('would contact 1 instead of 3 prospects'),
    })
    expect((await owner.call('getCampaign', { campaignId })).status).toBe('draft')
    const launched = await owner.call('launchCampaign', { campaignId, expectedRecipients: 1 })
    expect(launched).toMatchObject({ status: 'active', recipients: 1, firstSendAt: expect.any(String) })
  })

  it('reports prospects with missing variables and sends only to the others', async () => {
    const draft = await makeDraft([ann, ben, cid])
    const { owner, campaignId } = draft
    const { status, incomplete } = await owner.call('launchCampaign', { campaignId })
    expect(status).toBe('active')
    const prospects = await draft.prospects()
    const findIndex = (id: string) => prospects.findIndex(prospect => prospect.id === id)
    expect(incomplete!.total).toBe(2)
    const reported = incomplete!.prospects.map(({ prospectId, variables }) => [
      findIndex(prospectId),
      ...variables,
    ])
    expect(reported.sort()).toEqual([
      [1, 'company', 'title'],
      [2, 'title'],
    ])
    expect(await getStatuses(draft)).toEqual([
      ['pending', undefined],
      ['failed', 'missing_variable: company, title'],
      ['failed', 'missing_variable: title'],
    ])
    await worker.work()
    expect(await getMailedAddresses(owner, campaignId)).toEqual(['ann@one.example'])
  })

  it('contacts the prospects that the forecast of the draft counted', async () => {
    const { owner, campaignId } = await makeDraft([ann, ben, cid, 'dan@four.example,Four,Head'])
    await owner.call('addProspectsToCampaign', {
      campaignId,
      data: [{ firstName: 'Eve', lastName: 'Doe', company: 'Five', jobTitle: 'Head' }],
    })
    await owner.call('addOptOuts', { identifiers: [{ identifier: 'dan@four.example' }] })
    const { launch } = await owner.call('forecastCampaign', { campaignId })
    expect(launch).toEqual({
      recipients: 2,
      errors: [],
      warnings: [expect.objectContaining({ path: 'PUBLIC_URL' })],
      incomplete: {
        total: 2,
        prospects: expect.arrayContaining([
          expect.objectContaining({ name: 'ben@two.example', variables: ['company', 'title'] }),
          expect.objectContaining({ name: 'cid@three.example', variables: ['title'] }),
        ]),
      },
      withoutEmail: 1,
      leftOut: [{ status: 'paused', reason: 'do_not_contact', count: 1 }],
      domainWarnings: [],
    })
    const launched = await owner.call('launchCampaign', { campaignId, expectedRecipients: 2 })
    expect(launched.incomplete!.total).toBe(2)
    expect((await owner.call('forecastCampaign', { campaignId })).launch).toBeUndefined()
  })

  it('is rejected while a real mailbox would send an opt-out link that recipients cannot open', async () => {
    const { owner, repId, campaignId } = await makeDraft([ann])
    const launchVia = async (host: string) => {
      const smtp = { host, port: 587, tls: 'starttls' as const }
      await owner.call('createMailbox', {
        repId,
        kind: 'smtp',
        email: `ada@${host.replaceAll('.', '-')}.example`,
        smtp,
      })
      await app.owner`update mailboxes set status = 'active' where account_id = ${owner.accountId}`
      const { launch } = await owner.call('forecastCampaign', { campaignId })
      const launched = await owner.call('launchCampaign', { campaignId }).catch((error: unknown) => error)
      return { launch, launched }
    }
    const error = { path: 'PUBLIC_URL', message: expect.stringContaining('http://localhost') }
    const rejected = await launchVia('smtp.acme.com')
    expect(rejected.launch).toMatchObject({ errors: [error], warnings: [] })
    expect(rejected.launched).toMatchObject({ code: 'Conflict', details: [error] })
    await app.owner`delete from mailboxes where account_id = ${owner.accountId} and smtp_host = 'smtp.acme.com'`
    const local = await launchVia('127.0.0.1')
    expect(local.launch).toMatchObject({ errors: [], warnings: [error] })
    expect(local.launched).toMatchObject({ status: 'active', warnings: [error] })
  })

  it('reports nothing if fallbacks and conditions cover the missing values', async () => {
    const { owner, campaignId } = await makeDraft(
      [ben, cid],
      [
        {
          subject: 'For {{ company | default: "you" }}',
          body: `${body}{{ title | default: "!" }}`,
        },
      ],
    )
    expect((await owner.call('launchCampaign', { campaignId })).incomplete).toBeUndefined()
  })

  it('is rejected if no prospect has all values, and the draft stays unchanged', async () => {
    const draft = await makeDraft([ben, cid])
    const { owner, campaignId } = draft
    const [first] = await draft.prospects()
    await expect(owner.call('launchCampaign', { campaignId })).rejects.toMatchObject({
      code: 'Conflict',
      message: expect.stringContaining('none of its 2 prospects'),
      details: expect.arrayContaining([{ path: `prospects.${first!.id}`, message: 'has no company, title' }]),
    })
    expect((await owner.call('getCampaign', { campaignId })).status).toBe('draft')
    expect(await getStatuses(draft)).toEqual([
      ['pending', undefined],
      ['pending', undefined],
    ])
  })

  it('counts all incomplete prospects and lists the first hundred', async () => {
    const rows = Array.from(
      { length: 1_100 },
      (_, n) => `person${n}@many${n}.example,${n % 2 ? 'One' : ''},Head`,
    )
    const { owner, campaignId } = await makeDraft(rows)
    const { incomplete } = await owner.call('launchCampaign', { campaignId })
    expect(incomplete!.total).toBe(550)
    expect(incomplete!.prospects).toHaveLength(100)
  })
})

describe('a prospect with a missing value', () => {
  it('joins the campaign once the person has the value, and the campaign stays active until then', async () => {
    const draft = await makeDraft([ann, cid], [{ subject: 'Hi', body: '{{ title }}' }])
    const { owner, campaignId } = draft
    await owner.call('launchCampaign', { campaignId })
    const [, missing] = await draft.prospects()
    await owner.call('updatePerson', { personId: missing!.personId, city: 'London' })
    await worker.work()
    expect(await getStatuses(draft)).toMatchObject([
      ['active', undefined],
      ['failed', 'missing_variable: title'],
    ])
    await owner.call('updatePerson', { personId: missing!.personId, title: 'Chief' })
    expect((await getStatuses(draft))[1]).toEqual(['pending', undefined])
    await worker.work()
    expect((await getMailedAddresses(owner, campaignId)).sort()).toEqual([
      'ann@one.example',
      'cid@three.example',
    ])
  })

  it('joins the campaign once an import adds the value or the steps no longer use it', async () => {
    const draft = await makeDraft([ann, ben, cid])
    const { owner, campaignId } = draft
    await owner.call('launchCampaign', { campaignId })
    const csv = 'Email,Company,Title\ncid@three.example,Three,Chief\n'
    await owner.call('importProspects', { campaignId, csv })
    await worker.work()
    expect((await getMailedAddresses(owner, campaignId)).sort()).toEqual([
      'ann@one.example',
      'cid@three.example',
    ])
    await owner.call('setCampaignSteps', { campaignId, steps: [steps[0]!] })
    await worker.work()
    expect((await getMailedAddresses(owner, campaignId)).sort()).toEqual([
      ...['ann@one.example', 'ben@two.example', 'cid@three.example'],
    ])
  })

  it('fails when it is added to an active campaign, so that it does not receive half of the sequence', async () => {
    const draft = await makeDraft([ann])
    const { owner, campaignId, repId } = draft
    await owner.call('launchCampaign', { campaignId })
    await owner.call('addProspectsToCampaign', { campaignId, data: [{ email: 'ben@two.example' }] })
    await worker.work()
    expect(await getStatuses(draft)).toMatchObject([
      ['active', undefined],
      ['failed', 'missing_variable: company, title'],
    ])
    expect(await getMailedAddresses(owner, campaignId)).toEqual(['ann@one.example'])
    await owner.call('setCampaignSteps', {
      campaignId,
      steps: [steps[0]!, { subject: 'Bye', body: '{{ signature }}' }],
    })
    await worker.work()
    expect((await getStatuses(draft))[1]).toEqual(['failed', 'missing_variable: signature'])
    await owner.call('updateRep', { repId, signature: 'Ada' })
    await worker.work()
    expect((await getMailedAddresses(owner, campaignId)).sort()).toEqual([
      'ann@one.example',
      'ben@two.example',
    ])
  })

  it('is not left out if the value is set while the prospect is being planned', async () => {
    const draft = await makeDraft([ann], [{ subject: 'Hi', body: '{{ title }}' }])
    const { owner, campaignId } = draft
    await owner.call('launchCampaign', { campaignId })
    const data = Array.from({ length: 12 }, (_, n) => ({ email: `late${n}@three.example` }))
    const added = await owner.call('addProspectsToCampaign', { campaignId, data })
    const changes = added.data.map(
      ({ personId }) =>
        () =>
          owner.call('updatePerson', { personId: personId!, title: 'Chief' }),
    )
    await Promise.all([worker.work(), ...changes.map(change => change())])
    await worker.work()
    expect(await getStatuses(draft)).toEqual(Array(13).fill(['active', undefined]))
  })
})
