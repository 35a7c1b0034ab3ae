import { invalid } from '../errors.ts'

const MAX_DEPTH = 32
/** Names that reach an object's prototype in code that copies fields carelessly. */
const prototypeNames = ['__proto__', 'constructor', 'prototype']
/** Unicode itself wants no more than 30 (UAX #15, stream-safe text): normalizing many takes quadratic time. */
const MAX_MARKS = 30
/** No match is longer than it takes to tell, so that a heap of millions costs no more than one of 31. */
const heapsOfMarks = new RegExp(`\\p{M}{8,${MAX_MARKS + 1}}`, 'gu')

/**
 * Refuses what neither JSON's other readers nor PostgreSQL can hold: NUL, half surrogate pairs, nesting without end.
 * Also refuses heaps of combining marks, which cost more than any writing needs, and the names that stand for an
 * object's prototype.
 */
export function rejectUnsafeText(value: unknown, path = '', depth = 0): void {
  if (typeof value === 'string') {
    if (value.includes('\0')) throw invalid(path, 'holds a NUL character')
    if (!value.isWellFormed()) throw invalid(path, 'holds half of a surrogate pair, which is no text')
    if (hasHeapOfMarks(value)) throw invalid(path, `has more than ${MAX_MARKS} combining marks in a row`)
  } else if (typeof value === 'object' && value !== null) {
    if (depth > MAX_DEPTH) throw invalid(path, `is nested deeper than ${MAX_DEPTH} levels`)
    for (const [key, child] of Object.entries(value)) {
      refusePrototypeName(key, path)
      rejectUnsafeText(key, path, depth)
      rejectUnsafeText(child, under(path, key), depth + 1)
    }
  }
}

/** Refuses those names alone, before a library drops them in silence. Leaves what is nested too deep to the other check. */
export function rejectPrototypeNames(value: unknown, path = '', depth = 0): void {
  if (typeof value !== 'object' || value === null || depth > 2 * MAX_DEPTH) return
  for (const [key, child] of Object.entries(value)) {
    refusePrototypeName(key, path)
    rejectPrototypeNames(child, under(path, key), depth + 1)
  }
}

function refusePrototypeName(key: string, path: string): void {
  if (prototypeNames.includes(key)) throw invalid(under(path, key), 'is not an allowed name')
}

const under = (path: string, key: string): string => (path ? `${path}.${key}` : key)

function hasHeapOfMarks(text: string): boolean {
  // Nothing below U+0300 combines.
  if (!/[^\0-\u02ff]/.test(text)) return false
  for (const [{ length }] of text.matchAll(heapsOfMarks)) if (length > MAX_MARKS) return true
  return false
}
