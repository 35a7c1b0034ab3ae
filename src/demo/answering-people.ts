import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { findInboundUrl } from '../server/domain/mailboxes/inbound-url.ts'
import { backoffMs } from '../server/kernel/async/backoff.ts'
import { createSemaphore } from '../server/kernel/async/semaphore.ts'
import { sleep } from '../server/kernel/async/sleep.ts'
import { type App, inAccount } from '../server/kernel/context.ts'
import { accounts } from './accounts.ts'
import {
  composeAbsence,
  composeBounce,
  composeComplaint,
  composeReply,
  composeUnsubscribeWords,
  type ReceivedMail,
} from './answer-mails.ts'
import { countryOf, placeOf, reactionTo } from './demeanors.ts'
import { accountIdOf, userIdOf } from './teller.ts'
import { asOwner } from './write-account.ts'

const LOOK_MS = 500
const TIMEOUT_MS = 10_000
/** More mails than these wait in their files. */
const MAX_UNDER_WAY = 100
/** Fewer than the server takes, so that other mail comes in beside them. */
const MAX_POSTS_AT_ONCE = 4
const MAX_TRIES = 10
const FIRST_WAIT_MS = 1_000
const LONGEST_WAIT_MS = 60_000

export type Pace = { shortestMs: number; longestMs: number }

/**
 * Lets the people of the demo answer what comes into the sandbox from now on, seconds later. They are the outside
 * world: they see the mails alone, and answer by pushed mail and by the link in a mail, which count in the buckets of
 * the mailbox and of the link. They never call the API, so nobody's quota is spent.
 */
export async function openAnsweringPeople(
  app: App,
  { url, sandboxDir }: { url: string; sandboxDir: string },
  pace: Pace = { shortestMs: 1_500, longestMs: 4_000 },
): Promise<AsyncDisposable> {
  const stop = new AbortController()
  const underWay = new Set<Promise<void>>()
  const seen = new Set(await filesIn(sandboxDir))
  const takeTurn = createSemaphore(MAX_POSTS_AT_ONCE)
  const running = watch()

  async function watch(): Promise<void> {
    while (await sleep(LOOK_MS, stop.signal)) {
      for (const file of await filesIn(sandboxDir)) {
        if (underWay.size === MAX_UNDER_WAY) break
        if (seen.has(file)) continue
        seen.add(file)
        const mail = readCampaignMail(await readFile(join(sandboxDir, file), 'latin1').catch(() => ''))
        if (!mail) continue
        const work = answer(mail, file.split('/')[0]!)
          .catch(err => app.log.warn({ err, file }, 'demo: somebody could not answer'))
          .finally(() => underWay.delete(work))
        underWay.add(work)
      }
    }
  }

  async function answer(mail: ReceivedMail, mailbox: string): Promise<void> {
    const { shortestMs, longestMs } = pace
    if (!(await sleep(shortestMs + Math.random() * (longestMs - shortestMs), stop.signal))) return
    // Composed once: the same mail pushed again changes nothing.
    const raw = composeAnswer(mail, app.now())
    if (!raw && reactionTo(mail) !== 'link') return
    for (let tries = 1; ; tries++) {
      try {
        return await takeTurn(() => (raw ? push(raw, mailbox) : pressButton(mail, url)))
      } catch (err) {
        if (tries === MAX_TRIES || (err instanceof Refusal && err.isFinal)) throw err
        app.log.info({ err, tries }, 'demo: an answer is tried again')
        if (!(await sleep(waitAfter(err, tries), stop.signal))) return
      }
    }
  }

  async function push(raw: string, mailbox: string): Promise<void> {
    const address = await findInboundAddress(app, mailbox)
    if (address) await post(url, address, 'message/rfc822', raw)
  }

  return {
    [Symbol.asyncDispose]: async () => {
      stop.abort()
      await running
      await Promise.all(underWay)
    },
  }
}

/** An answer that the server did not take. */
class Refusal extends Error {
  readonly isFinal: boolean
  readonly retryAfterMs: number
  constructor({ status, headers }: Response, text: string) {
    super(`the server answered ${status}: ${text}`)
    this.isFinal = status < 500 && status !== 429
    this.retryAfterMs = Number(headers.get('retry-after') ?? 0) * 1000
  }
}

function waitAfter(err: unknown, tries: number): number {
  const growing = backoffMs(tries - 1, { baseMs: FIRST_WAIT_MS, maxMs: LONGEST_WAIT_MS })
  return Math.max(err instanceof Refusal ? err.retryAfterMs : 0, growing)
}

function composeAnswer(mail: ReceivedMail, now: Date): string | undefined {
  const nth = placeOf(mail.to)
  switch (reactionTo(mail)) {
    case 'reply':
      return composeReply(mail, nth, now, countryOf(mail.to))
    case 'away':
      return composeAbsence(mail, nth, now)
    case 'bounce':
      return composeBounce(mail, now)
    case 'complaint':
      return composeComplaint(mail, now)
    case 'unsubscribe':
      return composeUnsubscribeWords(mail, nth, now)
    default:
      return undefined
  }
}

/** `<mailbox>/<name>.eml`, as the sandbox names them; oldest first, as the names begin with the time. */
async function filesIn(dir: string): Promise<string[]> {
  const paths = await readdir(dir, { recursive: true }).catch(() => [])
  const nameOf = (path: string) => path.slice(path.indexOf('/') + 1)
  return paths
    .filter(path => /^[^/.][^/]*\/[^/.][^/]*\.eml$/.test(path))
    .sort((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1))
}

/** Undefined for what a person wrote by hand: that has no button to unsubscribe. */
function readCampaignMail(file: string): ReceivedMail | undefined {
  // The first two lines are the sandbox's own.
  const [, to = '', raw = ''] =
    /^Return-Path:[^\r\n]*\r\nX-Envelope-To: ([^\r\n]*)\r\n([\s\S]*)$/.exec(file) ?? []
  const header = raw.slice(0, raw.indexOf('\r\n\r\n'))
  const unfolded = header.replace(/\r\n[ \t]+/g, ' ')
  const field = (name: string) => new RegExp(`^${name}: (.*)$`, 'im').exec(unfolded)?.[1]?.trim() ?? ''
  const [, unsubscribeUrl] = /<(http[^>]+)>/.exec(field('List-Unsubscribe')) ?? []
  if (!unsubscribeUrl) return undefined
  return {
    to,
    from: field('From'),
    subject: field('Subject'),
    messageId: field('Message-ID'),
    references: field('References'),
    unsubscribeUrl,
    header,
    raw,
  }
}

/** RFC 8058: the mail program's button. */
const pressButton = ({ unsubscribeUrl }: ReceivedMail, url: string) =>
  post(url, unsubscribeUrl, 'application/x-www-form-urlencoded', 'List-Unsubscribe=One-Click')

/** The address for mail that a mailbox of either account has; undefined when the mailbox was removed. */
async function findInboundAddress(app: App, email: string): Promise<string | undefined> {
  for (const { key, members } of Object.values(accounts)) {
    const accountId = accountIdOf(key)
    const address = await inAccount(app.db.app, accountId, async tx => {
      const [mailbox] = await tx<{ id: string }[]>`
        select id from mailboxes where account_id = ${accountId} and email = ${email} and removed_at is null`
      const ctx = asOwner(app, tx, accountId, userIdOf(members.find(([, role]) => role === 'owner')![0]))
      return mailbox && findInboundUrl(ctx, mailbox.id)
    })
    if (address) return address
  }
  return undefined
}

/** At this server: its addresses do not name a port that the system chose. */
async function post(url: string, address: string, type: string, body: string): Promise<void> {
  const response = await fetch(new URL(new URL(address).pathname, url), {
    method: 'POST',
    headers: { 'content-type': type },
    body,
    signal: AbortSignal.timeout(TIMEOUT_MS),
  })
  if (!response.ok) throw new Refusal(response, await response.text())
  await response.body?.cancel()
}
