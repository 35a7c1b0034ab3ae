import { parseMessageIds } from '../../identity/message-id.ts'
import type { ParsedEmail } from '../../mime/parse.ts'
import type { BounceClass } from './diagnosis.ts'

export type SesNotice = {
  kind: 'bounce' | 'complaint' | 'report'
  recipients: { address: string; class: BounceClass; status?: string }[]
  why: string
  messageIds: string[]
}

const kinds = { Bounce: 'bounce', Complaint: 'complaint', Delivery: 'report' } as const

/**
 * What Amazon SES tells a topic, which SNS mails on: JSON as text, with a footer below it.
 * https://docs.aws.amazon.com/ses/latest/dg/notification-contents.html
 */
export function parseSesNotice({ headers, bodyText }: ParsedEmail): SesNotice | undefined {
  if (!headers.has('x-amz-sns-message-id')) return undefined
  const notice = parsed(bodyText)
  const kind = kinds[text(notice.notificationType ?? notice.eventType) as keyof typeof kinds]
  if (!kind) return undefined
  const { bounce, complaint, delivery, mail } = { ...empty, ...notice } as Record<string, Json>
  const named = {
    bounce: list(bounce?.bouncedRecipients),
    complaint: list(complaint?.complainedRecipients),
    report: list(delivery?.recipients),
  }[kind]
  return {
    kind,
    why: `Amazon SES says ${[kind, text(bounce?.bounceType), text(bounce?.bounceSubType)].join(' ').trim()}`,
    recipients: named.map(one => ({
      address: text(typeof one === 'string' ? one : one.emailAddress).toLowerCase(),
      class: kind === 'bounce' ? classOf(bounce ?? {}) : 'unknown',
      ...(text(field(one, 'status')) && { status: text(field(one, 'status')) }),
    })),
    messageIds: ownIds(mail ?? {}),
  }
}

type Json = Record<string, unknown>
const empty: Record<string, Json | undefined> = {}

/** Long lines come broken into pieces, so that only what stands before the footer, joined again, is JSON. */
function parsed(body: string): Json {
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
  Array.isArray(value) ? value.slice(0, 100).filter(one => isJson(one) || typeof one === 'string') : []
const field = (one: string | Json, name: string): unknown => (typeof one === 'string' ? undefined : one[name])

/** Permanent says for good; of what is suppressed only the list of SES knows why. */
function classOf(bounce: Json): BounceClass {
  const [type, kind] = [text(bounce.bounceType), text(bounce.bounceSubType)]
  if (type === 'Transient') return /content|attachment/i.test(kind) ? 'unknown' : 'soft'
  return type === 'Permanent' && /^(?:General|NoEmail)$/.test(kind) ? 'hard' : 'unknown'
}

/** SES gives mails ids of its own; ours is among the headers when the topic asks for them. */
function ownIds(mail: Json): string[] {
  const own = list(mail.headers).filter(one => text(field(one, 'name')).toLowerCase() === 'message-id')
  const common = isJson(mail.commonHeaders) ? text(mail.commonHeaders.messageId) : ''
  const written = [...own.map(one => text(field(one, 'value'))), common].join(' ')
  return [...new Set(parseMessageIds(written))]
}
