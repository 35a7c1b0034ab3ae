import { z } from 'zod'
import { invalid } from '../../kernel/errors.ts'
import { rejectTooManyValues } from '../../kernel/text/reject-too-many-values.ts'
import { stripHidden } from '../../kernel/text/strip-hidden.ts'
import type { CallEvent, TranscriptTurn } from './provider.ts'

// Provider reports are untrusted and of any shape. The schemas truncate long values, and treat malformed fields as
// absent, so that one odd field does not hide the end of a call.

/**
 * Maximum number of JSON values in a report. It is large because some providers report the time of each word, twice.
 */
const MAX_VALUES = 300_000
const MAX_TURNS = 2_000
const MAX_TURN_LENGTH = 4_000
const MAX_TRANSCRIPT_LENGTH = 400_000
const MAX_DATA_BYTES = 32 * 1024
const MAX_DATA_DEPTH = 32
const MAX_CALL_SECONDS = 7 * 86_400

const clean = (text: string): string => stripHidden(text).toWellFormed()

/** Only this multiple of a text's maximum length is cleaned: cleaning a whole report could block the event loop. */
const CLEANED_FACTOR = 4

/** Returns the beginning of the text, cleaned for storage. */
const cleanBeginning = (text: string, maxLength: number): string =>
  clean(text.slice(0, CLEANED_FACTOR * maxLength))
    .trim()
    .slice(0, maxLength)
    .toWellFormed()

export const reportedText = (maxLength: number) =>
  z
    .string()
    .transform(text => cleanBeginning(text, maxLength) || undefined)
    .optional()
    .catch(undefined)

/** Parses the body of an authenticated message. Throws ValidationError, which the sender sees. */
export function parseSignedBody<T extends z.ZodType>(schema: T, body: string): z.output<T> {
  rejectTooManyValues(body, MAX_VALUES)
  let json: unknown
  try {
    json = JSON.parse(body)
  } catch {
    throw invalid('', 'The body must be JSON.')
  }
  const parsed = schema.safeParse(json)
  if (parsed.success) return parsed.data
  const [issue] = parsed.error.issues
  throw invalid(issue!.path.join('.'), issue!.message)
}

/** A time between 2000 and 2100, as ISO text or milliseconds. */
export const reportedTime = z
  .union([z.string().max(64), z.number()])
  .transform(value => new Date(value))
  .refine(date => date.getTime() > Date.UTC(2000) && date.getTime() < Date.UTC(2100))
  .nullish()
  .catch(undefined)

/** An amount of money within the bounds of its column. */
export const reportedAmount = z.number().min(0).max(99_999_999).optional().catch(undefined)

export const reportedRecord = z.record(z.string(), z.unknown()).optional().catch(undefined)

/** Returns a schema for a list; items of another shape are dropped. */
export const reportedList = <T extends z.ZodType>(item: T) =>
  z
    .array(z.unknown())
    .transform(list =>
      list.slice(0, 2 * MAX_TURNS).flatMap(value => {
        const parsed = item.safeParse(value)
        return parsed.success ? [parsed.data] : []
      }),
    )
    .optional()
    .catch(undefined)

/** Returns extracted data that can be stored; undefined when there is none or too much. */
export function toStorableData(
  data: Record<string, unknown> | undefined,
): Record<string, unknown> | undefined {
  if (!data || Object.keys(data).length === 0 || !fitsLimits(data)) return undefined
  const text = JSON.stringify(data, (_key, value) => cleanData(value))
  return Buffer.byteLength(text) <= MAX_DATA_BYTES ? JSON.parse(text) : undefined
}

/** Reports whether the data is shallow and small enough to be serialized. */
function fitsLimits(data: object): boolean {
  let remaining = MAX_DATA_BYTES / 2
  const fits = (value: unknown, depth: number): boolean => {
    remaining -= 1
    if (remaining < 0 || depth > MAX_DATA_DEPTH) return false
    if (typeof value !== 'object' || value === null) return true
    return Object.values(value).every(child => fits(child, depth + 1))
  }
  return fits(data, 0)
}

function cleanData(value: unknown): unknown {
  if (typeof value === 'string') return clean(value)
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(value).map(([key, child]) => [clean(key), child]))
    : value
}

/** Returns a bounded transcript in chronological order. */
function toStorableTranscript(turns: TranscriptTurn[] | undefined): TranscriptTurn[] | undefined {
  let remaining = MAX_TRANSCRIPT_LENGTH
  const result: TranscriptTurn[] = []
  for (const { role, text, at } of (turns ?? []).toSorted((a, b) => a.at - b.at)) {
    const spoken = cleanBeginning(text, Math.min(MAX_TURN_LENGTH, remaining))
    if (!spoken) continue
    if (result.length >= MAX_TURNS) break
    remaining -= spoken.length
    result.push({ role, text: spoken, at: Math.round(Math.min(at, MAX_CALL_SECONDS) * 10) / 10 })
  }
  return result.length > 0 ? result : undefined
}

/** A URL. Its host is checked when the URL is fetched. */
export const reportedUrl = z.url({ normalize: true }).max(2_000).optional().catch(undefined)

type EndOfCall = Extract<CallEvent, { type: 'end-of-call' }>

/** Infers the outcome when the provider's reason is inconclusive: a call in which the person spoke was answered. */
export const inferOutcome = (transcript: TranscriptTurn[] | undefined): EndOfCall['outcome'] =>
  transcript?.some(({ role }) => role === 'person') ? 'answered' : 'failed'

/** Returns true when the provider's own analysis found that the person does not want further calls. */
const reportsOptOut = (data: Record<string, unknown> | undefined): boolean =>
  [data?.doNotCall, data?.do_not_call].includes(true)

/** Builds the end-of-call event, with times and duration that match its outcome. */
export function toEndOfCall(end: Omit<EndOfCall, 'type' | 'durationSeconds' | 'reason'>): EndOfCall {
  const wasConnected = end.outcome === 'answered' || end.outcome === 'voicemail'
  const seconds =
    wasConnected && end.startedAt ? (end.endedAt.getTime() - end.startedAt.getTime()) / 1000 : undefined
  return {
    ...end,
    type: 'end-of-call',
    startedAt: wasConnected ? end.startedAt : undefined,
    durationSeconds: wasConnected
      ? seconds && Math.min(MAX_CALL_SECONDS, Math.max(0, Math.round(seconds)))
      : 0,
    reason: end.outcome === 'failed' ? end.endReason : undefined,
    transcript: toStorableTranscript(end.transcript),
    extractedData: toStorableData(end.extractedData),
    isOptOut: reportsOptOut(end.extractedData),
  }
}
