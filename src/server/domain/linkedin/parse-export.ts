import { createHash } from 'node:crypto'
import { invalid } from '../../kernel/errors.ts'
import { toByteChunks } from '../../protocols/csv/import-entries.ts'
import { openCsv } from '../../protocols/csv/open-csv.ts'
import { canonicalLinkedin } from '../../protocols/identity/linkedin.ts'
import { FROM_EXPORT } from '../messages/record-linkedin-message.ts'

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
export async function readExport(
  csv: string,
  ownUrl: string,
): Promise<{ messages: ExportedMessage[]; invalid: number }> {
  const others = new Map<string, Set<string>>()
  const read: Message[] = []
  let total = 0
  for await (const row of rowsOf(csv)) {
    total += 1
    const urls = [
      row['SENDER PROFILE URL'],
      ...(row['RECIPIENT PROFILE URLS'] ?? '').split(',', maxRecipients),
    ]
      .flatMap(url => canonicalLinkedin(url ?? '') ?? [])
      .filter(url => url !== ownUrl)
    const id = row['CONVERSATION ID']?.trim() ?? ''
    const known = others.get(id) ?? new Set()
    // Two are a group already.
    for (const url of urls) if (known.size < 2) known.add(url)
    if (known.size > 0) others.set(id, known)
    const message = readMessage(row, ownUrl)
    if (message) read.push(message)
  }
  const messages = read.map(message => {
    const [personUrl, ...more] = others.get(message.conversationId) ?? []
    return { ...message, personUrl: more.length === 0 ? personUrl : undefined }
  })
  return { messages, invalid: total - messages.length }
}

const maxRecipients = 100

/** By the name of the column; nothing of a row that can't be read. */
type Row = Record<string, string | undefined>
type Message = Omit<ExportedMessage, 'personUrl'>

async function* rowsOf(csv: string): AsyncGenerator<Row> {
  const nameOf = (cell: string) => cell.trim().toUpperCase()
  const { header, records, close } = await openCsv(toByteChunks(csv), {
    countNames: cells => cells.filter(cell => needed.includes(nameOf(cell))).length,
  })
  const names = header?.map(nameOf) ?? []
  const missing = needed.filter(name => !names.includes(name))
  if (missing.length > 0) {
    await close()
    throw invalid('csv', `has no column ${missing.join(', ')}. Take messages.csv as LinkedIn exports it.`)
  }
  for await (const record of records) {
    if (record.error !== undefined) yield {}
    else if (record.cells.some(cell => cell.trim()))
      yield Object.fromEntries(names.map((name, index) => [name, record.cells[index]]))
  }
}

function readMessage(row: Row, ownUrl: string): Message | undefined {
  const [conversationId, text] = [row['CONVERSATION ID']?.trim(), row.CONTENT?.trim()]
  const senderUrl = canonicalLinkedin(row['SENDER PROFILE URL'] ?? '')
  const happenedAt = readDate(row.DATE)
  if (!conversationId || !text || !senderUrl || !happenedAt) return undefined
  const name = [conversationId, happenedAt.toISOString(), senderUrl, text].join('\0')
  return {
    conversationId,
    messageId: FROM_EXPORT + createHash('sha256').update(name).digest('base64url').slice(0, 22),
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
