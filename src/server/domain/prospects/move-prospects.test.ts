import { randomUUIDv7 } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { makeCaller, openTestApp, type TestApp } from '../../../../test/support/app.ts'
import { type DueCampaign, makeDueCampaign } from '../../../../test/support/campaigns/due-campaign.ts'
import { makeMailCampaign, openWorker } from '../../../../test/support/mail/mail-campaign.ts'
import { ScriptedSmtp } from '../../../../test/support/mail/scripted-smtp.ts'
import type { RawInput } from '../../../contract/index.ts'

const start = new Date('2026-11-23T12:00:00.000Z')
const DAY_MS = 24 * 3_600_000

let app: TestApp
let server: ScriptedSmtp
beforeAll(async () => {
  app = await openTestApp({ ALLOW_PRIVATE_HOSTS: '127.0.0.1' })
  server = await ScriptedSmtp.open()
})
afterAll(async () => {
  await server[Symbol.asyncDispose]()
  await app[Symbol.asyncDispose]()
})

const makeCampaign = async (
  { owner, repId }: Pick<DueCampaign, 'owner' | 'repId'>,
  more: Partial<RawInput<'createCampaign'>> = {},
) =>
  (
    await owner.call('createCampaign', {
      name: 'Autumn',
      repIds: [repId],
      steps: [{ subject: 'Welcome', body: 'Hello' }],
      ...more,
    })
  ).id

describe('moving prospects', () => {
  it('stops prospects in their campaign and starts the sequence of the target campaign', async () => {
    app.setNow(start)
    const source = await makeMailCampaign(app, [server], 2, [
      { subject: 'Hello', body: 'Hi' },
      { delay: { amount: 2, unit: 'days' }, body: 'Still there?' },
    ])
    const { owner } = source
    const ids = (await source.prospects()).map(({ id }) => id)
    const { repIds } = await owner.call('getCampaign', { campaignId: source.campaignId })
    const campaignId = await makeCampaign({ owner, repId: repIds[0]! })
    await using worker = openWorker(app)
    await worker.work()
    const response = await owner.call('moveProspects', { prospectIds: ids, campaignId, expectedPeople: 2 })
    expect(response).toMatchObject({ total: 2, moved: 2, skipped: 0, inFlight: 0 })
    expect((await owner.call('getCampaign', { campaignId: source.campaignId })).status).toBe('completed')
    const [oldId, newId] = [ids[0]!, response.data[0]!.newProspectId!]
    expect(await owner.call('getProspect', { prospectId: oldId })).toMatchObject({
      status: 'stopped',
      statusReason: 'moved',
      step: 1,
    })
    expect(await owner.call('getProspect', { prospectId: newId })).toMatchObject({
      status: 'pending',
      campaignId,
      personId: response.data[0]!.personId,
      next: { step: 1, heldBy: 'campaign_draft' },
    })
    await owner.call('launchCampaign', { campaignId, expectedRecipients: 2 })
    await worker.workAfter(5 * DAY_MS)
    const { data: emails } = await owner.call('listEmailMessages', { limit: 100 })
    expect(emails.map(({ subject }) => subject).sort()).toEqual(['Hello', 'Hello', 'Welcome', 'Welcome'])
  })

  it('does not change prospects that the target campaign does not accept', async () => {
    const source = await makeDueCampaign(app, 3)
    const { owner, ids } = source
    const campaignId = await makeCampaign(source)
    const [optedOut, enrolled] = await Promise.all(
      ids.slice(0, 2).map(prospectId => owner.call('getProspect', { prospectId })),
    )
    await owner.call('addProspectsToCampaign', { campaignId, data: [{ email: enrolled!.person!.email! }] })
    await owner.call('addOptOuts', {
      identifiers: [{ identifier: optedOut!.person!.email! }],
      pauseActiveProspects: false,
    })
    const response = await owner.call('moveProspects', { prospectIds: ids, campaignId, expectedPeople: 1 })
    expect(response).toMatchObject({ moved: 1, skipped: 2 })
    expect(response.data).toEqual([
      expect.objectContaining({
        outcome: 'do_not_contact',
        reason: expect.stringContaining('Do Not Contact'),
      }),
      expect.objectContaining({ outcome: 'already_in_campaign' }),
      expect.objectContaining({ outcome: 'moved', newProspectId: expect.any(String) }),
    ])
    const statuses = await Promise.all(
      ids.map(async prospectId => (await owner.call('getProspect', { prospectId })).status),
    )
    expect(statuses).toEqual(['pending', 'pending', 'stopped'])
  })

  it('does not enroll an erased person again', async () => {
    const source = await makeDueCampaign(app, 2)
    const { owner, ids } = source
    const campaignId = await makeCampaign(source)
    const { personId, person } = await owner.call('getProspect', { prospectId: ids[0]! })
    const admin = await makeCaller(app, 'admin', owner.accountId)
    await admin.call('erasePerson', { personId, expectedPerson: person!.email! })
    const response = await owner.call('moveProspects', { prospectIds: ids, campaignId, expectedPeople: 1 })
    expect(response.data).toMatchObject([
      { outcome: 'do_not_contact', reason: 'the person was erased' },
      { outcome: 'moved' },
    ])
    expect((await owner.call('listProspects', { campaignId })).data).toMatchObject([
      { personId: response.data[1]!.personId },
    ])
  })

  it('skips people who are active in a third campaign if the target campaign has `skipActiveElsewhere`', async () => {
    const source = await makeDueCampaign(app, 2)
    const { owner, ids } = source
    const { person } = await owner.call('getProspect', { prospectId: ids[0]! })
    const other = await makeDueCampaign(app, 1, source)
    await owner.call('addProspectsToCampaign', {
      campaignId: other.campaignId,
      data: [{ email: person!.email! }],
    })
    const campaignId = await makeCampaign(source, { settings: { skipActiveElsewhere: true } })
    const response = await owner.call('moveProspects', { prospectIds: ids, campaignId })
    expect(response.data.map(({ outcome }) => outcome)).toEqual(['in_other_active_campaign', 'moved'])
  })

  it('adds a person only once when their prospects in two campaigns are moved', async () => {
    const source = await makeDueCampaign(app, 1)
    const { owner, ids } = source
    const { person } = await owner.call('getProspect', { prospectId: ids[0]! })
    const second = await makeCampaign(source)
    const { data } = await owner.call('addProspectsToCampaign', {
      campaignId: second,
      data: [{ email: person!.email! }],
    })
    const campaignId = await makeCampaign(source)
    const response = await owner.call('moveProspects', {
      prospectIds: [ids[0]!, data[0]!.prospectId!],
      campaignId,
      expectedPeople: 1,
    })
    expect(response.moved).toBe(2)
    expect(response.data[0]!.newProspectId).toBe(response.data[1]!.newProspectId)
    expect((await owner.call('listProspects', { campaignId })).data).toHaveLength(1)
  })

  it('warns about missing values that the steps of the target campaign need', async () => {
    const source = await makeDueCampaign(app, 1)
    const campaignId = await makeCampaign(source, { steps: [{ subject: 'Hello', body: '{{ jobTitle }}?' }] })
    const response = await source.owner.call('moveProspects', { prospectIds: source.ids, campaignId })
    expect(response.warnings).toEqual([expect.stringMatching(/^prospectIds\.0 has no value for jobTitle/)])
  })

  it('changes nothing if an ID is unknown, the target campaign is archived, or `expectedPeople` differs', async () => {
    const source = await makeDueCampaign(app, 1)
    const { owner, ids } = source
    const campaignId = await makeCampaign(source)
    const move = (more: object) =>
      owner.call('moveProspects', { prospectIds: ids, campaignId, ...more } as RawInput<'moveProspects'>)
    await expect(move({ prospectIds: [ids[0]!, randomUUIDv7()] })).rejects.toMatchObject({
      details: [{ path: 'prospectIds.1' }],
    })
    await expect(move({ campaignId: randomUUIDv7() })).rejects.toMatchObject({
      code: 'ValidationError',
      details: [{ path: 'campaignId' }],
    })
    await expect(move({ expectedPeople: 2 })).rejects.toMatchObject({
      code: 'Conflict',
      message: expect.stringContaining('1 instead of 2 people'),
    })
    await owner.call('archiveCampaign', { campaignId })
    await expect(move({})).rejects.toMatchObject({ details: [{ path: 'campaignId' }] })
    expect((await owner.call('getProspect', { prospectId: ids[0]! })).status).toBe('pending')
  })
})
