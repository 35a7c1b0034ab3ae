import { invalid } from './errors.ts'

const MAX_DEPTH = 32

/**
 * Refuses what neither JSON's other readers nor PostgreSQL can hold: NUL, half surrogate pairs, nesting without end.
 */
export function refuseHostileText(value: unknown, path = '', depth = 0): void {
  if (typeof value === 'string') {
    if (value.includes('\0')) throw invalid(path, 'holds a NUL character')
    if (!value.isWellFormed()) throw invalid(path, 'holds half of a surrogate pair, which is no text')
  } else if (typeof value === 'object' && value !== null) {
    if (depth > MAX_DEPTH) throw invalid(path, `is nested deeper than ${MAX_DEPTH} levels`)
    for (const [key, child] of Object.entries(value)) {
      refuseHostileText(key, path, depth)
      refuseHostileText(child, path ? `${path}.${key}` : key, depth + 1)
    }
  }
}
