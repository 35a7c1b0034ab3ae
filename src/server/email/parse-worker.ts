import { parentPort } from 'node:worker_threads'
import { classifyEmail } from './classify.ts'
import { JoinedBlob } from './joined-blob.ts'
import type { ClassifiedEmail, ParseLimits } from './parse.ts'
import { readEmail } from './read-email.ts'

export type ParseOrder = { raw: Uint8Array; limits: ParseLimits; arrivedAt: Date }
export type ParseAnswer = ClassifiedEmail

// In this thread alone, where nothing but the mail parser makes any.
Object.assign(globalThis, { Blob: JoinedBlob })

// Says first that it is there: loading the modules is not the mail's time.
parentPort?.postMessage('ready')
parentPort?.on('message', async ({ raw, limits, arrivedAt }: ParseOrder) => {
  const email = await readEmail(raw, limits)
  parentPort?.postMessage({ email, classified: classifyEmail(email, arrivedAt) } satisfies ParseAnswer)
})
