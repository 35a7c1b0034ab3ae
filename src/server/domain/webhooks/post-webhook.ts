import * as http from 'node:http'
import * as https from 'node:https'
import { waitForResponse } from '../../kernel/net/outbound-fetch.ts'
import {
  type AllowPrivate,
  resolveOutboundHost,
  toHostname,
  toRequestOptions,
} from '../../kernel/net/outbound-host.ts'
import { parseRetryAfter } from '../../kernel/net/retry-after.ts'
import { stripHidden } from '../../kernel/text/strip-hidden.ts'

/** Covers the whole attempt, including the DNS lookup. */
export const POST_TIMEOUT_MS = 15_000
/** Limits how long the start of the response body is read after the status has arrived. */
const HEAD_TIMEOUT_MS = 1_000
const MAX_HEAD = 1_000
/** A character may take several bytes. */
const MAX_HEAD_BYTES = 4 * MAX_HEAD
const LONGEST_WAIT_MS = 86_400_000

/** The result of one attempt: a response, or the error. */
export type PostResult =
  | { status: number; head: string; retryAfterMs: number }
  | { status?: undefined; error: string }

/**
 * Posts once. Resolves the host name once and connects to that address. Doesn't follow redirects, and reads only the
 * start of the body, because only the status matters.
 */
export async function postWebhook(
  url: string,
  { headers, body }: { headers: Record<string, string>; body: string },
  allowPrivate: AllowPrivate,
): Promise<PostResult> {
  const signal = AbortSignal.timeout(POST_TIMEOUT_MS)
  try {
    return await post(new URL(url), { headers, body }, allowPrivate, signal)
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    if (signal.aborted) return { error: `no response within ${POST_TIMEOUT_MS / 1000} seconds` }
    // System messages contain the resolved address, which must not be disclosed.
    return { error: toExcerpt(code && /^[A-Z\d_]+$/.test(code) ? code : message) }
  }
}

async function post(
  url: URL,
  { headers, body }: { headers: Record<string, string>; body: string },
  allowPrivate: AllowPrivate,
  signal: AbortSignal,
): Promise<PostResult> {
  const address = await resolveOutboundHost(toHostname(url), { allowPrivate })
  signal.throwIfAborted()
  const { request } = url.protocol === 'https:' ? https : http
  const sent = request({
    ...toRequestOptions(url, address, {
      ...headers,
      'content-type': 'application/json',
      'content-length': String(Buffer.byteLength(body)),
    }),
    method: 'POST',
    signal,
  })
  sent.end(body)
  const response = await waitForResponse(sent)
  const head = await readHead(response, sent)
  sent.destroy()
  return {
    status: response.statusCode!,
    head: toExcerpt(head.toString('utf8')),
    retryAfterMs: parseRetryAfter(response.headers['retry-after'], LONGEST_WAIT_MS),
  }
}

/** Reads the start of the body. Never rejects, because the status has already arrived. */
async function readHead(response: http.IncomingMessage, sent: http.ClientRequest): Promise<Buffer> {
  const chunks: Buffer[] = []
  let bytes = 0
  const { promise, resolve } = Promise.withResolvers<void>()
  const timer = setTimeout(resolve, HEAD_TIMEOUT_MS)
  response.on('data', (chunk: Buffer) => {
    chunks.push(chunk.subarray(0, Math.max(0, MAX_HEAD_BYTES - bytes)))
    bytes += chunk.length
    if (bytes >= MAX_HEAD_BYTES) resolve()
  })
  for (const event of ['error', 'close']) response.on(event, resolve)
  sent.on('error', () => resolve())
  await promise
  clearTimeout(timer)
  return Buffer.concat(chunks)
}

const toExcerpt = (text: string): string => stripHidden(text).slice(0, MAX_HEAD).toWellFormed()
