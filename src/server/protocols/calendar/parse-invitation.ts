import ICAL from 'ical.js'
import { isTimezone } from '../identity/timezone.ts'

/** An event that an email requests, replies to or cancels (iTIP, RFC 5546). Addresses are not normalized. */
export type Invitation = {
  method: 'request' | 'reply' | 'cancel'
  uid: string
  /** The event's revision. A message is newer if its revision is higher, or if it is equal and `stampedAt` is later. */
  sequence: number
  stampedAt: Date
  startsAt: Date
  organizer: string | undefined
  attendees: { email: string; status: string }[]
}

const MAX_ATTENDEES = 200
const MAX_UID_LENGTH = 500
/** PostgreSQL's largest integer. */
const MAX_SEQUENCE = 2_147_483_647
const methods = ['request', 'reply', 'cancel'] as const

/**
 * Parses the calendar object of an email. Returns undefined for all-day events, single occurrences of a series, other
 * methods, and text that is not a calendar. Call it in a worker thread: a hostile time zone can be slow.
 */
export function parseInvitation(text: string): Invitation | undefined {
  try {
    return readCalendar(new ICAL.Component(ICAL.parse(text)))
  } catch {
    // The library throws several types of errors for text that it cannot parse.
    return undefined
  }
}

function readCalendar(calendar: ICAL.Component): Invitation | undefined {
  const method = methods.find(each => each === getText(calendar, 'method')?.toLowerCase())
  const event = calendar.getFirstSubcomponent('vevent')
  const uid = event && getText(event, 'uid')
  if (!method || !uid || uid.length > MAX_UID_LENGTH || event.hasProperty('recurrence-id')) return undefined
  const startsAt = getTime(event, 'dtstart')
  if (!startsAt) return undefined
  return {
    method,
    uid,
    sequence: parseSequence(getText(event, 'sequence')),
    stampedAt: getTime(event, 'dtstamp') ?? startsAt,
    startsAt,
    organizer: parseAddress(event.getFirstProperty('organizer')),
    attendees: event
      .getAllProperties('attendee')
      .slice(0, MAX_ATTENDEES)
      .flatMap(attendee => {
        const email = parseAddress(attendee)
        return email ? { email, status: String(attendee.getParameter('partstat') ?? '').toLowerCase() } : []
      }),
  }
}

const getText = (component: ICAL.Component, name: string): string | undefined =>
  component.getFirstPropertyValue(name)?.toString()

const parseSequence = (text = '0'): number =>
  Math.min(MAX_SEQUENCE, Math.max(0, Math.trunc(Number(text)) || 0))

/**
 * Returns the time of a property; undefined for an all-day date, for a local time whose zone is unknown, and for a
 * time outside the years 1 to 9999.
 */
function getTime(event: ICAL.Component, name: string): Date | undefined {
  const property = event.getFirstProperty(name)
  const time = property?.getFirstValue()
  if (!(time instanceof ICAL.Time) || time.isDate) return undefined
  const zone = String(property?.getParameter('tzid') ?? '')
  const milliseconds =
    time.zone === ICAL.Timezone.localTimezone ? toEpoch(time, zone) : time.toUnixTime() * 1000
  const date = new Date(milliseconds ?? Number.NaN)
  const year = date.getUTCFullYear()
  return year >= 1 && year <= 9999 ? date : undefined
}

/** Converts a time in an IANA time zone, which the calendar need not define. Returns undefined for other zones. */
const toEpoch = (time: ICAL.Time, zone: string): number | undefined =>
  isTimezone(zone)
    ? Temporal.PlainDateTime.from({
        year: time.year,
        month: time.month,
        day: time.day,
        hour: time.hour,
        minute: time.minute,
        second: time.second,
      }).toZonedDateTime(zone).epochMilliseconds
    : undefined

function parseAddress(property: ICAL.Property | null): string | undefined {
  const [, email] = /^mailto:\s*(\S{3,320})$/i.exec(String(property?.getFirstValue() ?? '').trim()) ?? []
  return email
}
