import { parseMessageIds } from '../../identity/message-id.ts'
import type { ParsedEmail } from '../../mime/parse.ts'
import type { BounceClass } from './diagnosis.ts'

export type SesNotice = {
  kind: 'bounce' | 'complaint' | 'report'
  recipients: { address: string; class: BounceClass; status?: string }[]
  reason: string
  messageIds: string[]
}

const kinds = { Bounce: 'bounce', Complaint: 'complaint', Delivery: 'report' } as const

/**
 * Parses a notification of Amazon SES that SNS sends by email: JSON as text, with a footer below.
 * https://docs.aws.amazon.com/ses/latest/dg/notification-contents.html
 */
export function parseSesNotice({ headers, bodyText }: ParsedEmail): SesNotice | undefined {
  if (!headers.has('x-amz-sns-message-id')) return undefined
  const notice = parseNotice(bodyText)
  const type = text(notice.notificationType ?? notice.eventType)
  const kind = kinds[type as keyof typeof kinds]
  if (!kind) return undefined
  const { bounce, complaint, delivery, mail } = { ...empty, ...notice } as Record<string, Json>
  const named = {
    bounce: list(bounce?.bouncedRecipients),
    complaint: list(complaint?.complainedRecipients),
    report: list(delivery?.recipients),
  }[kind]
  return {
    kind,
    reason: `Amazon SES notification: ${[type, text(bounce?.bounceType), text(bounce?.bounceSubType)].join(' ').trim()}`,
    recipients: named.map(entry => ({
      address: text(typeof entry === 'string' ? entry : entry.emailAddress).toLowerCase(),
      class: kind === 'bounce' ? toBounceClass(bounce ?? {}) : 'unknown',
      ...(text(field(entry, 'status')) && { status: text(field(entry, 'status')) }),
    })),
    messageIds: listMessageIds(mail ?? {}),
  }
}

type Json = Record<string, unknown>
const empty: Record<string, Json | undefined> = {}

/** Parses the JSON above the footer, after joining lines that were wrapped. */
function parseNotice(body: string): Json {
  const json = body.split(/\n-- ?\n/, 1)[0]!.replace(/!?\r?\n ?/g, '')
  try {
    const found: unknown = JSON.parse(json)
    return isJson(found) ? found : {}
  } catch {
    return {}
  }
}

const isJson = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
const text = (value: unknown): string => (typeof value === 'string' ? value.slice(0, 1_000) : '')
const list = (value: unknown): (string | Json)[] =>
  Array.isArray(value) ? value.slice(0, 100).filter(entry => isJson(entry) || typeof entry === 'string') : []
const field = (entry: string | Json, name: string): unknown =>
  typeof entry === 'string' ? undefined : entry[name]

/**
 * Returns the class of a bounce; `unknown` for suppressed addresses, because only the suppression list of SES records
 * the reason.
 */
function toBounceClass(bounce: Json): BounceClass {
  const [type, kind] = [text(bounce.bounceType), text(bounce.bounceSubType)]
  if (type === 'Transient') return /content|attachment/i.test(kind) ? 'unknown' : 'soft'
  return type === 'Permanent' && /^(?:General|NoEmail)$/.test(kind) ? 'hard' : 'unknown'
}

/** Lists our Message-IDs. SES assigns its own ID, so ours is known only if the topic includes the original headers. */
function listMessageIds(mail: Json): string[] {
  const own = list(mail.headers).filter(entry => text(field(entry, 'name')).toLowerCase() === 'message-id')
  const common = isJson(mail.commonHeaders) ? text(mail.commonHeaders.messageId) : ''
  const written = [...own.map(entry => text(field(entry, 'value'))), common].join(' ')
  return [...new Set(parseMessageIds(written))]
}
