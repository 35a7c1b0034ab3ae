import { parentPort } from 'node:worker_threads'
import { classifyEmail } from '../mail-reading/classify.ts'
import { htmlToText } from './html-to-text.ts'
import { JoinedBlob } from './joined-blob.ts'
import type { ClassifiedEmail, ParseLimits } from './parse.ts'
import { readEmail } from './read-email.ts'

type ParseJob = { raw: Uint8Array; limits: ParseLimits; arrivedAt: Date }
type TextJob = { html: string }
export type ParserJob = ParseJob | TextJob
export type ParserResult<Job extends ParserJob> = Job extends TextJob ? string : ClassifiedEmail

// In this thread only, where nothing but the mail parser creates blobs.
Object.assign(globalThis, { Blob: JoinedBlob })

async function run(job: ParserJob): Promise<string | ClassifiedEmail> {
  if ('html' in job) return htmlToText(job.html)
  const email = await readEmail(job.raw, job.limits)
  return { email, classified: classifyEmail(email, job.arrivedAt) }
}

// Signals readiness first: loading the modules must not count against a mail's time.
parentPort?.postMessage('ready')
parentPort?.on('message', async (job: ParserJob) => parentPort?.postMessage(await run(job)))
