import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { findInboundUrl } from '../../server/domain/mailboxes/inbound-url.ts'
import { computeBackoffMs } from '../../server/kernel/async/backoff.ts'
import { createSemaphore } from '../../server/kernel/async/semaphore.ts'
import { sleep } from '../../server/kernel/async/sleep.ts'
import { type App, inAccount } from '../../server/kernel/context.ts'
import { accounts } from '../data/accounts.ts'
import { createOwnerContext } from '../seed/seed-account.ts'
import { getAccountId, getUserId } from '../seed/seed-context.ts'
import { chooseReaction, getCountry, getRecipientNumber } from './behaviors.ts'
import {
  composeBounce,
  composeComplaint,
  composeOutOfOffice,
  composeReply,
  composeUnsubscribeReply,
  type ReceivedEmail,
} from './compose-replies.ts'

const POLL_INTERVAL_MS = 500
const TIMEOUT_MS = 10_000
/** Further emails are read once others have been handled. */
const MAX_IN_FLIGHT = 100
/** Below the server's own limit, so that other incoming mail is not held up. */
const MAX_CONCURRENT_REQUESTS = 4
const MAX_ATTEMPTS = 10
const FIRST_RETRY_MS = 1_000
const MAX_RETRY_MS = 60_000

type ReplyDelay = { minMs: number; maxMs: number }

/**
 * Simulates the recipients of the sandbox: they react to new emails after a few seconds. They see only the emails, and
 * respond through the inbound URL and unsubscribe links, which have their own rate limits. They never call the API, so
 * users keep their whole quota.
 */
export async function simulateRecipients(
  app: App,
  { url, sandboxDir }: { url: string; sandboxDir: string },
  { minMs, maxMs }: ReplyDelay = { minMs: 1_500, maxMs: 4_000 },
): Promise<AsyncDisposable> {
  const stop = new AbortController()
  const inFlight = new Set<Promise<void>>()
  const seen = new Set(await listEmailFiles(sandboxDir))
  const limit = createSemaphore(MAX_CONCURRENT_REQUESTS)
  const polling = poll()

  async function poll(): Promise<void> {
    while (await sleep(POLL_INTERVAL_MS, stop.signal)) {
      for (const file of await listEmailFiles(sandboxDir)) {
        if (inFlight.size === MAX_IN_FLIGHT) break
        if (seen.has(file)) continue
        seen.add(file)
        const email = parseCampaignEmail(await readFile(join(sandboxDir, file), 'latin1').catch(() => ''))
        if (!email) continue
        const work = react(email, file.split('/')[0]!)
          .catch(err => app.log.warn({ err, file }, 'demo: a simulated recipient could not respond'))
          .finally(() => inFlight.delete(work))
        inFlight.add(work)
      }
    }
  }

  async function react(email: ReceivedEmail, mailbox: string): Promise<void> {
    if (!(await sleep(minMs + Math.random() * (maxMs - minMs), stop.signal))) return
    // Composed once: pushing the same email again changes nothing.
    const reaction = composeReaction(email, app.now())
    if (!reaction && chooseReaction(email) !== 'unsubscribe_link') return
    for (let attempt = 1; ; attempt++) {
      try {
        return await limit(() => (reaction ? push(reaction, mailbox) : unsubscribe(email, url)))
      } catch (err) {
        if (attempt === MAX_ATTEMPTS || (err instanceof ResponseError && err.isFinal)) throw err
        app.log.info({ err, attempt }, 'demo: retrying the response of a simulated recipient')
        if (!(await sleep(getRetryDelayMs(err, attempt), stop.signal))) return
      }
    }
  }

  async function push(email: string, mailbox: string): Promise<void> {
    const inboundUrl = await findMailboxInboundUrl(app, mailbox)
    if (inboundUrl) await post(url, inboundUrl, 'message/rfc822', email)
  }

  return {
    [Symbol.asyncDispose]: async () => {
      stop.abort()
      await polling
      await Promise.all(inFlight)
    },
  }
}

class ResponseError extends Error {
  readonly isFinal: boolean
  readonly retryAfterMs: number
  constructor({ status, headers }: Response, text: string) {
    super(`the server returned status ${status}: ${text}`)
    this.isFinal = status < 500 && status !== 429
    this.retryAfterMs = Number(headers.get('retry-after') ?? 0) * 1000
  }
}

function getRetryDelayMs(err: unknown, attempt: number): number {
  const delayMs = computeBackoffMs(attempt - 1, { baseMs: FIRST_RETRY_MS, maxMs: MAX_RETRY_MS })
  return Math.max(err instanceof ResponseError ? err.retryAfterMs : 0, delayMs)
}

function composeReaction(email: ReceivedEmail, now: Date): string | undefined {
  const number = getRecipientNumber(email.to)
  switch (chooseReaction(email)) {
    case 'reply':
      return composeReply(email, number, now, getCountry(email.to))
    case 'out_of_office':
      return composeOutOfOffice(email, number, now)
    case 'bounce':
      return composeBounce(email, now)
    case 'complaint':
      return composeComplaint(email, now)
    case 'unsubscribe_reply':
      return composeUnsubscribeReply(email, number, now)
    default:
      return undefined
  }
}

/** Lists the sandbox's files as `<mailbox>/<name>.eml`, oldest first: names begin with the time. */
async function listEmailFiles(dir: string): Promise<string[]> {
  const paths = await readdir(dir, { recursive: true }).catch(() => [])
  const getName = (path: string) => path.slice(path.indexOf('/') + 1)
  return paths
    .filter(path => /^[^/.][^/]*\/[^/.][^/]*\.eml$/.test(path))
    .sort((a, b) => (getName(a) < getName(b) ? -1 : 1))
}

/** Returns undefined for emails written by hand, which have no unsubscribe link. */
function parseCampaignEmail(file: string): ReceivedEmail | undefined {
  // The sandbox adds the first two lines.
  const [, to = '', raw = ''] =
    /^Return-Path:[^\r\n]*\r\nX-Envelope-To: ([^\r\n]*)\r\n([\s\S]*)$/.exec(file) ?? []
  const header = raw.slice(0, raw.indexOf('\r\n\r\n'))
  const unfolded = header.replace(/\r\n[ \t]+/g, ' ')
  const getField = (name: string) => new RegExp(`^${name}: (.*)$`, 'im').exec(unfolded)?.[1]?.trim() ?? ''
  const [, unsubscribeUrl] = /<(http[^>]+)>/.exec(getField('List-Unsubscribe')) ?? []
  if (!unsubscribeUrl) return undefined
  return {
    to,
    from: getField('From'),
    subject: getField('Subject'),
    messageId: getField('Message-ID'),
    references: getField('References'),
    unsubscribeUrl,
    header,
    raw,
  }
}

/** Unsubscribes with one click, as in RFC 8058. */
const unsubscribe = ({ unsubscribeUrl }: ReceivedEmail, url: string) =>
  post(url, unsubscribeUrl, 'application/x-www-form-urlencoded', 'List-Unsubscribe=One-Click')

/** Returns the inbound URL of a mailbox of either account; undefined when the mailbox was removed. */
async function findMailboxInboundUrl(app: App, email: string): Promise<string | undefined> {
  for (const { key, members } of Object.values(accounts)) {
    const accountId = getAccountId(key)
    const inboundUrl = await inAccount(app.db.app, accountId, async tx => {
      const [mailbox] = await tx<{ id: string }[]>`
        select id from mailboxes where account_id = ${accountId} and email = ${email} and removed_at is null`
      const ownerId = getUserId(members.find(([, role]) => role === 'owner')![0])
      return mailbox && findInboundUrl(createOwnerContext(app, tx, accountId, ownerId), mailbox.id)
    })
    if (inboundUrl) return inboundUrl
  }
  return undefined
}

/** Posts to this server under `url`: published URLs do not contain a port that the system assigned. */
async function post(url: string, publishedUrl: string, type: string, body: string): Promise<void> {
  const response = await fetch(new URL(new URL(publishedUrl).pathname, url), {
    method: 'POST',
    headers: { 'content-type': type },
    body,
    signal: AbortSignal.timeout(TIMEOUT_MS),
  })
  if (!response.ok) throw new ResponseError(response, await response.text())
  await response.body?.cancel()
}
