import { invalid } from '../errors.ts'

const MAX_DEPTH = 32
/** Names that reach an object's prototype when code copies fields carelessly. */
const prototypeNames = ['__proto__', 'constructor', 'prototype']
/** The limit of Unicode's stream-safe text format (UAX #15): normalizing long runs takes quadratic time. */
const MAX_MARKS = 30
/** Matches stop at 31 marks, so that a run of millions costs no more. */
const markRuns = new RegExp(`\\p{M}{8,${MAX_MARKS + 1}}`, 'gu')

/**
 * Rejects values that PostgreSQL or other JSON parsers can't represent: NUL, lone surrogates and deep nesting. Also
 * rejects long runs of combining marks, which no language needs, and names that reach an object's prototype.
 */
export function rejectUnsafeText(value: unknown, path = '', depth = 0): void {
  if (typeof value === 'string') {
    if (value.includes('\0')) throw invalid(path, 'must not contain NUL characters')
    if (!value.isWellFormed()) throw invalid(path, 'must not contain lone surrogates')
    if (hasTooManyMarks(value))
      throw invalid(path, `must not have more than ${MAX_MARKS} combining marks in a row`)
  } else if (typeof value === 'object' && value !== null) {
    if (depth > MAX_DEPTH) throw invalid(path, `must not be nested deeper than ${MAX_DEPTH} levels`)
    for (const [key, child] of Object.entries(value)) {
      rejectPrototypeName(key, path)
      rejectUnsafeText(key, path, depth)
      rejectUnsafeText(child, joinPath(path, key), depth + 1)
    }
  }
}

/**
 * Rejects prototype names before a library drops them silently. Doesn't search values nested too deeply, which
 * `rejectUnsafeText` rejects.
 */
export function rejectPrototypeNames(value: unknown, path = '', depth = 0): void {
  if (typeof value !== 'object' || value === null || depth > 2 * MAX_DEPTH) return
  for (const [key, child] of Object.entries(value)) {
    rejectPrototypeName(key, path)
    rejectPrototypeNames(child, joinPath(path, key), depth + 1)
  }
}

function rejectPrototypeName(key: string, path: string): void {
  if (prototypeNames.includes(key)) throw invalid(joinPath(path, key), 'must not be used as a name')
}

const joinPath = (path: string, key: string): string => (path ? `${path}.${key}` : key)

function hasTooManyMarks(text: string): boolean {
  // Nothing below U+0300 combines.
  if (!/[^\0-\u02ff]/.test(text)) return false
  for (const [{ length }] of text.matchAll(markRuns)) if (length > MAX_MARKS) return true
  return false
}
