import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { App } from '../server/context.ts'
import { hasSlept } from '../server/engine/has-slept.ts'
import {
  composeAbsence,
  composeBounce,
  composeComplaint,
  composeReply,
  composeUnsubscribeWords,
  type ReceivedMail,
} from './answer-mails.ts'
import type { Tokens } from './tokens.ts'

/** What becomes of twenty mails of a campaign, in their order, and then again. */
const reactions = [
  ...['reply', 'away', 'bounce', 'reply', 'unsubscribe', 'silence', 'complaint', 'reply', 'silence', 'link'],
  ...['silence', 'away', 'silence', 'reply', 'silence', 'silence', 'reply', 'silence', 'silence', 'silence'],
] as const

const LOOK_MS = 500
const TIMEOUT_MS = 10_000
const SHORTEST_ANSWER_MS = 1_500
const LONGEST_ANSWER_MS = 4_000

/**
 * Lets the people of the demo answer what comes into the sandbox from now on, seconds later. Their mails are those of
 * real programs and come in as others do, so that what the demo shows of them was found out, not written down.
 */
export async function openAnsweringPeople(
  app: App,
  { url, tokens, sandboxDir }: { url: string; tokens: Tokens; sandboxDir: string },
): Promise<AsyncDisposable> {
  const stop = new AbortController()
  const answering = new Set<Promise<void>>()
  const seen = new Set(await filesIn(sandboxDir))
  const running = watch()

  async function watch(): Promise<void> {
    for (let nth = 0; await hasSlept(LOOK_MS, stop.signal); ) {
      for (const file of await filesIn(sandboxDir)) {
        if (seen.has(file)) continue
        seen.add(file)
        const mail = readCampaignMail(await readFile(join(sandboxDir, file), 'latin1'))
        if (!mail) continue
        const work = answer(nth++, mail, file.split('/')[0]!).finally(() => answering.delete(work))
        answering.add(work)
      }
    }
  }

  async function answer(nth: number, mail: ReceivedMail, mailbox: string): Promise<void> {
    const waitMs = SHORTEST_ANSWER_MS + Math.random() * (LONGEST_ANSWER_MS - SHORTEST_ANSWER_MS)
    if (!(await hasSlept(waitMs, stop.signal))) return
    try {
      if (reactions[nth % reactions.length] === 'link') return await pressButton(mail, url)
      const raw = composeAnswer(nth, mail, app.now())
      const door = raw && (await findInboundUrl(url, tokens, mailbox))
      if (door) await post(url, door, 'message/rfc822', raw)
    } catch (err) {
      app.log.warn({ err }, 'demo: somebody could not answer')
    }
  }

  return {
    [Symbol.asyncDispose]: async () => {
      stop.abort()
      await running
      await Promise.all(answering)
    },
  }
}

function composeAnswer(nth: number, mail: ReceivedMail, now: Date): string | undefined {
  switch (reactions[nth % reactions.length]) {
    case 'reply':
      return composeReply(mail, nth, now)
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

/** `<mailbox>/<name>.eml`, as the sandbox names them. */
async function filesIn(dir: string): Promise<string[]> {
  const names = await readdir(dir, { recursive: true }).catch(() => [])
  return names.filter(name => /^[^/.][^/]*\/[^/.][^/]*\.eml$/.test(name)).sort()
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

/** Where mail for a mailbox is handed in, as its owners are told. */
async function findInboundUrl(url: string, tokens: Tokens, email: string): Promise<string | undefined> {
  for (const owner of ['admin@demo.example', 'rival@demo.example']) {
    const get = async (path: string) => {
      const headers = { authorization: `Bearer ${tokens[owner]}` }
      const response = await fetch(`${url}/v1${path}`, { headers, signal: AbortSignal.timeout(TIMEOUT_MS) })
      if (!response.ok) throw new Error(`${path} answers ${response.status}: ${await response.text()}`)
      return response.json()
    }
    const mailboxes = (await get('/mailboxes?limit=100')) as { data: { id: string; email: string }[] }
    const mailbox = mailboxes.data.find(each => each.email === email)
    if (mailbox) return ((await get(`/mailboxes/${mailbox.id}`)) as { inboundUrl?: string }).inboundUrl
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
  if (!response.ok) throw new Error(`a mail was answered ${response.status}: ${await response.text()}`)
  await response.body?.cancel()
}
