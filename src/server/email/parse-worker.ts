import { parentPort } from 'node:worker_threads'
import type { ParsedEmail, ParseLimits } from './parse.ts'
import { readEmail } from './read-email.ts'

export type ParseOrder = { raw: Uint8Array; limits: ParseLimits }
export type ParseAnswer = ParsedEmail

// Says first that it is there: loading the modules is not the mail's time.
parentPort?.postMessage('ready')
parentPort?.on('message', async ({ raw, limits }: ParseOrder) => {
  parentPort?.postMessage((await readEmail(raw, limits)) satisfies ParseAnswer)
})
