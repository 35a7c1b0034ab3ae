import { createHmac, randomUUIDv7 } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type Caller, makeCaller } from '../../../../test/support/app.ts'
import { waitForLock } from '../../../../test/support/db/lock-waits.ts'
import { openTestServer, type TestServer } from '../../../../test/support/http/server.ts'
import { inAccount } from '../../kernel/context.ts'
import { bookMeeting } from './book-meeting.ts'
import type { MeetingProvider } from './meeting-webhooks.ts'

const secret = 'a-long-random-secret'
const startsAt = '2026-12-01T09:00:00.000Z'
const later = '2026-12-02T09:00:00.000Z'

let server: TestServer
let owner: Caller
let urls: Record<MeetingProvider, string>
let campaignId: string
let email: string
let prospectId: string

beforeAll(async () => {
  server = await openTestServer()
  server.app.setNow('2026-11-24T09:00:00.000Z')
  owner = await makeCaller(server.app)
  const { call } = owner
  for (const provider of ['cal_com', 'calendly'] as const)
    await call('setMeetingWebhook', { provider, signingSecret: secret })
  const { data } = await call('listMeetingWebhooks', {})
  urls = Object.fromEntries(data.map(({ provider, url }) => [provider, new URL(url).pathname])) as typeof urls
  campaignId = (await call('createCampaign', { name: 'Spring' })).id
})
afterAll(() => server[Symbol.asyncDispose]())
beforeEach(async () => {
  email = `grace-${randomUUIDv7()}@navy.example`
  const { data } = await owner.call('addProspectsToCampaign', { campaignId, data: [{ email }] })
  prospectId = data[0]!.prospectId!
})

const post = async (url: string, body: string, headers: Record<string, string>) => {
  const response = await server.request('POST', url, { body, headers })
  return {
    status: response.status,
    ...(response.body as { outcome?: string; reason?: string; meetingId?: string }),
  }
}

const sign = (text: string, key = secret) => createHmac('sha256', key).update(text).digest('hex')

/** Sends an event as Cal.com does: signed with a hexadecimal HMAC of the body. */
const sendCalCom = (
  triggerEvent: string,
  payload: object,
  options: { key?: string; createdAt?: string } = {},
) => {
  const { key, createdAt = server.app.now().toISOString() } = options
  const attendees = [{ email: email.toUpperCase(), name: 'Grace Hopper', timeZone: 'Europe/London' }]
  const body = JSON.stringify({
    triggerEvent,
    createdAt,
    payload: { startTime: startsAt, attendees, ...payload },
  })
  return post(urls.cal_com, body, { 'x-cal-signature-256': sign(body, key) })
}

/** Sends an event as Calendly does: signed with a time and a hexadecimal HMAC of time and body. */
const sendCalendly = (event: string, payload: object, time = startsAt, ageSeconds = 0) => {
  const body = JSON.stringify({
    ...{ event, created_at: server.app.now().toISOString() },
    payload: { email, name: 'Grace Hopper', scheduled_event: { start_time: time }, ...payload },
  })
  const t = Math.floor(server.app.now().getTime() / 1000) - ageSeconds
  return post(urls.calendly, body, { 'calendly-webhook-signature': `t=${t},v1=${sign(`${t}.${body}`)}` })
}

const list = async () =>
  (await owner.call('listMeetings', { prospectId })).data.map(({ source, status, startsAt }) => [
    ...[source, status, startsAt],
  ])

describe('a booking at Cal.com', () => {
  it("is stored as a meeting of the invitee's prospect and ends the sequence", async () => {
    const uid = randomUUIDv7()
    const first = await sendCalCom('BOOKING_CREATED', { uid })
    expect(first).toMatchObject({ status: 200, outcome: 'stored' })
    expect(await list()).toEqual([['cal_com', 'booked', startsAt]])
    expect(await owner.call('getProspect', { prospectId })).toMatchObject({
      ...{ status: 'replied', statusReason: 'meeting_booked' },
    })
    expect(await sendCalCom('BOOKING_CREATED', { uid })).toMatchObject({
      ...{ outcome: 'duplicate', meetingId: first.meetingId },
    })
    expect(await list()).toHaveLength(1)
  })

  it('is moved and cancelled; repeated and late events change nothing', async () => {
    const [uid, newUid] = [randomUUIDv7(), randomUUIDv7()]
    await sendCalCom('BOOKING_CREATED', { uid })
    const move = () =>
      sendCalCom('BOOKING_RESCHEDULED', { uid: newUid, rescheduleUid: uid, startTime: later })
    expect(await move()).toMatchObject({ outcome: 'stored' })
    expect(await move()).toMatchObject({ outcome: 'duplicate' })
    expect(await list()).toEqual([['cal_com', 'booked', later]])
    expect(await sendCalCom('BOOKING_CANCELLED', { uid: newUid })).toMatchObject({ outcome: 'stored' })
    expect(await sendCalCom('BOOKING_CANCELLED', { uid: newUid })).toMatchObject({ outcome: 'duplicate' })
    expect(await move()).toMatchObject({ outcome: 'duplicate' })
    expect(await list()).toEqual([['cal_com', 'cancelled', later]])
  })

  it('stays cancelled when its cancellation arrives first', async () => {
    const uid = randomUUIDv7()
    expect(await sendCalCom('BOOKING_CANCELLED', { uid })).toMatchObject({ outcome: 'stored' })
    expect(await sendCalCom('BOOKING_CREATED', { uid })).toMatchObject({ outcome: 'duplicate' })
    expect(await list()).toEqual([['cal_com', 'cancelled', startsAt]])
    expect(await owner.call('getProspect', { prospectId })).toMatchObject({ status: 'pending' })
  })

  it('is matched to the meeting that a user recorded before, and a cancellation cancels it', async () => {
    await owner.call('recordMeeting', { prospectId, startsAt })
    const uid = randomUUIDv7()
    expect(await sendCalCom('BOOKING_CREATED', { uid })).toMatchObject({ outcome: 'duplicate' })
    await sendCalCom('BOOKING_CANCELLED', { uid })
    expect(await list()).toEqual([['cal_com', 'cancelled', startsAt]])
  })

  it('is cancelled even if only a user has recorded it, and is not booked by its late event', async () => {
    await owner.call('recordMeeting', { prospectId, startsAt })
    await owner.call('recordMeeting', { prospectId, startsAt: later })
    const uid = randomUUIDv7()
    expect(await sendCalCom('BOOKING_CANCELLED', { uid })).toMatchObject({ outcome: 'stored' })
    expect(await sendCalCom('BOOKING_CREATED', { uid })).toMatchObject({ outcome: 'duplicate' })
    expect(await list()).toEqual([
      ['manual', 'booked', later],
      ['cal_com', 'cancelled', startsAt],
    ])
  })

  it('is cancelled even if it was stored from an invitation by email, unless another booking has the same time', async () => {
    const { app } = server
    const book = (source: 'email' | 'cal_com', time: string) => {
      const meeting = { prospectId, startsAt: new Date(time), source, externalId: randomUUIDv7() }
      return inAccount(app.db.app, owner.accountId, tx => bookMeeting(tx, meeting, app.now()))
    }
    await book('email', startsAt)
    await book('cal_com', later)
    await sendCalCom('BOOKING_CANCELLED', { uid: randomUUIDv7() })
    await sendCalCom('BOOKING_CANCELLED', { uid: randomUUIDv7(), startTime: later })
    expect((await list()).filter(([, status]) => status === 'booked')).toEqual([['cal_com', 'booked', later]])
    expect(await list()).toContainEqual(['email', 'cancelled', startsAt])
  })

  it('is cancelled by an event that arrives while it is being stored', async () => {
    const { app } = server
    const uid = randomUUIDv7()
    const meeting = { prospectId, startsAt: new Date(startsAt), source: 'cal_com', externalId: uid } as const
    const cancelled = await inAccount(app.db.app, owner.accountId, async tx => {
      await bookMeeting(tx, meeting, app.now())
      const cancelling = sendCalCom('BOOKING_CANCELLED', { uid })
      await Promise.race([cancelling, waitForLock(app)])
      return { cancelling }
    })
    expect(await cancelled.cancelling).toMatchObject({ outcome: 'stored' })
    expect(await list()).toEqual([['cal_com', 'cancelled', startsAt]])
  })

  it('is ignored if the invitee is not a prospect, or if the event is old or about something else', async () => {
    const uid = randomUUIDv7()
    const attendees = [{ email: 'stranger@elsewhere.example' }]
    expect(await sendCalCom('BOOKING_CREATED', { uid, attendees })).toMatchObject({ outcome: 'ignored' })
    const createdAt = '2026-11-24T07:59:00.000Z'
    expect(await sendCalCom('BOOKING_CREATED', { uid }, { createdAt })).toMatchObject({ outcome: 'ignored' })
    expect(await sendCalCom('MEETING_ENDED', {})).toMatchObject({ outcome: 'ignored' })
    expect(await list()).toEqual([])
  })
})

describe('a booking at Calendly', () => {
  it('is stored as a meeting, moved by the two events of a rescheduling, and cancelled', async () => {
    const [uri, newUri] = ['a', 'b'].map(name => `https://api.calendly.com/invitees/${name}${randomUUIDv7()}`)
    expect(await sendCalendly('invitee.created', { uri })).toMatchObject({ outcome: 'stored' })
    expect(await sendCalendly('invitee.canceled', { uri, rescheduled: true })).toMatchObject({
      outcome: 'ignored',
    })
    await sendCalendly('invitee.created', { uri: newUri, old_invitee: uri }, later)
    expect(await list()).toEqual([['calendly', 'booked', later]])
    await sendCalendly('invitee.canceled', { uri: newUri, rescheduled: false }, later)
    expect(await list()).toEqual([['calendly', 'cancelled', later]])
  })

  it('is rejected when its signature is older than five minutes', async () => {
    const uri = `https://api.calendly.com/invitees/${randomUUIDv7()}`
    expect(await sendCalendly('invitee.created', { uri }, startsAt, 301)).toMatchObject({ status: 401 })
    expect(await list()).toEqual([])
  })
})

describe('the webhook of a scheduling service', () => {
  it('rejects a wrong signature, an invalid body, a body of more than 256 kB and an unknown key', async () => {
    const uid = randomUUIDv7()
    expect(await sendCalCom('BOOKING_CREATED', { uid }, { key: 'another-long-secret' })).toMatchObject({
      status: 401,
    })
    expect(await post(urls.cal_com, '{}', {})).toMatchObject({ status: 401 })
    expect(await post(urls.cal_com, 'no json', { 'x-cal-signature-256': sign('no json') })).toMatchObject({
      status: 400,
    })
    expect(await sendCalCom('BOOKING_CREATED', { uid: 5 })).toMatchObject({ status: 400 })
    expect((await post(urls.cal_com, ' '.repeat(257 * 1024), {})).status).toBeGreaterThanOrEqual(400)
    expect(await post('/v1/inbound/meetings/some-key', '{}', {})).toMatchObject({ status: 404 })
    expect(await list()).toEqual([])
  })

  it('shows when the last event arrived, stores its secret encrypted, and is not found once the secret is removed', async () => {
    const other = await makeCaller(server.app)
    const set = (signingSecret: string | null) =>
      other.call('setMeetingWebhook', { provider: 'cal_com', signingSecret })
    const { url } = await set(secret)
    const [stored] = await server.app.owner<{ secret: Buffer }[]>`
      select signing_secret as secret from meeting_webhooks where account_id = ${other.accountId}`
    expect(Buffer.from(stored!.secret).includes(secret)).toBe(false)
    const body = JSON.stringify({
      triggerEvent: 'PING',
      createdAt: server.app.now().toISOString(),
      payload: {},
    })
    const send = () => post(new URL(url).pathname, body, { 'x-cal-signature-256': sign(body) })
    expect(await send()).toMatchObject({ outcome: 'ignored' })
    const { data } = await other.call('listMeetingWebhooks', {})
    expect(data[0]).toMatchObject({ isConnected: true, lastReceivedAt: server.app.now().toISOString() })
    expect(await set(null)).toMatchObject({ isConnected: false })
    expect((await send()).status).toBe(404)
  })
})
