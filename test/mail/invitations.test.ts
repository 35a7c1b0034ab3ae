import { randomUUIDv7 } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { bookMeeting } from '../../src/server/domain/meetings/book-meeting.ts'
import { inAccount } from '../../src/server/kernel/context.ts'
import { openTestApp, type TestApp } from '../support/app.ts'
import { rawMail } from '../support/mail/answers.ts'
import { openPostOffice, type PostOffice, type SentCampaign } from '../support/mail/correspondence.ts'

let app: TestApp
let post: PostOffice
beforeAll(async () => {
  app = await openTestApp({ ALLOW_PRIVATE_HOSTS: '127.0.0.1' })
  app.setNow(new Date())
  post = await openPostOffice(app)
})
afterAll(async () => {
  await post[Symbol.asyncDispose]()
  await app[Symbol.asyncDispose]()
})

const DAY_MS = 86_400_000

type Mail = {
  method?: 'REQUEST' | 'REPLY' | 'CANCEL' | 'PUBLISH'
  from?: string
  organizer?: string
  attendees?: Record<string, string>
  uid?: string
  sequence?: number
  /** Days from now. */
  inDays?: number
  extra?: string[]
  zone?: string[]
}

const formatCalendarTime = (date: Date) => date.toISOString().replace(/[-:]|\.\d+/g, '')
const getTime = (inDays: number) => new Date(Math.trunc(app.now().getTime() / 1000) * 1000 + inDays * DAY_MS)

/** Creates an invitation, or a response to one, as calendar programs send it (RFC 6047). */
function makeInvitation({ address, emails }: SentCampaign, options: Mail = {}): Buffer {
  const {
    method = 'REQUEST',
    from = emails[0]!,
    organizer = from,
    attendees = { [address]: 'NEEDS-ACTION' },
  } = options
  const {
    uid = `${randomUUIDv7()}@calendar.example`,
    sequence = 0,
    inDays = 3,
    extra = [],
    zone = [],
  } = options
  const event = [
    'BEGIN:VCALENDAR',
    'PRODID:-//Calendar//EN',
    'VERSION:2.0',
    `METHOD:${method}`,
    ...zone,
    'BEGIN:VEVENT',
    `UID:${uid}`,
    `SEQUENCE:${sequence}`,
    `DTSTAMP:${formatCalendarTime(app.now())}`,
    `DTSTART:${formatCalendarTime(getTime(inDays))}`,
    `ORGANIZER:mailto:${organizer}`,
    ...Object.entries(attendees).map(([email, status]) => `ATTENDEE;PARTSTAT=${status}:mailto:${email}`),
    ...extra,
    'END:VEVENT',
    'END:VCALENDAR',
  ]
  return rawMail(
    {
      From: `<${from}>`,
      To: address,
      Subject: 'Invitation: Demo',
      'Message-ID': `<${randomUUIDv7()}@calendar.example>`,
      'MIME-Version': '1.0',
      'Content-Type': 'multipart/alternative; boundary=b1',
    },
    [
      '--b1\r\nContent-Type: text/plain\r\n\r\nYou are invited.',
      `--b1\r\nContent-Type: text/calendar; charset=utf-8; method=${method}\r\n\r\n${event.join('\r\n')}`,
      '--b1--',
    ].join('\r\n'),
  )
}

const listMeetings = async ({ owner, campaignId }: SentCampaign) =>
  (await owner.call('listMeetings', { campaignId })).data
const twoSteps = [
  { channel: 'email' as const, subject: 'Hello', body: 'Hello' },
  { channel: 'email' as const, subject: '', body: 'Again', delay: { amount: 3, unit: 'days' as const } },
]

describe('a received invitation', () => {
  it('books a meeting that links to the email, and ends the sequence, when a prospect sends it', async () => {
    const written = await post.write(1, twoSteps)
    const { outcome, messageId } = await written.receive(makeInvitation(written))
    expect(outcome).toBe('stored')
    expect(await listMeetings(written)).toMatchObject([
      { source: 'email', status: 'booked', startsAt: getTime(3).toISOString(), emailMessageId: messageId },
    ])
    const { data } = await written.owner.call('listProspects', { campaignId: written.campaignId })
    expect(data[0]!.status).not.toBe('active')
  })

  it('books one meeting however often it arrives, and moves it with an update but not with an older message', async () => {
    const written = await post.write()
    const uid = randomUUIDv7()
    const mails = [
      makeInvitation(written, { uid }),
      makeInvitation(written, { uid, sequence: 2, inDays: 5 }),
      makeInvitation(written, { uid, sequence: 1, inDays: 4 }),
    ]
    for (const mail of [...mails, ...mails]) await written.receive(mail)
    expect(await listMeetings(written)).toMatchObject([
      { status: 'booked', startsAt: getTime(5).toISOString() },
    ])
  })

  it('stays cancelled when it arrives again after its cancellation', async () => {
    const written = await post.write()
    const uid = randomUUIDv7()
    const invitation = makeInvitation(written, { uid })
    await written.receive(invitation)
    await written.receive(makeInvitation(written, { uid, sequence: 1, method: 'CANCEL' }))
    await written.receive(invitation)
    expect(await listMeetings(written)).toMatchObject([{ status: 'cancelled' }])
  })

  it('books a meeting when a booking service or a colleague of the prospect sends it, but not when a stranger does', async () => {
    const written = await post.write(3)
    const [accepted, colleague, stranger] = written.emails as [string, string, string]
    const invite = (from: string, attendees: Record<string, string>) =>
      written.receive(makeInvitation(written, { from, attendees }))
    await invite('bookings@service.example', { [accepted]: 'ACCEPTED' })
    await invite(`boss@${colleague.split('@')[1]}`, { [colleague]: 'NEEDS-ACTION' })
    await invite('stranger@elsewhere.example', { [stranger]: 'NEEDS-ACTION' })
    const persons = (await listMeetings(written)).map(({ personId }) => personId)
    const { data } = await written.owner.call('listProspects', { campaignId: written.campaignId })
    const find = (email: string) => data.find(({ person }) => person?.email === email)?.personId
    expect(persons).not.toContain(find(stranger))
    expect(persons).toContain(find(accepted))
    expect(persons).toContain(find(colleague))
  })

  it('changes nothing in another account', async () => {
    const written = await post.write()
    const other = await post.write()
    const uid = randomUUIDv7()
    await written.receive(makeInvitation(written, { uid }))
    await other.receive(
      makeInvitation(other, { uid, sequence: 1, method: 'CANCEL', from: written.emails[0]! }),
    )
    expect(await listMeetings(written)).toMatchObject([{ status: 'booked' }])
    expect(await listMeetings(other)).toEqual([])
  })

  it('is stored but books no meeting when it is in the past, uses the PUBLISH method or is unreadable', async () => {
    const written = await post.write()
    const endlessZone = [
      'BEGIN:VTIMEZONE',
      'TZID:Endless',
      'BEGIN:STANDARD',
      'DTSTART:16010101T030000',
      'TZOFFSETFROM:+0200',
      'TZOFFSETTO:+0100',
      'RRULE:FREQ=SECONDLY',
      'END:STANDARD',
      'END:VTIMEZONE',
    ]
    const hostile = makeInvitation(written, { zone: endlessZone })
      .toString()
      .replace('DTSTART:2', 'DTSTART;TZID=Endless:2')
      .replace(/(DTSTART;TZID=Endless:\w+)Z/, '$1')
    const mails = [
      makeInvitation(written, { inDays: -1 }),
      makeInvitation(written, { method: 'PUBLISH' }),
      Buffer.from(hostile),
    ]
    for (const mail of mails) expect((await written.receive(mail)).outcome).toBe('stored')
    expect(await listMeetings(written)).toEqual([])
  })
})

describe('the email of an invitation', () => {
  it('is stored and books a meeting even if the event contains values that PostgreSQL cannot store', async () => {
    const written = await post.write(1, twoSteps)
    const invitation = makeInvitation(written, { uid: `\0${randomUUIDv7()}`, sequence: 3_000_000_000 })
    expect((await written.receive(invitation)).outcome).toBe('stored')
    expect(await listMeetings(written)).toMatchObject([{ status: 'booked' }])
  })

  it('is stored and ends the sequence even if its meeting cannot be stored, and storing the meeting is retried', async () => {
    const written = await post.write(1, twoSteps)
    const invitation = makeInvitation(written, { uid: `refused-${randomUUIDv7()}` })
    await app.owner`alter table meetings add constraint refuses check (external_id not like 'refused-%')`
    try {
      await expect(written.receive(invitation)).rejects.toThrow('refuses')
    } finally {
      await app.owner`alter table meetings drop constraint refuses`
    }
    expect((await written.messages()).map(({ type }) => type)).toContain('received')
    expect((await written.prospects()).map(({ status }) => status)).toEqual(['replied'])
    expect((await written.receive(invitation)).outcome).toBe('duplicate')
    expect(await listMeetings(written)).toMatchObject([{ status: 'booked' }])
  })
})

describe("responses to the rep's invitation", () => {
  it.each([
    ['ACCEPTED', ['booked']],
    ['TENTATIVE', []],
    ['DECLINED', []],
  ])('a response with the status %s leads to meetings with the statuses %j', async (status, expected) => {
    const written = await post.write()
    const attendees = { [written.emails[0]!]: status }
    const { outcome } = await written.receive(
      makeInvitation(written, { method: 'REPLY', organizer: written.address, attendees }),
    )
    expect(outcome).toBe('stored')
    expect((await listMeetings(written)).map(meeting => meeting.status)).toEqual(expected)
  })

  it('a response cancels the meeting when the prospect declines later, but not when another attendee declines', async () => {
    const written = await post.write(2)
    const [grace, other] = written.emails as [string, string]
    const uid = randomUUIDv7()
    const respond = async (email: string, status: string) => {
      app.setNow(new Date(app.now().getTime() + 1000))
      const attendees = { [email]: status }
      const organizer = written.address
      await written.receive(
        makeInvitation(written, { method: 'REPLY', from: email, organizer, attendees, uid }),
      )
    }
    await respond(grace, 'ACCEPTED')
    await respond(other, 'DECLINED')
    expect(await listMeetings(written)).toMatchObject([{ status: 'booked' }])
    await respond(grace, 'DECLINED')
    expect(await listMeetings(written)).toMatchObject([{ status: 'cancelled' }])
    await respond(grace, 'ACCEPTED')
    expect(await listMeetings(written)).toMatchObject([{ status: 'booked' }])
  })

  it('a response cancels a meeting from a scheduling service when the prospect declines, but not when another attendee does', async () => {
    const written = await post.write(2)
    const [grace, other] = written.emails as [string, string]
    const { id: prospectId } = (await written.prospects()).find(({ person }) => person?.email === grace)!
    const booking = {
      prospectId,
      startsAt: getTime(3),
      source: 'calendly',
      externalId: randomUUIDv7(),
    } as const
    await inAccount(app.db.app, written.owner.accountId, tx => bookMeeting(tx, booking, app.now()))
    const uid = randomUUIDv7()
    const makeResponse = (email: string, status: string, sequence: number) => {
      const attendees = { [email]: status }
      const organizer = written.address
      return makeInvitation(written, { method: 'REPLY', from: email, organizer, attendees, uid, sequence })
    }
    const accepted = makeResponse(grace, 'ACCEPTED', 0)
    await written.receive(accepted)
    await written.receive(makeResponse(other, 'DECLINED', 1))
    expect(await listMeetings(written)).toMatchObject([{ source: 'calendly', status: 'booked' }])
    await written.receive(makeResponse(grace, 'DECLINED', 1))
    await written.receive(accepted)
    expect(new Set((await listMeetings(written)).map(({ status }) => status))).toEqual(new Set(['cancelled']))
  })

  it('a response books no meeting when it is a copy of the invitation itself', async () => {
    const written = await post.write()
    const attendees = { [written.emails[0]!]: 'ACCEPTED' }
    await written.receive(
      makeInvitation(written, { from: 'relay@elsewhere.example', organizer: written.address, attendees }),
    )
    expect(await listMeetings(written)).toEqual([])
  })
})
