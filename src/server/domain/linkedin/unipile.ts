import { z } from 'zod'
import type { App } from '../../kernel/context.ts'
import { AppError } from '../../kernel/errors.ts'
import { fetchOutbound, isConnectFailure } from '../../kernel/net/outbound-fetch.ts'
import { type ConnectedAccount, decryptProviderKey } from './accounts.ts'

// Unipile’s API v1, as documented at developer.unipile.com (guides "Send Messages", "Invite users" and "Users
// overview"; November 2026). Each function makes at most one request, with a timeout.

const TIMEOUT_MS = 10_000
const RETRY_AFTER_MS = 5 * 60_000
const MAX_BYTES = 1024 * 1024

/**
 * The result of a request that changes something:
 *
 * - `unknown`: the change may have been made, so the request is never retried automatically.
 * - `later`: the change was not made and can be retried later.
 * - `refused`: the change was not made, and a retry would not help.
 * - `account_failed`: the change was not made, and the account must be fixed first.
 */
export type LinkedinResult =
  | { outcome: 'done'; id: string; chatId?: string }
  | { outcome: 'refused' | 'unknown' | 'account_failed'; reason: string; code?: string }
  | { outcome: 'later'; reason: string; retryAfterMs: number }

const invitationSent = z.looseObject({ invitation_id: z.string().min(1) })
const messageSent = z.looseObject({ message_id: z.string().min(1) })
const chatStarted = z.looseObject({ chat_id: z.string().min(1), message_id: z.string().min(1).nullish() })
const profile = z.looseObject({ provider_id: z.string().min(1), public_identifier: z.string().min(1) })
const error = z.looseObject({ type: z.string().optional(), detail: z.string().optional() })

export async function sendInvitation(
  app: App,
  account: ConnectedAccount,
  { memberId, note }: { memberId: string; note: string | null },
): Promise<LinkedinResult> {
  const body = {
    provider_id: memberId,
    account_id: account.providerAccountId,
    ...(note && { message: note }),
  }
  return postRequest(app, account, '/users/invite', json(body), invitationSent, response => ({
    id: response.invitation_id,
  }))
}

export async function sendMessage(
  app: App,
  account: ConnectedAccount,
  { memberId, chatId, text }: { memberId: string; chatId: string | null; text: string },
): Promise<LinkedinResult> {
  if (chatId)
    return postRequest(
      app,
      account,
      `/chats/${encodeURIComponent(chatId)}/messages`,
      form({ text }),
      messageSent,
      response => ({ id: response.message_id, chatId }),
    )
  const chat = { account_id: account.providerAccountId!, attendees_ids: memberId, text }
  return postRequest(app, account, '/chats', form(chat), chatStarted, response => ({
    id: response.message_id ?? '',
    chatId: response.chat_id,
  }))
}

export type LinkedinProfile = { memberId: string; publicIdentifier: string }
export type LinkedinFailure = Exclude<LinkedinResult, { outcome: 'done' }>

/** Looks up a profile by public identifier or member ID, or returns why the lookup failed. Safe to retry. */
export async function findProfile(
  app: App,
  account: ConnectedAccount,
  identifier: string,
): Promise<LinkedinProfile | LinkedinFailure> {
  const path = `/users/${encodeURIComponent(identifier)}?account_id=${encodeURIComponent(account.providerAccountId!)}`
  const toRetryable = (failure: LinkedinFailure): LinkedinFailure =>
    failure.outcome === 'unknown' ? retryLater(failure.reason) : failure
  const response = await sendRequest(app, account, path, {})
  if (!(response instanceof Response)) return toRetryable(response)
  if (!response.ok) return toRetryable(await toFailure(response))
  const found = profile.safeParse(await response.json().catch(() => undefined))
  return found.success
    ? { memberId: found.data.provider_id, publicIdentifier: found.data.public_identifier }
    : retryLater('Unipile sent an invalid response')
}

type RequestContent = { headers: Record<string, string>; body: string }

const json = (value: object): RequestContent => ({
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(value),
})

/**
 * Encodes a multipart form, which Unipile documents for sending messages. The boundary is random, so that no text
 * contains it.
 */
function form(fields: Record<string, string>): RequestContent {
  const boundary = `overture${crypto.randomUUID()}`
  const parts = Object.entries(fields).map(
    ([name, value]) => `--${boundary}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`,
  )
  return {
    headers: { 'content-type': `multipart/form-data; boundary=${boundary}` },
    body: `${parts.join('')}--${boundary}--\r\n`,
  }
}

/** Sends a request. Returns the response, or the failure when there is none. */
async function sendRequest(
  app: App,
  account: ConnectedAccount,
  path: string,
  request: { method?: string } & Partial<RequestContent>,
): Promise<Response | LinkedinFailure> {
  const apiKey = tryDecryptApiKey(app, account)
  if (apiKey === undefined)
    return { outcome: 'account_failed', reason: 'the account’s API key cannot be decrypted; enter it again' }
  try {
    return await fetchOutbound(new URL(`/api/v1${path}`, account.baseUrl!), app.config.privateHosts, {
      ...request,
      headers: { ...request.headers, 'x-api-key': apiKey },
      timeoutMs: TIMEOUT_MS,
      maxBytes: MAX_BYTES,
      allowHttp: true,
    })
  } catch (error) {
    return toLinkedinFailure(error)
  }
}

/** Decrypts the API key; undefined when it was encrypted with a different secret. */
function tryDecryptApiKey(app: App, account: ConnectedAccount): string | undefined {
  try {
    return decryptProviderKey(app.keys, account)
  } catch (err) {
    app.log.error(
      { accountId: account.accountId, linkedinAccountId: account.id, err },
      'the API key of a LinkedIn account cannot be decrypted',
    )
    return undefined
  }
}

/** Unipile’s error codes for an account that works but lacks this feature. */
const unsupportedCodes = ['feature_not_subscribed', 'subscription_required', 'resource_access_restricted']

async function postRequest<T>(
  app: App,
  account: ConnectedAccount,
  path: string,
  content: RequestContent,
  shape: z.ZodType<T>,
  read: (parsed: T) => { id: string; chatId?: string },
): Promise<LinkedinResult> {
  const response = await sendRequest(app, account, path, { method: 'POST', ...content })
  if (!(response instanceof Response)) return response
  if (response.ok) {
    const parsed = shape.safeParse(await response.json().catch(() => undefined))
    return parsed.success
      ? { outcome: 'done', ...read(parsed.data) }
      : { outcome: 'unknown', reason: 'Unipile sent an invalid response' }
  }
  const failure = await toFailure(response)
  return 'code' in failure && unsupportedCodes.includes(failure.code!)
    ? { ...failure, outcome: 'refused' }
    : failure
}

const retryLater = (reason: string): LinkedinFailure => ({
  outcome: 'later',
  reason,
  retryAfterMs: RETRY_AFTER_MS,
})

/** Allows a retry only if no connection was made, because then nothing was requested. */
function toLinkedinFailure(error: unknown): LinkedinFailure {
  const { code, message } = error as NodeJS.ErrnoException
  return isConnectFailure(error)
    ? retryLater(`Unipile could not be reached (${error instanceof AppError ? message : code})`)
    : { outcome: 'unknown', reason: `the response from Unipile was lost (${code ?? message})` }
}

async function toFailure(response: Response): Promise<LinkedinFailure> {
  const { status } = response
  if (status === 429) {
    const seconds = Number(response.headers.get('retry-after') ?? Number.NaN)
    const retryAfterMs = Number.isFinite(seconds) ? Math.min(Math.max(seconds, 1), 86_400) * 1000 : 3_600_000
    return { outcome: 'later', reason: 'LinkedIn or Unipile is limiting requests', retryAfterMs }
  }
  if (status >= 500 || status === 408) return { outcome: 'unknown', reason: `Unipile failed with ${status}` }
  const parsed = error.safeParse(await response.json().catch(() => ({})))
  const { type = '', detail = '' } = parsed.success ? parsed.data : {}
  const code = type.slice(type.lastIndexOf('/') + 1)
  const reason = `Unipile rejected the request: ${code || status}${detail && ` (${detail.slice(0, 200)})`}`
  return { outcome: status === 401 || status === 403 ? 'account_failed' : 'refused', reason, code }
}
