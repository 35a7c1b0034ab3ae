import { createHmac, timingSafeEqual } from 'node:crypto'
import { z } from 'zod'
import type { MeetingProvider } from './meeting-webhooks.ts'

type Headers = Record<string, string | string[] | undefined>

/** A booking or its cancellation; `previousId` is the booking that a rescheduled one replaces. */
export type MeetingEvent = {
  type: 'booked' | 'cancelled'
  externalId: string
  previousId?: string | undefined
  emails: string[]
  startsAt: Date
}

/** Maximum clock difference, and how long an intercepted request can be replayed. */
const TOLERANCE_MS = 5 * 60_000
/** Cal.com doesn't sign a time, but its body contains the time of the event, which may be delivered a little later. */
const MAX_AGE_MS = 60 * 60_000

/** Returns whether the signature matches the body and secret, and is recent if the provider signs its time. */
export function hasValidSignature(
  provider: MeetingProvider,
  { headers, body, secret, now }: { headers: Headers; body: Buffer; secret: string; now: Date },
): boolean {
  const sign = (prefix: string) => createHmac('sha256', secret).update(prefix).update(body).digest('hex')
  if (provider === 'cal_com') return isSame(headers['x-cal-signature-256'], sign(''))
  const [, timestamp, signature] =
    /^t=(\d{1,12}),v1=([0-9a-f]{64})$/.exec(String(headers['calendly-webhook-signature'])) ?? []
  if (!timestamp || Math.abs(Number(timestamp) * 1000 - now.getTime()) > TOLERANCE_MS) return false
  return isSame(signature, sign(`${timestamp}.`))
}

function isSame(given: string | string[] | undefined, expected: string): boolean {
  if (typeof given !== 'string') return false
  const [a, b] = [Buffer.from(given), Buffer.from(expected)]
  return a.length === b.length && timingSafeEqual(a, b)
}

const time = z.iso.datetime({ offset: true }).transform(text => new Date(text))
const email = z.string().max(320)
const externalId = z.string().min(1).max(500)

const calCom = z.object({
  triggerEvent: z.string(),
  createdAt: time,
  payload: z.object({
    uid: externalId,
    rescheduleUid: externalId.nullish(),
    startTime: time,
    attendees: z.array(z.object({ email })).max(100),
  }),
})
const calComTypes: Record<string, MeetingEvent['type']> = {
  BOOKING_CREATED: 'booked',
  BOOKING_RESCHEDULED: 'booked',
  BOOKING_CANCELLED: 'cancelled',
  BOOKING_REJECTED: 'cancelled',
}

const calendly = z.object({
  event: z.string(),
  payload: z.object({
    uri: externalId,
    email,
    old_invitee: externalId.nullish(),
    rescheduled: z.boolean().nullish(),
    scheduled_event: z.object({ start_time: time }),
  }),
})

/** Parses the body of an event, or returns the reason why it is ignored. */
export function parseMeetingEvent(
  provider: MeetingProvider,
  json: unknown,
  now: Date,
): MeetingEvent | { ignored: string } {
  const type = z.object({ triggerEvent: z.string().optional(), event: z.string().optional() }).safeParse(json)
  const name = (provider === 'cal_com' ? type.data?.triggerEvent : type.data?.event) ?? ''
  return provider === 'cal_com' ? parseCalCom(name, json, now) : parseCalendly(name, json)
}

function parseCalCom(name: string, json: unknown, now: Date): MeetingEvent | { ignored: string } {
  const type = calComTypes[name]
  if (!type) return { ignored: 'the event is not about a booking' }
  const { createdAt, payload } = calCom.parse(json)
  if (Math.abs(createdAt.getTime() - now.getTime()) > MAX_AGE_MS)
    return { ignored: 'the event is older than an hour' }
  const { uid, rescheduleUid, startTime, attendees } = payload
  return {
    type,
    externalId: uid,
    ...(rescheduleUid && rescheduleUid !== uid && { previousId: rescheduleUid }),
    emails: attendees.map(each => each.email),
    startsAt: startTime,
  }
}

function parseCalendly(name: string, json: unknown): MeetingEvent | { ignored: string } {
  if (name !== 'invitee.created' && name !== 'invitee.canceled')
    return { ignored: 'the event is not about an invitee' }
  const { payload } = calendly.parse(json)
  // The event of the new booking moves the meeting.
  if (name === 'invitee.canceled' && payload.rescheduled) return { ignored: 'the meeting is rescheduled' }
  return {
    type: name === 'invitee.created' ? 'booked' : 'cancelled',
    externalId: payload.uri,
    ...(payload.old_invitee && { previousId: payload.old_invitee }),
    emails: [payload.email],
    startsAt: payload.scheduled_event.start_time,
  }
}
