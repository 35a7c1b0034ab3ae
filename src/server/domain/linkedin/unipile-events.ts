import { z } from 'zod'
import { type LinkedinEvent, NO_TEXT } from './linkedin-event.ts'

/**
 * Unipile’s webhook payloads, as documented for API v1 (webhooks "New messages", "New relation" and "Account status
 * updates"). Fields not read here may have any value.
 */
const attendee = z.looseObject({
  attendee_provider_id: z.string().max(300),
  attendee_profile_url: z.string().max(2000).nullish(),
})

const message = z.looseObject({
  event: z.literal('message_received'),
  account_id: z.string(),
  account_info: z.looseObject({ user_id: z.string().max(300) }).nullish(),
  is_sender: z.union([z.boolean(), z.int()]).nullish(),
  chat_id: z.string().min(1).max(300),
  provider_chat_id: z.string().min(1).max(300).nullish(),
  message_id: z.string().min(1).max(300),
  provider_message_id: z.string().min(1).max(300).nullish(),
  timestamp: z.iso.datetime({ offset: true }),
  message: z.string().max(100_000).nullish(),
  sender: attendee,
  attendees: z.array(attendee).max(500).nullish(),
})

const relation = z.looseObject({
  event: z.literal('new_relation'),
  account_id: z.string(),
  user_provider_id: z.string().max(300),
  user_profile_url: z.string().max(2000).nullish(),
  user_public_identifier: z.string().max(300).nullish(),
})

const accountStatus = z.looseObject({
  AccountStatus: z.looseObject({ account_id: z.string(), message: z.string().max(100) }),
})

/** Parses the event for this account, or returns why it is ignored. */
export function parseUnipileEvent(
  body: unknown,
  account: { providerAccountId: string | null; memberId: string | null },
  now: Date,
): LinkedinEvent | { ignored: string } {
  const status = accountStatus.safeParse(body).data?.AccountStatus
  const parsed = z.discriminatedUnion('event', [message, relation]).safeParse(body)
  const accountId = status?.account_id ?? parsed.data?.account_id
  if (accountId === undefined) return { ignored: 'the event is unknown' }
  if (accountId !== account.providerAccountId) return { ignored: 'the event is for another account' }
  if (status) return { type: 'account', state: status.message }
  const event = parsed.data!
  if (event.event === 'message_received') return parseMessage(event, account)
  const { user_provider_id: memberId, user_profile_url: url, user_public_identifier: name } = event
  const linkedinUrl = url || (name && `https://www.linkedin.com/in/${name}`)
  return {
    type: 'connection.accepted',
    member: { memberId, ...(linkedinUrl && { linkedinUrl }) },
    happenedAt: now,
  }
}

/**
 * Parses a message. Identifies the sender by the owner’s LinkedIn ID, or by the `is_sender` flag when the owner’s ID is
 * unknown.
 */
function parseMessage(
  event: z.output<typeof message>,
  account: { memberId: string | null },
): LinkedinEvent | { ignored: string } {
  const ownId = event.account_info?.user_id ?? account.memberId
  const isOwn = ownId ? event.sender.attendee_provider_id === ownId : Boolean(event.is_sender)
  const others = [event.sender, ...(event.attendees ?? [])].filter(
    ({ attendee_provider_id: id }) => id !== ownId && !(isOwn && id === event.sender.attendee_provider_id),
  )
  const ids = new Set(others.map(({ attendee_provider_id: id }) => id))
  const [other] = others
  if (!other || ids.size > 1) return { ignored: 'the conversation is not between two people' }
  const text = event.message?.trim() ? event.message : undefined
  if (isOwn && !text) return { ignored: 'the message has no text' }
  return {
    type: isOwn ? 'message.sent' : 'message.received',
    member: {
      memberId: other.attendee_provider_id,
      ...(other.attendee_profile_url && { linkedinUrl: other.attendee_profile_url }),
    },
    happenedAt: new Date(event.timestamp),
    conversationId: event.provider_chat_id ?? event.chat_id,
    chatId: event.chat_id,
    messageId: event.message_id,
    text: text ?? NO_TEXT,
    ownMemberId: ownId ?? undefined,
  }
}
