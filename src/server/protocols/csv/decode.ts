import { isAscii } from 'node:buffer'
import { detectUnicode, isMostlyValid, isWorkbook, nonWestern } from '../../../contract/csv-encoding.ts'
import { invalid } from '../../kernel/errors.ts'

const BLOCK_BYTES = 64 * 1024

/**
 * Decodes a CSV file, block by block. Without a given encoding, detects Unicode by the byte order mark, and UTF-16 also
 * by its zero bytes. Other files are read as ASCII up to the first block with non-ASCII bytes, which decides between
 * UTF-8 and Windows-1252. Invalid bytes become U+FFFD, so that the reader rejects their row.
 */
export async function* decodeCsv(
  stream: AsyncIterable<Uint8Array>,
  encoding?: string,
): AsyncGenerator<string> {
  let decoder = encoding === undefined ? undefined : createDecoder(encoding)
  let rest = Buffer.alloc(0)
  let isFirst = true
  for await (const block of toBlocks(stream)) {
    if (isFirst) {
      rejectWorkbook(block)
      decoder ??= createUnicodeDecoder(block)
      isFirst = false
    }
    const bytes = Buffer.concat([rest, block])
    rest = Buffer.alloc(0)
    if (!decoder) {
      const complete = block.length < BLOCK_BYTES ? bytes : bytes.subarray(0, findIncompleteCharacter(bytes))
      if (isAscii(complete)) {
        rest = bytes.subarray(complete.length)
        yield complete.toString('latin1')
        continue
      }
      decoder = createTextDecoder(complete)
    }
    yield decoder.decode(bytes, { stream: true })
  }
  yield decoder ? decoder.decode() : createTextDecoder(rest).decode(rest)
}

/** Regroups chunks into blocks of equal size; only the last may be smaller. */
async function* toBlocks(stream: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer> {
  let parts: Uint8Array[] = []
  let size = 0
  for await (const chunk of stream) {
    for (let at = 0; at < chunk.length; ) {
      const part = chunk.subarray(at, at + BLOCK_BYTES - size)
      parts.push(part)
      at += part.length
      size += part.length
      if (size < BLOCK_BYTES) continue
      yield Buffer.concat(parts)
      parts = []
      size = 0
    }
  }
  if (size > 0) yield Buffer.concat(parts)
}

function createDecoder(encoding: string): TextDecoder {
  try {
    return new TextDecoder(encoding)
  } catch (error) {
    if (error instanceof RangeError) throw invalid('encoding', 'must be a known encoding')
    throw error
  }
}

function createUnicodeDecoder(start: Buffer): TextDecoder | undefined {
  const unicode = detectUnicode(start)
  return unicode && new TextDecoder(unicode)
}

/** Returns a decoder for UTF-8 or Windows-1252, as these bytes suggest. */
const createTextDecoder = (bytes: Buffer): TextDecoder =>
  isMostlyValid(bytes.toString('utf8')) ? new TextDecoder('utf-8') : createWesternDecoder(bytes)

function createWesternDecoder(bytes: Buffer): TextDecoder {
  if (nonWestern.test(new TextDecoder('windows-1252').decode(bytes)))
    throw invalid(
      'encoding',
      'The text is neither Unicode nor Windows-1252. Save the file as CSV UTF-8, or specify its encoding',
    )
  return new TextDecoder('windows-1252')
}

/** Returns the start of the last UTF-8 character if the next block may complete it, else the end of the bytes. */
function findIncompleteCharacter(bytes: Buffer): number {
  for (let back = 1; back <= 3 && back <= bytes.length; back++) {
    const byte = bytes[bytes.length - back]!
    if (byte >= 0xc0) return bytes.length - back
    if (byte < 0x80) break
  }
  return bytes.length
}

function rejectWorkbook(start: Buffer): void {
  if (isWorkbook(start))
    throw invalid(
      '',
      'The file is a workbook or an archive, not a CSV file. Save it as CSV (UTF-8) and try again',
    )
}
