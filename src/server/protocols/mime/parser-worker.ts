import { parentPort } from 'node:worker_threads'
import { classifyEmail } from '../mail-reading/classify.ts'
import { htmlToText } from './html-to-text.ts'
import { JoinedBlob } from './joined-blob.ts'
import type { ClassifiedEmail, ParseLimits } from './parse.ts'
import { readEmail } from './read-email.ts'

type ReadOrder = { raw: Uint8Array; limits: ParseLimits; arrivedAt: Date }
type TextOrder = { html: string }
export type ParserJob = ReadOrder | TextOrder
export type ParserResult<O extends ParserJob> = O extends TextOrder ? string : ClassifiedEmail

// In this thread alone, where nothing but the mail parser makes any.
Object.assign(globalThis, { Blob: JoinedBlob })

async function answerTo(order: ParserJob): Promise<string | ClassifiedEmail> {
  if ('html' in order) return htmlToText(order.html)
  const email = await readEmail(order.raw, order.limits)
  return { email, classified: classifyEmail(email, order.arrivedAt) }
}

// Says first that it is there: loading the modules is not the mail's time.
parentPort?.postMessage('ready')
parentPort?.on('message', async (order: ParserJob) => parentPort?.postMessage(await answerTo(order)))
