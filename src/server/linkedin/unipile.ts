import { z } from 'zod'
import type { App } from '../context.ts'
import { fetchOutbound } from '../outbound-fetch.ts'
import { apiKeyOf, type ConnectedAccount } from './accounts.ts'

/**
 * Unipile's API v1, as its documentation describes it (developer.unipile.com, guides "Users overview" and "Send
 * Messages"; read in November 2026). Every call is one request with an end.
 */
const TIMEOUT_MS = 20_000
const MAX_BYTES = 1024 * 1024

const profile = z.looseObject({ provider_id: z.string().min(1), public_identifier: z.string().min(1) })

/** Somebody by the name or the id of their profile; undefined when Unipile doesn't tell, which harms nothing. */
export async function findProfile(
  app: App,
  account: ConnectedAccount,
  identifier: string,
): Promise<{ memberId: string; publicIdentifier: string } | undefined> {
  const path = `/users/${encodeURIComponent(identifier)}?account_id=${encodeURIComponent(account.providerAccountId!)}`
  try {
    const answer = await ask(app, account, path)
    const found = answer.ok ? profile.safeParse(await answer.json()) : undefined
    return found?.success
      ? { memberId: found.data.provider_id, publicIdentifier: found.data.public_identifier }
      : undefined
  } catch (err) {
    app.log.warn({ accountId: account.accountId, err }, 'unipile: a profile could not be looked up')
    return undefined
  }
}

const ask = (app: App, account: ConnectedAccount, path: string): Promise<Response> =>
  fetchOutbound(new URL(`/api/v1${path}`, account.baseUrl!), app.config.privateHosts, {
    headers: { 'x-api-key': apiKeyOf(app.keys, account) },
    timeoutMs: TIMEOUT_MS,
    maxBytes: MAX_BYTES,
    mayBePlain: true,
  })
