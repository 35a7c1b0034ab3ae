/** Values of `Name: value` lines by lower-case name. */
export type Fields = ReadonlyMap<string, readonly string[]>

const MAX_BLOCKS = 1_000

/** Parses the header-like blocks of a report (RFC 3464 section 2.1), unfolded; other lines are ignored. */
export function parseFieldBlocks(text: string): Fields[] {
  return text
    .replace(/\r\n?/g, '\n')
    .split(/\n(?:[ \t]*\n)+/, MAX_BLOCKS)
    .map(parseFields)
    .filter(fields => fields.size > 0)
}

function parseFields(block: string): Fields {
  const fields = new Map<string, string[]>()
  let latest: string[] | undefined
  for (const line of block.split('\n')) {
    const [, name, value = ''] = /^([!-9;-~]{1,80})[ \t]{0,9}:(.*)$/.exec(line) ?? []
    if (name) {
      latest = fields.get(name.toLowerCase()) ?? []
      fields.set(name.toLowerCase(), latest)
      latest.push(value.trim())
    } else if (latest && /^[ \t]/.test(line)) {
      latest.push(`${latest.pop()} ${line.trim()}`)
    } else {
      latest = undefined
    }
  }
  return fields
}
