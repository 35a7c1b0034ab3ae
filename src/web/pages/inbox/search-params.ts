import type { RawInput } from '../../../contract/index.ts'
import type { ReplyIntent } from '../../../contract/reply-agent.ts'
import { replyIntents } from '../../components/reply-intents.ts'
import { isSearchable } from '../../ui/is-searchable.ts'

// Separate from the pages, so that the router can prefetch without loading them.

export const viewLabels = {
  needs_reply: 'Needs reply',
  drafts: 'Drafts',
  needs_approval: 'Needs approval',
  unconfirmed: 'Unconfirmed',
  waiting: 'Waiting',
  snoozed: 'Snoozed',
  done: 'Done',
  all: 'All',
}
export type View = keyof typeof viewLabels

export const channelLabels = { email: 'Email', linkedin: 'LinkedIn' }

/** The view and filters of the inbox in the URL. */
export type InboxSearch = {
  /** Defaults to `needs_reply`. */
  view?: View
  channel?: keyof typeof channelLabels
  intent?: ReplyIntent
  campaignId?: string
  repId?: string
  assigneeId?: string
  tag?: string
  unassigned?: 'true'
  unread?: 'true'
  query?: string
  /** Oldest first; newest first if omitted. */
  order?: 'asc'
}

const isKey = <T extends object>(labels: T, key: unknown): key is keyof T =>
  typeof key === 'string' && Object.hasOwn(labels, key)

const flagFilters = ['unassigned', 'unread'] as const
const textFilters = ['campaignId', 'repId', 'assigneeId', 'tag', 'query'] as const

export function parseInboxSearch(search: Record<string, unknown>): InboxSearch {
  const { view, channel, intent, order } = search
  // The router has parsed `true` as a boolean.
  const flags = flagFilters.filter(name => String(search[name]) === 'true')
  const texts = textFilters.flatMap(name => (search[name] ? [[name, String(search[name])]] : []))
  return {
    ...(isKey(viewLabels, view) && view !== 'needs_reply' && { view }),
    ...(isKey(channelLabels, channel) && { channel }),
    ...(isKey(replyIntents, intent) && { intent }),
    ...(order === 'asc' && { order }),
    ...Object.fromEntries(flags.map(name => [name, 'true'])),
    ...Object.fromEntries(texts),
  }
}

/** Keeps the view and filters while the inbox is open. The parameters of other pages have other meanings. */
export const keepInboxSearch = (search: object): InboxSearch =>
  location.pathname.startsWith('/inbox') ? search : {}

/** Returns the input that reads the latest emails, LinkedIn messages and calls of a person. */
export const toInteractionsInput = (personId: string): RawInput<'getPersonTimeline'> => ({
  personId,
  type: ['email', 'linkedin_message', 'call'],
  limit: 100,
})

export const toListConversationsInput = ({
  view = 'needs_reply',
  intent,
  unassigned,
  unread,
  query,
  ...filters
}: InboxSearch): RawInput<'listConversations'> => ({
  view,
  ...filters,
  ...(intent && { intent: [intent] }),
  ...(unassigned && { unassigned: true }),
  ...(unread && { unread: true }),
  ...(query && isSearchable(query) && { query }),
})
