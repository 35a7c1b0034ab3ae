import { isUtf8 } from 'node:buffer'
import { fileTypeFromBuffer } from 'file-type'
import { unknownFileType } from './file-limits.ts'

/** Text types by file name extension, since text has no signature. */
const textTypes: Record<string, string> = {
  csv: 'text/csv',
  ics: 'text/calendar',
  vcf: 'text/vcard',
  json: 'application/json',
  md: 'text/markdown',
}

/**
 * Detects the type of a file by its content, regardless of the declared type. Call it in a worker thread: it may
 * unpack archives.
 */
export async function detectFileType(bytes: Uint8Array, name: string): Promise<string> {
  const found = await fileTypeFromBuffer(bytes).catch(() => undefined)
  if (found) return found.mime
  if (bytes.includes(0) || !isUtf8(bytes)) return unknownFileType
  return textTypes[name.slice(name.lastIndexOf('.') + 1).toLowerCase()] ?? 'text/plain'
}
