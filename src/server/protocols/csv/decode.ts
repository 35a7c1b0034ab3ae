import { isAscii } from 'node:buffer'
import { detectUnicode, isMostlyValid, isWorkbook, nonWestern } from '../../../contract/csv-encoding.ts'
import { invalid } from '../../kernel/errors.ts'

const blockBytes = 64 * 1024

/**
 * The text of a CSV file, block by block. Without a named encoding a byte order mark decides; without that, UTF-16
 * shows in its zeros, and any other file counts as ASCII until its first byte beyond, where it proves to be UTF-8 or
 * is taken for Windows-1252. Bytes that turn out wrong become U+FFFD, for the reader to refuse that row.
 */
export async function* decodeCsv(
  stream: AsyncIterable<Uint8Array>,
  encoding?: string,
): AsyncGenerator<string> {
  let decoder = encoding === undefined ? undefined : decoderOf(encoding)
  let rest = Buffer.alloc(0)
  let isFirst = true
  for await (const block of blocksOf(stream)) {
    if (isFirst) {
      refuseWorkbook(block)
      decoder ??= markedDecoder(block)
      isFirst = false
    }
    const bytes = Buffer.concat([rest, block])
    rest = Buffer.alloc(0)
    if (!decoder) {
      const whole = block.length < blockBytes ? bytes : bytes.subarray(0, endOfLastCharacter(bytes))
      if (isAscii(whole)) {
        rest = bytes.subarray(whole.length)
        yield whole.toString('latin1')
        continue
      }
      decoder = isMostlyValid(whole.toString('utf8')) ? new TextDecoder('utf-8') : westernDecoder(whole)
    }
    yield decoder.decode(bytes, { stream: true })
  }
  yield decoder ? decoder.decode() : new TextDecoder('windows-1252').decode(rest)
}

/** Blocks of one size, the last one smaller: large chunks are cut and small ones gathered. */
async function* blocksOf(stream: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer> {
  let parts: Uint8Array[] = []
  let size = 0
  for await (const chunk of stream) {
    for (let at = 0; at < chunk.length; ) {
      const part = chunk.subarray(at, at + blockBytes - size)
      parts.push(part)
      at += part.length
      size += part.length
      if (size < blockBytes) continue
      yield Buffer.concat(parts)
      parts = []
      size = 0
    }
  }
  if (size > 0) yield Buffer.concat(parts)
}

function decoderOf(encoding: string): TextDecoder {
  try {
    return new TextDecoder(encoding)
  } catch (error) {
    if (error instanceof RangeError) throw invalid('encoding', 'There is no such encoding')
    throw error
  }
}

function markedDecoder(start: Buffer): TextDecoder | undefined {
  const unicode = detectUnicode(start)
  return unicode && new TextDecoder(unicode)
}

function westernDecoder(bytes: Buffer): TextDecoder {
  if (nonWestern.test(new TextDecoder('windows-1252').decode(bytes)))
    throw invalid(
      'encoding',
      'The text is neither Unicode nor Windows-1252: save the file as CSV UTF-8, or name its encoding',
    )
  return new TextDecoder('windows-1252')
}

/** Where the last UTF-8 character that may go on in the next block begins, or the end. */
function endOfLastCharacter(bytes: Buffer): number {
  for (let back = 1; back <= 3 && back <= bytes.length; back++) {
    const byte = bytes[bytes.length - back]!
    if (byte >= 0xc0) return bytes.length - back
    if (byte < 0x80) break
  }
  return bytes.length
}

function refuseWorkbook(start: Buffer): void {
  if (isWorkbook(start))
    throw invalid(
      '',
      'This is a workbook or an archive and no CSV file: save it as CSV (UTF-8) and try again',
    )
}
