import type { IncomingMessage } from 'node:http'
import { type App, inAccount } from '../../kernel/context.ts'
import { unavailable } from '../../kernel/errors.ts'
import { openOutbound } from '../../kernel/net/outbound-fetch.ts'
import { parseOutboundUrl } from '../../kernel/net/outbound-url.ts'
import { openProvider, type StoredVoice, voiceColumns } from '../assistants/voice-provider.ts'

const TIMEOUT_MS = 10_000
/** File stores redirect to the file’s location; each URL is checked like the first. */
const MAX_REDIRECTS = 3

type Recorded = StoredVoice & {
  url: string
  to: string
  from: string
  placedAt: Date
  providerCallId: string | null
}

/** Opens the recording at the provider; undefined when there is none or it was deleted. */
export async function openRecording(
  app: App,
  { accountId, callId }: { accountId: string; callId: string },
  { range, signal }: { range: string | undefined; signal: AbortSignal },
): Promise<IncomingMessage | undefined> {
  const [call] = await inAccount(
    app.db.app,
    accountId,
    tx => tx<Recorded[]>`
      select ${voiceColumns(tx)}, c.recording_url as url, c.to_number as "to", c.from_number as "from",
             c.placed_at as "placedAt", c.provider_call_id as "providerCallId"
        from calls c
        join assistants a on a.account_id = c.account_id and a.id = c.assistant_id
       where c.account_id = current_account_id() and c.id = ${callId} and c.recording_url is not null`,
  )
  if (!call) return undefined
  const url = await findUrl(app, callId, call)
  try {
    return await follow(app, url, range, signal)
  } catch (error) {
    throw unavailable(
      'The recording can’t be fetched from the provider right now. Try again in a moment.',
      error,
    )
  }
}

/** Fetches a fresh URL, because recording URLs may expire; falls back to the URL stored at the end of the call. */
async function findUrl(app: App, callId: string, call: Recorded): Promise<string> {
  const { to, from, placedAt, providerCallId, url } = call
  if (!providerCallId) return url
  const placed = { callId, to, from, placedAt, providerCallId, assistantName: '' }
  try {
    const report = await openProvider(app, call).findCall(placed, app.now(), AbortSignal.timeout(TIMEOUT_MS))
    const end = report?.events.find(event => event.type === 'end-of-call')
    return end?.recordingUrl ?? url
  } catch (error) {
    app.log.info({ callId, err: error }, 'fetching the recording URL from the provider failed')
    return url
  }
}

async function follow(
  app: App,
  url: string,
  range: string | undefined,
  signal: AbortSignal,
): Promise<IncomingMessage | undefined> {
  let next = url
  for (let hop = 0; hop <= MAX_REDIRECTS; hop++) {
    const target = new URL(parseOutboundUrl('recordingUrl', next, app.config.privateHosts))
    const response = await openOutbound(target, app.config.privateHosts, {
      headers: { accept: 'audio/*, */*', ...(range && { range }) },
      allowHttp: true,
      signal,
    })
    const { statusCode = 0, headers } = response
    if ([200, 206, 416].includes(statusCode)) return response
    response.destroy()
    if (statusCode >= 300 && statusCode < 400 && headers.location)
      next = new URL(headers.location, target).href
    else if ([403, 404, 410].includes(statusCode)) return undefined
    else throw new Error(`the recording's server responded with ${statusCode}`)
  }
  throw new Error('too many redirects')
}
