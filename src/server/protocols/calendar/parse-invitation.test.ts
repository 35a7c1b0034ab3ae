import { describe, expect, it } from 'vitest'
import { parseInvitation } from './parse-invitation.ts'

const makeCalendar = (method: string, event: readonly string[], zone: readonly string[] = []): string =>
  [
    'BEGIN:VCALENDAR',
    'VERSION:2.0',
    `METHOD:${method}`,
    ...zone,
    'BEGIN:VEVENT',
    ...event,
    'END:VEVENT',
    'END:VCALENDAR',
  ].join('\r\n')

const makeEvent = (start: string): string[] => [
  'UID:1@navy.example',
  'SEQUENCE:2',
  'DTSTAMP:20261124T101010Z',
  start,
  'ORGANIZER;CN=Grace:mailto:grace@navy.example',
  'ATTENDEE;PARTSTAT=ACCEPTED;CN="Ada',
  '  Byron":MAILTO:ada@acme.example',
  'ATTENDEE:urn:uuid:1',
]

/** A time zone as Outlook writes it, under its Windows name. */
const windowsZone = [
  'BEGIN:VTIMEZONE',
  'TZID:W. Europe Standard Time',
  'BEGIN:STANDARD',
  'DTSTART:16010101T030000',
  'TZOFFSETFROM:+0200',
  'TZOFFSETTO:+0100',
  'RRULE:FREQ=YEARLY;INTERVAL=1;BYDAY=-1SU;BYMONTH=10',
  'END:STANDARD',
  'BEGIN:DAYLIGHT',
  'DTSTART:16010101T020000',
  'TZOFFSETFROM:+0100',
  'TZOFFSETTO:+0200',
  'RRULE:FREQ=YEARLY;INTERVAL=1;BYDAY=-1SU;BYMONTH=3',
  'END:DAYLIGHT',
  'END:VTIMEZONE',
]

describe('an invitation', () => {
  it('is parsed into its event, times and people', () => {
    expect(parseInvitation(makeCalendar('REQUEST', makeEvent('DTSTART:20261201T090000Z')))).toEqual({
      method: 'request',
      uid: '1@navy.example',
      sequence: 2,
      stampedAt: new Date('2026-11-24T10:10:10Z'),
      startsAt: new Date('2026-12-01T09:00:00Z'),
      organizer: 'grace@navy.example',
      attendees: [{ email: 'ada@acme.example', status: 'accepted' }],
    })
  })

  it.each([
    ['UTC', 'DTSTART:20261201T090000Z', [], '2026-12-01T09:00:00Z'],
    [
      'a zone of the IANA database',
      'DTSTART;TZID=America/New_York:20261201T090000',
      [],
      '2026-12-01T14:00:00Z',
    ],
    [
      'a zone that it defines, in winter',
      `DTSTART;TZID=${windowsZone[1]!.slice(5)}:20261201T090000`,
      windowsZone,
      '2026-12-01T08:00:00Z',
    ],
    [
      'a zone that it defines, in summer',
      `DTSTART;TZID=${windowsZone[1]!.slice(5)}:20260701T090000`,
      windowsZone,
      '2026-07-01T07:00:00Z',
    ],
  ])('begins at the right instant in %s', (_zone, start, zone, expected) => {
    expect(parseInvitation(makeCalendar('REQUEST', makeEvent(start), zone))?.startsAt).toEqual(
      new Date(expected),
    )
  })

  it('has a sequence number that PostgreSQL can store', () => {
    const event = makeEvent('DTSTART:20261201T090000Z').with(1, 'SEQUENCE:3000000000')
    expect(parseInvitation(makeCalendar('REQUEST', event))?.sequence).toBe(2_147_483_647)
  })

  it.each([
    ['a time after the year 9999', makeCalendar('REQUEST', makeEvent('DTSTART:99991399T090000Z'))],
    ['an all-day event', makeCalendar('REQUEST', makeEvent('DTSTART;VALUE=DATE:20261201'))],
    ['a time without a zone', makeCalendar('REQUEST', makeEvent('DTSTART:20261201T090000'))],
    ['a time in an unknown zone', makeCalendar('REQUEST', makeEvent('DTSTART;TZID=Here:20261201T090000'))],
    ['an event without a time', makeCalendar('REQUEST', makeEvent('SUMMARY:Hello'))],
    [
      'one occurrence of a series',
      makeCalendar('REQUEST', [...makeEvent('DTSTART:20261201T090000Z'), 'RECURRENCE-ID:20261201T090000Z']),
    ],
    ['a publication', makeCalendar('PUBLISH', makeEvent('DTSTART:20261201T090000Z'))],
    ['an event without an ID', makeCalendar('REQUEST', makeEvent('DTSTART:20261201T090000Z').slice(1))],
    [
      'an event with an overlong ID',
      makeCalendar('REQUEST', [`UID:${'x'.repeat(501)}`, ...makeEvent('DTSTART:20261201T090000Z').slice(1)]),
    ],
    ['a calendar without an event', 'BEGIN:VCALENDAR\r\nMETHOD:REQUEST\r\nEND:VCALENDAR'],
    ['text that is not a calendar', 'Hello'],
    ['an empty text', ''],
  ])('is not parsed from %s', (_what, text) => {
    expect(parseInvitation(text)).toBeUndefined()
  })
})
