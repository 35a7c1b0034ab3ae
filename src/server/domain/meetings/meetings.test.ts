import { randomUUIDv7 } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Caller, makeCaller, openTestApp, type TestApp } from '../../../../test/support/app.ts'

const startsAt = '2026-12-01T09:00:00.000Z'

let app: TestApp
let owner: Caller
beforeAll(async () => {
  app = await openTestApp()
  owner = await makeCaller(app)
  await owner.call('updateAccount', { postalAddress: '12 Row', optOutLine: 'Reply stop.' })
})
afterAll(() => app[Symbol.asyncDispose]())

/** Enrolls a person in active campaigns with these names. */
async function makeProspect(...names: string[]) {
  const { call } = owner
  const rep = await call('createRep', { name: 'Ada Byron' })
  await call('createMailbox', { repId: rep.id, kind: 'sandbox', email: `ada-${randomUUIDv7()}@acme.example` })
  const email = `grace-${randomUUIDv7()}@navy.example`
  const found: { campaignId: string; prospectId: string; personId: string }[] = []
  for (const name of names) {
    const { id: campaignId } = await call('createCampaign', {
      ...{ name, repIds: [rep.id], steps: [{ subject: 'Hello', body: 'Hi' }] },
    })
    const { data } = await call('addProspectsToCampaign', { campaignId, data: [{ email }] })
    await call('launchCampaign', { campaignId })
    found.push({ campaignId, prospectId: data[0]!.prospectId!, personId: data[0]!.personId! })
  }
  return found as [(typeof found)[0], ...typeof found]
}

const readProspect = async (prospectId: string) => {
  const { status, statusReason } = await owner.call('getProspect', { prospectId })
  return [status, statusReason]
}

describe('a meeting', () => {
  it("ends the prospect's sequence and pauses the person's other sequences, like a reply", async () => {
    const [first, second] = await makeProspect('Spring', 'Autumn')
    const meeting = await owner.call('recordMeeting', {
      prospectId: first.prospectId,
      startsAt,
      notes: 'A demo',
    })
    expect(meeting).toMatchObject({ ...first, source: 'manual', status: 'booked', startsAt, notes: 'A demo' })
    expect(await readProspect(first.prospectId)).toEqual(['replied', 'meeting_booked'])
    expect(await readProspect(second!.prospectId)).toEqual(['paused', 'replied_elsewhere'])
    expect((await owner.call('listMeetings', { personId: first.personId })).data).toEqual([meeting])
    const { data: timeline } = await owner.call('getPersonTimeline', { personId: first.personId })
    expect(timeline.find(({ type }) => type === 'meeting')).toMatchObject({
      ...{ id: meeting.id, status: 'booked', title: startsAt, text: 'A demo' },
    })
  })

  it('counts in the statistics of its campaign and in reports until it is cancelled', async () => {
    const [{ campaignId, prospectId }] = await makeProspect('Spring')
    const { id: meetingId } = await owner.call('recordMeeting', { prospectId, startsAt })
    const count = async () => [
      (await owner.call('getCampaignStats', { campaignId })).meetings,
      (await owner.call('getReport', { campaignId, groupBy: 'campaign' })).data[0]?.meetings ?? 0,
    ]
    expect(await count()).toEqual([1, 1])
    expect(await owner.call('cancelMeeting', { meetingId })).toMatchObject({ status: 'cancelled' })
    expect(await owner.call('cancelMeeting', { meetingId })).toMatchObject({ status: 'cancelled' })
    expect(await count()).toEqual([0, 0])
    expect((await owner.call('listMeetings', { campaignId, status: 'booked' })).data).toEqual([])
  })

  it('is listed by its start time when a period is given, earliest first', async () => {
    const [{ personId, prospectId }] = await makeProspect('Spring')
    const record = async (time: string) =>
      (await owner.call('recordMeeting', { prospectId, startsAt: time })).id
    const later = await record('2026-12-03T09:00:00Z')
    const first = await record('2026-12-01T09:00:00Z')
    const last = await record('2026-12-08T09:00:00Z')
    const list = async (filters: { startsAfter?: string; startsBefore?: string }) => {
      const ids: string[] = []
      let cursor: string | undefined
      do {
        const page = await owner.call('listMeetings', { personId, ...filters, limit: 1, cursor })
        ids.push(...page.data.map(({ id }) => id))
        cursor = page.next
      } while (cursor)
      return ids
    }
    expect(await list({ startsAfter: '2026-12-01T09:00:00Z' })).toEqual([first, later, last])
    expect(await list({ startsBefore: '2026-12-03T09:00:00Z' })).toEqual([first])
    expect(await list({ startsAfter: '2026-12-03T09:00:01Z', startsBefore: '2026-12-09T00:00:00Z' })).toEqual(
      [last],
    )
  })

  it('is recorded once, even by concurrent requests', async () => {
    const [{ prospectId }] = await makeProspect('Spring')
    const record = () => owner.call('recordMeeting', { prospectId, startsAt })
    const ids = (await Promise.all([record(), record(), record()])).map(({ id }) => id)
    expect(new Set(ids).size).toBe(1)
    await owner.call('cancelMeeting', { meetingId: ids[0]! })
    expect((await record()).id).not.toBe(ids[0])
  })

  it('can be moved, but not to the time of another meeting', async () => {
    const [{ prospectId }] = await makeProspect('Spring')
    const { id: meetingId } = await owner.call('recordMeeting', { prospectId, startsAt, notes: 'A demo' })
    const later = '2026-12-02T09:00:00.000Z'
    expect(await owner.call('updateMeeting', { meetingId, startsAt: later })).toMatchObject({
      ...{ startsAt: later, notes: 'A demo' },
    })
    await owner.call('recordMeeting', { prospectId, startsAt })
    await expect(owner.call('updateMeeting', { meetingId, startsAt })).rejects.toMatchObject({
      code: 'Conflict',
    })
    expect(await owner.call('updateMeeting', { meetingId, notes: null })).not.toHaveProperty('notes')
  })

  it('announces that the prospect replied and that the person’s other prospects are paused, once each', async () => {
    const [first, second] = await makeProspect('Replied', 'Paused')
    await owner.call('recordMeeting', { prospectId: first.prospectId, startsAt })
    const events = await app.owner`
      select object_id as "prospectId", event_type as type from events
       where object_id in (${first.prospectId}, ${second!.prospectId}) and event_type <> 'prospect.created'`
    expect(events).toHaveLength(2)
    expect(events).toEqual(
      expect.arrayContaining([
        { prospectId: first.prospectId, type: 'prospect.replied' },
        { prospectId: second!.prospectId, type: 'prospect.paused' },
      ]),
    )
  })

  it('records the events booked, rescheduled and cancelled', async () => {
    const [{ prospectId }] = await makeProspect('Spring')
    const { id: meetingId } = await owner.call('recordMeeting', { prospectId, startsAt })
    await owner.call('updateMeeting', { meetingId, startsAt: '2026-12-02T09:00:00.000Z' })
    await owner.call('cancelMeeting', { meetingId })
    const events = await app.owner<{ type: string }[]>`
      select event_type as type from events where object_id = ${meetingId} order by position`
    expect(events.map(({ type }) => type)).toEqual([
      'meeting.booked',
      'meeting.rescheduled',
      'meeting.cancelled',
    ])
  })

  it('needs a prospect of the account', async () => {
    const [{ prospectId }] = await makeProspect('Spring')
    const stranger = await makeCaller(app)
    await expect(stranger.call('recordMeeting', { prospectId, startsAt })).rejects.toMatchObject({
      ...{ code: 'ValidationError', details: [{ path: 'prospectId' }] },
    })
    const { id: meetingId } = await owner.call('recordMeeting', { prospectId, startsAt })
    await expect(stranger.call('cancelMeeting', { meetingId })).rejects.toMatchObject({ code: 'NotFound' })
    const viewer = await makeCaller(app, 'viewer', owner.accountId)
    await expect(viewer.call('recordMeeting', { prospectId, startsAt })).rejects.toMatchObject({
      code: 'Forbidden',
    })
  })
})
