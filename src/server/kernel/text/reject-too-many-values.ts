import { invalid } from '../errors.ts'

/** No operation needs more than a few thousand values; parsing megabytes of `1,1,1` would block the event loop. */
const MAX_VALUES = 20_000
/** Parsing a new name takes several times as long as parsing a repeated one. */
const MAX_NAMES = 10_000

const [QUOTE, BACKSLASH, COMMA, COLON, BRACKET, BRACE] = Array.from('"\\,:[{', character =>
  character.charCodeAt(0),
)

/** Rejects JSON with too many values or distinct names to parse quickly. Invalid JSON may pass. */
export function rejectTooManyValues(json: string, max = MAX_VALUES): void {
  let count = 0
  let [start, end] = [0, 0]
  const names = new Set<string>()
  for (let at = 0; at < json.length; at += 1) {
    const code = json.charCodeAt(at)
    if (code === QUOTE) {
      start = at
      at = findStringEnd(json, at)
      end = at
    } else if (code === COMMA || code === COLON || code === BRACKET || code === BRACE) count += 1
    if (code === COLON && start < end) {
      names.add(json.slice(start, end))
      start = end
    }
    if (names.size > MAX_NAMES) throw invalid('', `The JSON has more than ${MAX_NAMES} distinct names.`)
    if (count > max) throw invalid('', `The JSON has more than ${max} names and values.`)
  }
}

function findStringEnd(json: string, start: number): number {
  for (let at = json.indexOf('"', start + 1); at !== -1; at = json.indexOf('"', at + 1)) {
    let backslashes = 0
    while (json.charCodeAt(at - 1 - backslashes) === BACKSLASH) backslashes += 1
    if (backslashes % 2 === 0) return at
  }
  return json.length
}
