import { z } from 'zod'
import { invalid } from '../../kernel/errors.ts'
import { rejectTooManyValues } from '../../kernel/text/reject-too-many-values.ts'
import { stripHidden } from '../../kernel/text/strip-hidden.ts'
import type { CallEvent, TranscriptLine } from './provider.ts'

/**
 * Readers of what providers report: hostile and of any shape. What is malformed counts as absent, so that one odd
 * field costs no call its end; what is too long is cut.
 */
/** Some report the time of each word, twice. */
const MAX_VALUES = 300_000
const MAX_TURNS = 2_000
const MAX_TURN = 4_000
const MAX_TRANSCRIPT = 400_000
const MAX_DATA_BYTES = 32 * 1024
const MAX_DATA_DEPTH = 32
const LONGEST_CALL_SECONDS = 7 * 86_400

const clean = (text: string): string => stripHidden(text).toWellFormed()

export const reportedText = (maxLength: number) =>
  z
    .string()
    .transform(text => clean(text).trim().slice(0, maxLength).toWellFormed() || undefined)
    .optional()
    .catch(undefined)

/** The body of a message whose sender is proved. Says what is wrong with it to that sender. */
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

/** A moment of these decades, as ISO text or in milliseconds. */
export const reportedTime = z
  .union([z.string().max(64), z.number()])
  .transform(value => new Date(value))
  .refine(date => date.getTime() > Date.UTC(2000) && date.getTime() < Date.UTC(2100))
  .nullish()
  .catch(undefined)

/** An amount of money, as large as one that is stored can be. */
export const reportedNumber = z.number().min(0).max(99_999_999).optional().catch(undefined)

export const reportedRecord = z.record(z.string(), z.unknown()).optional().catch(undefined)

/** A list, of which only what has the shape is read. */
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

/** Extracted data as it can be stored; undefined when there is none, or too much. */
export function storableData(data: Record<string, unknown> | undefined): Record<string, unknown> | undefined {
  if (!data || Object.keys(data).length === 0 || !isStorable(data)) return undefined
  const text = JSON.stringify(data, (_key, value) => cleanData(value))
  return Buffer.byteLength(text) <= MAX_DATA_BYTES ? JSON.parse(text) : undefined
}

/** Whether it is worth writing as JSON: not nested too deep for that, and of no more values than there is room for. */
function isStorable(data: object): boolean {
  let room = MAX_DATA_BYTES / 2
  const fits = (value: unknown, depth: number): boolean => {
    room -= 1
    if (room < 0 || depth > MAX_DATA_DEPTH) return false
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

/** A transcript within bounds, in order of time. */
export function storableTranscript(lines: TranscriptLine[] | undefined): TranscriptLine[] | undefined {
  let room = MAX_TRANSCRIPT
  const kept: TranscriptLine[] = []
  for (const { role, text, at } of (lines ?? []).toSorted((a, b) => a.at - b.at)) {
    const said = clean(text).trim().slice(0, Math.min(MAX_TURN, room)).toWellFormed()
    if (!said) continue
    if (kept.length >= MAX_TURNS) break
    room -= said.length
    kept.push({ role, text: said, at: Math.round(Math.min(at, LONGEST_CALL_SECONDS) * 10) / 10 })
  }
  return kept.length > 0 ? kept : undefined
}

/** An https address as text; what it leads to is decided when it is fetched. */
export const reportedUrl = z.url({ normalize: true }).max(2_000).optional().catch(undefined)

type End = Extract<CallEvent, { type: 'end-of-call' }>

/** How a call ended of which the provider's word says nothing certain: with a person's words, it was answered. */
export const inferOutcome = (transcript: TranscriptLine[] | undefined): End['outcome'] =>
  transcript?.some(({ role }) => role === 'person') ? 'answered' : 'failed'

/** What the provider's own analysis may be told to look for: that the person wants no more calls. */
const heardOptOut = (data: Record<string, unknown> | undefined): boolean =>
  [data?.doNotCall, data?.do_not_call].includes(true)

/** The end of a call, with the times and the length that fit its outcome. */
export function toEndOfCall(end: Omit<End, 'type' | 'durationSeconds' | 'reason'>): End {
  const hasTalk = end.outcome === 'answered' || end.outcome === 'voicemail'
  const seconds =
    hasTalk && end.startedAt ? (end.endedAt.getTime() - end.startedAt.getTime()) / 1000 : undefined
  return {
    ...end,
    type: 'end-of-call',
    startedAt: hasTalk ? end.startedAt : undefined,
    durationSeconds: hasTalk
      ? seconds && Math.min(LONGEST_CALL_SECONDS, Math.max(0, Math.round(seconds)))
      : 0,
    reason: end.outcome === 'failed' ? end.endReason : undefined,
    transcript: storableTranscript(end.transcript),
    extractedData: storableData(end.extractedData),
    isOptOut: heardOptOut(end.extractedData),
  }
}
