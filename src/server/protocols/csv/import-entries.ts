import { setImmediate as yieldToEventLoop } from 'node:timers/promises'

const CHUNK_ROWS = 1_000
const MAX_ISSUES = 1_000

/** A parsed CSV file: each row has entries, an error, or both if only a part of it can be read. */
type EntryFile<Entry, Field extends string> = {
  columns: readonly { name: string; field: Field }[]
  ignored: string[]
  rows: AsyncIterable<{ line: number; entries?: readonly Entry[]; error?: string | undefined }>
}

type Imported<Field extends string> = {
  total: number
  invalid: number
  columns: Record<string, Field>
  ignoredColumns: string[]
  issues: { line: number; reason: string }[]
}

const BLOCK_LENGTH = 64 * 1024

/** Streams the CSV text of a request, yielding to other requests between chunks. */
export async function* toByteChunks(text: string): AsyncGenerator<Uint8Array> {
  const bytes = Buffer.from(text)
  for (let at = 0; at < bytes.length; at += BLOCK_LENGTH) {
    yield bytes.subarray(at, at + BLOCK_LENGTH)
    await yieldToEventLoop()
  }
}

/** Stores entries in chunks and sums up the counts that `store` returns, starting from `zeroCounts`. */
export async function importEntries<
  Entry,
  Field extends string,
  Stored extends { [name in keyof Stored]: number },
>(
  file: EntryFile<Entry, Field>,
  zeroCounts: Stored,
  store: (entries: Entry[]) => Promise<Stored>,
  onProgress?: (result: Imported<Field> & Stored) => void,
): Promise<Imported<Field> & Stored> {
  const result: Imported<Field> & Stored = {
    ...{ total: 0, invalid: 0 },
    ...zeroCounts,
    columns: Object.fromEntries(file.columns.map(({ name, field }) => [name, field])),
    ignoredColumns: file.ignored,
    issues: [],
  }
  let chunk: Entry[] = []
  const flush = async () => {
    const stored = await store(chunk)
    chunk = []
    for (const name of Object.keys(zeroCounts) as (keyof Stored)[])
      Object.assign(result, { [name]: result[name] + stored[name] })
    onProgress?.(result)
  }
  for await (const row of file.rows) {
    result.total += 1
    chunk.push(...(row.entries ?? []))
    if (row.error !== undefined) {
      result.invalid += 1
      if (result.issues.length < MAX_ISSUES) result.issues.push({ line: row.line, reason: row.error })
    }
    if (chunk.length >= CHUNK_ROWS) await flush()
  }
  if (chunk.length > 0) await flush()
  return result
}
