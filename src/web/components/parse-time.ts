import { MORNING_HOUR } from './snooze-times.ts'

const weekdays = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday']
const months = [
  'january',
  'february',
  'march',
  'april',
  'may',
  'june',
  'july',
  'august',
  'september',
  'october',
  'november',
  'december',
]
const MIN_LETTERS = 3
const EVENING_HOUR = 18
const NOON_HOUR = 12
const unitMinutes: Record<string, number> = { m: 1, h: 60, d: 1440, w: 10_080 }

type Day = { year: number; month: number; day: number }
type Time = { hour: number; minute: number }

/**
 * Parses a time as people type it, such as `tomorrow 14:00`, `fri 9`, `in 3 days`, `12 dec` or `2pm`, in the reader's
 * time zone. Days without a time begin in the morning. Returns undefined for other text, for impossible dates and for
 * times in the past.
 */
export function parseTime(text: string, now: Date): Date | undefined {
  const at = parsePeriod(text, now) ?? parseMoment(text, now)
  return at && at > now ? at : undefined
}

/** Parses `in 3 days` or `2h`. Days and weeks keep the time of day; minutes and hours are elapsed time. */
function parsePeriod(text: string, now: Date): Date | undefined {
  const [, amount, unit] =
    /^(?:in )?(\d{1,3}) ?(m|h|d|w)(?:in(?:ute)?s?|ours?|ays?|eeks?)?$/.exec(text.trim().toLowerCase()) ?? []
  if (!amount || !unit) return undefined
  const minutes = Number(amount) * unitMinutes[unit]!
  if (unit === 'm' || unit === 'h') return new Date(now.getTime() + minutes * 60_000)
  const at = new Date(now)
  at.setDate(at.getDate() + minutes / unitMinutes.d!)
  return at
}

function parseMoment(text: string, now: Date): Date | undefined {
  const words = text
    .toLowerCase()
    .split(/[\s,]+/)
    .filter(word => !['', 'at', 'on', 'next'].includes(word))
  let day: Day | undefined
  let time: Time | undefined
  for (let position = 0; position < words.length; ) {
    const rest = words.slice(position)
    const found = day ? undefined : parseDay(rest, now)
    const clock = found || time ? undefined : parseClock(rest[0]!, day !== undefined)
    if (!found && !clock) return undefined
    day ??= found?.day
    time ??= clock
    position += found?.length ?? 1
  }
  if (!day && !time) return undefined
  const { hour, minute } = time ?? { hour: MORNING_HOUR, minute: 0 }
  const { year, month, day: date } = day ?? toDay(now, 0)
  const at = new Date(year, month, date, hour, minute)
  // An impossible date, such as 31 February, would roll over to the next month.
  if (at.getMonth() !== month) return undefined
  // Without a day, a time that has already passed today means tomorrow.
  if (!day && at <= now) at.setDate(at.getDate() + 1)
  return at
}

/** Parses the day that the words begin with. `length` is the number of words that name the day. */
function parseDay([word = '', second = '']: string[], now: Date): { day: Day; length: number } | undefined {
  const weekday = findName(weekdays, word)
  if (weekday >= 0) return { day: toDay(now, (weekday - now.getDay() + 7) % 7 || 7), length: 1 }
  if (word === 'today') return { day: toDay(now, 0), length: 1 }
  if (word === 'tomorrow' || word === 'tmr') return { day: toDay(now, 1), length: 1 }
  if (word === 'week') return { day: toDay(now, (8 - now.getDay()) % 7 || 7), length: 1 }
  const [, year, month, day] = /^(\d{4})-(\d\d)-(\d\d)$/.exec(word) ?? []
  if (year) return { day: { year: Number(year), month: Number(month) - 1, day: Number(day) }, length: 1 }
  const [monthWord, dayWord] = findName(months, word) >= 0 ? [word, second] : [second, word]
  const namedMonth = findName(months, monthWord)
  const namedDay = /^(\d{1,2})(?:st|nd|rd|th)?$/.exec(dayWord)?.[1]
  if (namedMonth < 0 || !namedDay) return undefined
  const thisYear = { year: now.getFullYear(), month: namedMonth, day: Number(namedDay) }
  const isPast = new Date(thisYear.year, thisYear.month, thisYear.day + 1) <= now
  return { day: { ...thisYear, year: thisYear.year + (isPast ? 1 : 0) }, length: 2 }
}

/** Parses `14:00`, `2pm` or `noon`. Accepts a bare number, such as `9`, only after a day. */
function parseClock(word: string, hasDay: boolean): Time | undefined {
  if (word === 'noon') return { hour: NOON_HOUR, minute: 0 }
  if (word === 'evening' || word === 'tonight') return { hour: EVENING_HOUR, minute: 0 }
  if (word === 'morning') return { hour: MORNING_HOUR, minute: 0 }
  const [, hours, minutes, meridiem] = /^(\d{1,2})(?:[:.](\d\d))?(am|pm)?$/.exec(word) ?? []
  if (!hours || !(minutes || meridiem || hasDay)) return undefined
  const hasMeridiem = meridiem !== undefined
  const hour = hasMeridiem ? (Number(hours) % NOON_HOUR) + (meridiem === 'pm' ? NOON_HOUR : 0) : Number(hours)
  const minute = Number(minutes ?? 0)
  return hour < 24 && minute < 60 && !(hasMeridiem && Number(hours) > NOON_HOUR)
    ? { hour, minute }
    : undefined
}

const findName = (names: string[], word: string): number =>
  word.length < MIN_LETTERS ? -1 : names.findIndex(name => name.startsWith(word))

function toDay(now: Date, days: number): Day {
  const at = new Date(now.getFullYear(), now.getMonth(), now.getDate() + days)
  return { year: at.getFullYear(), month: at.getMonth(), day: at.getDate() }
}
