import type { ParsedEmail } from '../mime/parse.ts'

/** Month names in many languages; the longest match wins. */
const monthNames: string[] = [
  'january jan januar januari janvier janv enero ene gennaio gen janeiro styczeń stycznia leden ledna tammikuu января январь ocak',
  'february feb februar februari février fevrier févr febrero febbraio fevereiro fev luty lutego únor února helmikuu февраля şubat',
  'march mar märz maerz maart mars marzo março marca marzec březen března maaliskuu марта mart',
  'april apr avril avr abril abr aprile april kwiecień kwietnia duben dubna huhtikuu апреля nisan',
  'may mai mei maj mayo maggio mag maio maja květen května toukokuu мая mayıs',
  'june jun juni juin junio giugno giu junho czerwiec czerwca červen června kesäkuu июня haziran',
  'july jul juli juillet juil julio luglio lug julho lipiec lipca července heinäkuu июля temmuz',
  'august aug août aout agosto ago augustus augusti sierpień sierpnia srpen srpna elokuu августа ağustos',
  'september sep sept septembre septiembre settembre set setembro wrzesień września září syyskuu сентября eylül',
  'october oct oktober okt octobre octubre ottobre ott outubro out październik października říjen října lokakuu октября ekim',
  'november nov novembre noviembre novembro listopad listopada marraskuu ноября kasım',
  'december dec dezember dez décembre decembre diciembre dic dicembre dezembro grudzień grudnia prosinec prosince joulukuu декабря aralık',
]
const monthsByName = new Map(
  monthNames.flatMap((names, index) => names.split(' ').map(name => [name, index + 1])),
)

/** Words before the day of return. */
const returnWords =
  /(?:\bback\b|\breturn\w*|\bresum\w+|\bin the office (?:again )?(?:on|from)|\bavailable (?:again )?(?:on|from)|zurück|wieder|\bab (?:dem)?|retour|reprend\w*|regres\w*|vuel\w+|volt\w+|rientr\w+|torn\w+|terug|tillbaka|tilbage|tilbake|wrac\w+|wróc\w+|zpět|вернусь|вернёмся|возвра\S+|с возвращением)[^.!?\n]{0,40}$/i
/** Words before the last day of absence, with at most two more words in between. */
const untilWords =
  /(?<!\p{L})(?:until|till?|through|thru|to|and|end\w* on|bis(?: zum| einschl\w*)?|jusqu['’]?\w*|au|hasta|al|até|fino|tot(?: en met)?|t\/m|til|do|až|до|по)(?:\s+[\p{L}.,]{1,12}){0,2}\s*$|(?:[-–—~〜]|から)\s*$/iu

const month = `(${[...monthsByName.keys()].sort((a, b) => b.length - a.length).join('|')})(?!\\p{L})`
const ordinal = '(?:st|nd|rd|th|er|º|ª|\\.)?'
const datePattern = new RegExp(
  [
    String.raw`(\d{4})[-/.年](\d{1,2})[-/.月](\d{1,2})日?`,
    String.raw`(\d{1,2})月(\d{1,2})日`,
    String.raw`(?<!\d)(\d{1,2})[./](\d{1,2})(?:[./](\d{4}|\d{2}(?!\d)))?`,
    String.raw`(?<!\d)(\d{1,2})${ordinal}(?: (?:of|de|di))? {0,2}${month}\.?(?:,? (?:de |del )?(\d{4}))?`,
    String.raw`(?<!\p{L})${month}\.? (\d{1,2})${ordinal}(?: ?[-–—] ?(\d{1,2})${ordinal})?(?:,? (\d{4}))?`,
  ].join('|'),
  'giu',
)
/** The end of a sentence, which the dot after a day is not: "bis 4. Januar". */
const sentenceEnd = /\n|(?<!(?<!\d)\d{1,2})[.!?]\s+\P{Ll}/u

const monthPattern = new RegExp(
  String.raw`(?<!\p{L})(in|im|from|until|after|by|ab|nach|en|à partir de|em|w|od|в|с|после) ${month}(?: (\d{4}))?(?![\p{L}\d])`,
  'gu',
)

const dayMs = 86_400_000
const maxText = 4_000
const maxAbsenceDays = 400
/**
 * Maximum number of days ahead for a date without a year. A date further ahead more likely lies in the past three
 * months and belongs to an automatic reply that was never turned off.
 */
const maxYearlessDays = 275

type Day = { year?: number; month: number; day: number; isRange?: boolean }

/**
 * Finds the day of return in an out-of-office reply, at midnight UTC; returns undefined when there is none or it is
 * ambiguous. `arrivedAt` is used when the email has no date.
 */
export function findReturnDate(
  mail: Pick<ParsedEmail, 'subject' | 'bodyText' | 'newText' | 'headers' | 'date'>,
  arrivedAt: Date,
): Date | undefined {
  const sentAt = (mail.date ?? arrivedAt).getTime()
  const criteria = mail.headers.get('x-apple-criteria')?.[0] ?? ''
  const byHeader = Date.parse(/\bendDate=([\dT:.Z+-]{10,30})/.exec(criteria)?.[1] ?? '')
  // The header has midnight in the sender's time zone.
  if (isPlausible(byHeader, sentAt)) return new Date(Math.round(byHeader / dayMs) * dayMs)
  const text = `${mail.subject}\n${mail.newText || mail.bodyText}`.slice(0, maxText)
  // The first last day of absence, or a later one in its sentence; other sentences may be about other events.
  let last: { at: number; end: number } | undefined
  for (const match of text.matchAll(datePattern)) {
    const day = parseDay(match)
    if (!day) continue
    const before = text.slice(Math.max(0, match.index - 60), match.index)
    const at = toInstant(day, sentAt)
    if (!isPlausible(at, sentAt, day.year ? maxAbsenceDays : maxYearlessDays)) continue
    if (!day.isRange && returnWords.test(before) && !untilWords.test(before)) return new Date(at)
    if (!day.isRange && !untilWords.test(before)) continue
    if (last && sentenceEnd.test(text.slice(last.end, match.index + 1))) continue
    const end = match.index + match[0].replace(/\.$/, '').length
    last = { at: Math.max(last?.at ?? 0, at), end }
  }
  return last && new Date(last.at + dayMs)
}

/** Finds the first future day in a text, at midnight UTC. A month alone means the first day of that month. */
export function findFutureDay(text: string, sentAt: Date): Date | undefined {
  const lowerText = text.slice(0, maxText).toLowerCase()
  const at = sentAt.getTime()
  const days = [...lowerText.matchAll(datePattern)].flatMap(match => parseDay(match) ?? [])
  const months = [...lowerText.matchAll(monthPattern)].map(([, , name = '', year]) => ({
    month: monthsByName.get(name)!,
    day: 1,
    ...(year && { year: Number(year) }),
  }))
  for (const day of [...days, ...months]) {
    const instant = toInstant(day, at)
    if (instant > at && isPlausible(instant, at)) return new Date(instant)
  }
  return undefined
}

const isPlausible = (at: number, sentAt: number, maxDays = maxAbsenceDays): boolean =>
  at > sentAt - dayMs && at < sentAt + maxDays * dayMs

function parseDay(match: RegExpExecArray): Day | undefined {
  const [, y1, m1, d1, m2, d2, a, b, y3, d4, name4 = '', y4, name5 = '', d5, last5, y5] = match
  if (y1) return validateDay({ year: Number(y1), month: Number(m1), day: Number(d1) })
  if (m2) return validateDay({ month: Number(m2), day: Number(d2) })
  if (a && b) return parseNumericDay(Number(a), Number(b), match[0].includes('/'), y3)
  const month = monthsByName.get((name4 || name5).toLowerCase())
  if (!month) return undefined
  const year = Number(y4 ?? y5) || undefined
  return validateDay({
    month,
    day: Number(d4 ?? last5 ?? d5),
    ...(year && { year }),
    ...(last5 && { isRange: true }),
  })
}

/** Parses a day in digits: 5.6. is the fifth of June; 5/6 is ambiguous and ignored. */
function parseNumericDay(first: number, second: number, hasSlash: boolean, year?: string): Day | undefined {
  if (!year && !hasSlash && first > 31) return undefined
  const isMonthFirst = hasSlash && second > 12
  if (hasSlash && first <= 12 && second <= 12 && first !== second) return undefined
  const [day, month] = isMonthFirst ? [second, first] : [first, second]
  const fullYear = year === undefined ? undefined : Number(year.length === 2 ? `20${year}` : year)
  return validateDay({ month, day, ...(fullYear && { year: fullYear }) })
}

const validateDay = (day: Day): Day | undefined =>
  day.month >= 1 && day.month <= 12 && day.day >= 1 && day.day <= 31 ? day : undefined

/** Returns midnight UTC of a day. Without a year, this is the next such day. */
function toInstant({ year, month, day }: Day, sentAt: number): number {
  if (year) return Date.UTC(year, month - 1, day)
  const at = Date.UTC(new Date(sentAt).getUTCFullYear(), month - 1, day)
  return at > sentAt - dayMs ? at : Date.UTC(new Date(sentAt).getUTCFullYear() + 1, month - 1, day)
}
