import { createHash } from 'node:crypto'
import { invalid } from '../../kernel/errors.ts'
import { toByteChunks } from '../../protocols/csv/import-entries.ts'
import { openCsv } from '../../protocols/csv/open-csv.ts'
import { canonicalLinkedin } from '../../protocols/identity/linkedin.ts'
import { EXPORT_ID_PREFIX } from '../messages/record-linkedin-message.ts'

export type ExportedMessage = {
  conversationId: string
  messageId: string
  /** Canonical profile URL of the other participant; undefined when unknown or in a group. */
  personUrl: string | undefined
  type: 'manual' | 'received'
  text: string
  happenedAt: Date
}

const requiredColumns = ['CONVERSATION ID', 'FROM', 'SENDER PROFILE URL', 'DATE', 'CONTENT']

/**
 * Parses `messages.csv` as exported by LinkedIn (columns of 2021 to 2026; exports before 2021 have no column RECIPIENT
 * PROFILE URLS). Messages from `ownUrl` are the rep’s own. `invalid` counts rows that lack a required field.
 */
export async function parseExport(
  csv: string,
  ownUrl: string,
): Promise<{ messages: ExportedMessage[]; invalid: number }> {
  const others = new Map<string, Set<string>>()
  const parsed: Message[] = []
  let total = 0
  for await (const row of parseRows(csv)) {
    total += 1
    const urls = [
      row['SENDER PROFILE URL'],
      ...(row['RECIPIENT PROFILE URLS'] ?? '').split(',', MAX_RECIPIENTS),
    ]
      .flatMap(url => canonicalLinkedin(url ?? '') ?? [])
      .filter(url => url !== ownUrl)
    const id = row['CONVERSATION ID']?.trim() ?? ''
    const participants = others.get(id) ?? new Set()
    // A conversation with two other participants is a group, so further ones need not be stored.
    for (const url of urls) if (participants.size < 2) participants.add(url)
    if (participants.size > 0) others.set(id, participants)
    const message = parseMessage(row, ownUrl)
    if (message) parsed.push(message)
  }
  const messages = parsed.map(message => {
    const [personUrl, ...more] = others.get(message.conversationId) ?? []
    return { ...message, personUrl: more.length === 0 ? personUrl : undefined }
  })
  return { messages, invalid: total - messages.length }
}

const MAX_RECIPIENTS = 100

/** Cells by column name; empty for a row that can’t be parsed. */
type Row = Record<string, string | undefined>
type Message = Omit<ExportedMessage, 'personUrl'>

async function* parseRows(csv: string): AsyncGenerator<Row> {
  const toColumnName = (cell: string) => cell.trim().toUpperCase()
  const { header, records, close } = await openCsv(toByteChunks(csv), {
    countNames: cells => cells.filter(cell => requiredColumns.includes(toColumnName(cell))).length,
  })
  const names = header?.map(toColumnName) ?? []
  const missing = requiredColumns.filter(name => !names.includes(name))
  if (missing.length > 0) {
    await close()
    throw invalid('csv', `has no column ${missing.join(', ')}. Use messages.csv as exported by LinkedIn.`)
  }
  for await (const record of records) {
    if (record.error !== undefined) yield {}
    else if (record.cells.some(cell => cell.trim()))
      yield Object.fromEntries(names.map((name, index) => [name, record.cells[index]]))
  }
}

function parseMessage(row: Row, ownUrl: string): Message | undefined {
  const [conversationId, text] = [row['CONVERSATION ID']?.trim(), row.CONTENT?.trim()]
  const senderUrl = canonicalLinkedin(row['SENDER PROFILE URL'] ?? '')
  const happenedAt = parseDate(row.DATE)
  if (!conversationId || !text || !senderUrl || !happenedAt) return undefined
  const key = [conversationId, happenedAt.toISOString(), senderUrl, text].join('\0')
  return {
    conversationId,
    messageId: EXPORT_ID_PREFIX + createHash('sha256').update(key).digest('base64url').slice(0, 22),
    type: senderUrl === ownUrl ? 'manual' : 'received',
    text,
    happenedAt,
  }
}

/** Parses a date such as `2026-11-02 09:30:11 UTC`. */
function parseDate(text: string | undefined): Date | undefined {
  const [, day, time] =
    /^(\d{4}-\d\d-\d\d)[ T](\d\d:\d\d(?::\d\d)?)(?: UTC|Z)?$/.exec(text?.trim() ?? '') ?? []
  const at = day && new Date(`${day}T${time}Z`)
  return at && !Number.isNaN(at.getTime()) ? at : undefined
}
