import { parentPort } from 'node:worker_threads'
import { type Invitation, parseInvitation } from '../calendar/parse-invitation.ts'
import { type DmarcReport, parseDmarcReport } from '../dmarc/parse-report.ts'
import { unpackReport } from '../dmarc/unpack-report.ts'
import { classifyEmail } from '../mail-reading/classify.ts'
import { detectFileType } from './file-type.ts'
import { htmlToText } from './html-to-text.ts'
import { JoinedBlob } from './joined-blob.ts'
import type { ClassifiedEmail, ParseLimits } from './parse.ts'
import { type ReadFile, readEmailWithFiles } from './read-email.ts'
import { sanitizeHtml } from './sanitize-html.ts'

type ParseJob = { raw: Uint8Array; limits: ParseLimits; arrivedAt: Date }
type TextJob = { html: string }
type SanitizeJob = { unsafeHtml: string }
type FileJob = { file: Uint8Array; name: string }
type CalendarJob = { calendar: string }
type DmarcJob = { dmarc: Uint8Array; now: Date }
export type ParserJob = ParseJob | TextJob | SanitizeJob | FileJob | CalendarJob | DmarcJob
export type ParserResult<Job extends ParserJob> = Job extends ParseJob
  ? ClassifiedEmail
  : Job extends CalendarJob
    ? Invitation | null
    : Job extends DmarcJob
      ? DmarcReport | null
      : string

// Replacing the global class is safe in this thread, where only the mail parser creates blobs.
Object.assign(globalThis, { Blob: JoinedBlob })

async function run(job: ParserJob): Promise<string | ClassifiedEmail | Invitation | DmarcReport | null> {
  if ('html' in job) return htmlToText(job.html)
  if ('unsafeHtml' in job) return sanitizeHtml(job.unsafeHtml)
  if ('file' in job) return detectFileType(job.file, job.name)
  if ('calendar' in job) return parseInvitation(job.calendar) ?? null
  if ('dmarc' in job) return readDmarcReport(job)
  const { email, files } = await readEmailWithFiles(job.raw, job.limits)
  return { email, classified: classifyEmail(email, job.arrivedAt), files }
}

function readDmarcReport({ dmarc, now }: DmarcJob): DmarcReport | null {
  try {
    return parseDmarcReport(unpackReport(dmarc), now) ?? null
  } catch {
    // The archive is broken. The libraries throw several types of errors.
    return null
  }
}

// Signals readiness first: loading the modules must not count toward an email's time limit.
parentPort?.postMessage('ready')
parentPort?.on('message', async (job: ParserJob) => {
  const result = await run(job)
  parentPort?.postMessage(
    result,
    result && typeof result === 'object' && 'files' in result ? listBuffers(result.files) : [],
  )
})

/** Lists the buffers of files, which are transferred instead of copied. */
const listBuffers = (files: readonly (ReadFile | null)[]): ArrayBuffer[] =>
  files.flatMap(file => (file ? [file.content.buffer as ArrayBuffer] : []))
