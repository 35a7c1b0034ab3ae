import { gunzipSync } from 'node:zlib'
import { unzipSync } from 'fflate'

const MAX_XML_BYTES = 10_000_000

/**
 * Returns the XML of a report's attachment: plain, zipped or gzipped (RFC 9990). Throws for broken archives and for
 * contents over 10 MB. Call it in a worker thread.
 */
export function unpackReport(file: Uint8Array): string {
  const bytes = hasPrefix(file, [0x1f, 0x8b])
    ? gunzipSync(file, { maxOutputLength: MAX_XML_BYTES })
    : hasPrefix(file, [0x50, 0x4b])
      ? unzipFirst(file)
      : file
  if (bytes.length > MAX_XML_BYTES) throw new Error('the report is too large')
  return Buffer.from(bytes).toString('utf8')
}

const hasPrefix = (file: Uint8Array, prefix: readonly number[]): boolean =>
  prefix.every((byte, index) => file[index] === byte)

/** Unpacks the first XML file. Truncates it at its declared size, which bounds memory use. */
function unzipFirst(file: Uint8Array): Uint8Array {
  let isFound = false
  const files = unzipSync(file, {
    filter: ({ name, originalSize }) => {
      if (isFound || !/\.xml$/i.test(name) || originalSize > MAX_XML_BYTES) return false
      isFound = true
      return true
    },
  })
  const [first] = Object.values(files)
  if (!first) throw new Error('the archive contains no report')
  return first
}
