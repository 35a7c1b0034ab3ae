import { createHash } from 'node:crypto'
import { CsvError, parse } from 'csv-parse/sync'
import { invalid } from '../errors.ts'
import { canonicalLinkedin } from '../identity/linkedin.ts'
import { FROM_EXPORT } from '../inbox/record-linkedin-message.ts'

export type ExportedMessage = {
  conversationId: string
  messageId: string
  /** The canonical address of the other one's profile; undefined of nobody known, or of a group. */
  personUrl: string | undefined
  type: 'manual' | 'received'
  text: string
  happenedAt: Date
}

const needed = ['CONVERSATION ID', 'FROM', 'SENDER PROFILE URL', 'DATE', 'CONTENT']

/**
 * The messages of `messages.csv` as LinkedIn gives it to its members (columns of 2021 to 2026; exports before 2021 have no
 * column RECIPIENT PROFILE URLS). `ownUrl` tells what the rep wrote. `invalid` counts rows without what a message needs.
 */
export function readExport(csv: string, ownUrl: string): { messages: ExportedMessage[]; invalid: number } {
  const rows = parseRows(csv)
  const others = new Map<string, Set<string>>()
  for (const row of rows) {
    const inRow = [row['SENDER PROFILE URL'], ...(row['RECIPIENT PROFILE URLS'] ?? '').split(',')]
    const urls = inRow.flatMap(url => canonicalLinkedin(url ?? '') ?? []).filter(url => url !== ownUrl)
    const known = others.get(row['CONVERSATION ID'] ?? '') ?? new Set()
    others.set(row['CONVERSATION ID'] ?? '', known.union(new Set(urls)))
  }
  const messages = rows.flatMap(row => {
    const [personUrl, ...more] = others.get(row['CONVERSATION ID'] ?? '') ?? []
    return readMessage(row, ownUrl, more.length === 0 ? personUrl : undefined) ?? []
  })
  return { messages, invalid: rows.length - messages.length }
}

type Row = Record<string, string | undefined>

function parseRows(csv: string): Row[] {
  try {
    const rows: Row[] = parse(csv, {
      bom: true,
      columns: (header: string[]) => header.map(name => name.trim().toUpperCase()),
      relax_column_count: true,
      relax_quotes: true,
      skip_empty_lines: true,
      max_record_size: 1_000_000,
    })
    const header = Object.keys(rows[0] ?? {})
    const missing = rows.length > 0 ? needed.filter(name => !header.includes(name)) : []
    if (missing.length === 0) return rows
    throw invalid('csv', `has no column ${missing.join(', ')}. Take messages.csv as LinkedIn exports it.`)
  } catch (fault) {
    if (fault instanceof CsvError) throw invalid('csv', `cannot be read: ${fault.message}`)
    throw fault
  }
}

function readMessage(row: Row, ownUrl: string, personUrl: string | undefined): ExportedMessage | undefined {
  const [conversationId, text] = [row['CONVERSATION ID']?.trim(), row.CONTENT?.trim()]
  const senderUrl = canonicalLinkedin(row['SENDER PROFILE URL'] ?? '')
  const happenedAt = readDate(row.DATE)
  if (!conversationId || !text || !senderUrl || !happenedAt) return undefined
  const name = [conversationId, happenedAt.toISOString(), senderUrl, text].join('\0')
  return {
    conversationId,
    messageId: FROM_EXPORT + createHash('sha256').update(name).digest('base64url').slice(0, 22),
    personUrl,
    type: senderUrl === ownUrl ? 'manual' : 'received',
    text,
    happenedAt,
  }
}

/** As in `2026-11-02 09:30:11 UTC`. */
function readDate(text: string | undefined): Date | undefined {
  const [, day, time] =
    /^(\d{4}-\d\d-\d\d)[ T](\d\d:\d\d(?::\d\d)?)(?: UTC|Z)?$/.exec(text?.trim() ?? '') ?? []
  const at = day && new Date(`${day}T${time}Z`)
  return at && !Number.isNaN(at.getTime()) ? at : undefined
}
