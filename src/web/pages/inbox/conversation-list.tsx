import { getRouteApi, Link } from '@tanstack/react-router'
import { memo } from 'react'
import { usePermission } from '../../api.ts'
import { type Conversation, getContactName, getConversationPath } from '../../components/conversations.ts'
import { replyIntents } from '../../components/reply-intents.ts'
import { formatSnoozeTime } from '../../components/snooze-times.ts'
import { Badge, type Tone } from '../../ui/badge.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { listKeys } from '../../ui/roving-focus.ts'
import { SelectBox, type Selection } from '../../ui/selection.tsx'
import { Time } from '../../ui/time.tsx'
import { useVirtualList } from '../../ui/virtual-list.ts'
import type { View } from './search-params.ts'

const route = getRouteApi('/shell/inbox')

const emptyViews: Record<View, [title: string, text: string]> = {
  needs_reply: ['Nothing is waiting for a reply', 'Replies from your prospects appear here.'],
  drafts: ['No drafts', 'Replies that you or the reply agent began appear here until they are sent.'],
  needs_approval: ['Nothing to approve', 'Messages that an assistant wants to send appear here.'],
  unconfirmed: [
    'No unconfirmed emails',
    'Emails appear here when the mail server didn’t confirm that it accepted them.',
  ],
  waiting: ['Nobody owes you a reply', 'Conversations in which you wrote last appear here.'],
  snoozed: ['Nothing is snoozed', 'Snoozed conversations appear here until they return to your inbox.'],
  done: ['Nothing is done yet', 'Conversations that you mark as done appear here.'],
  all: ['No conversations yet', 'Replies to your campaigns and the emails that you write appear here.'],
}

const ROW_HEIGHT_PX = 91

type Props = {
  conversations: Conversation[]
  /** True if more conversations can be loaded. */
  hasMore: boolean
  openId: string | undefined
  selection: Selection<Conversation>
}

export function ConversationList({ conversations, hasMore, openId, selection }: Props) {
  const { view = 'needs_reply', order: _order, ...filters } = route.useSearch()
  const canSelect = usePermission('Inbox.SendMessage')
  const { listRef, isFull, measure, visible, below } = useVirtualList(conversations, {
    estimatedHeightPx: ROW_HEIGHT_PX,
    openId,
  })
  if (conversations.length === 0) {
    const isFiltered = Object.keys(filters).length > 0
    const [title, text] = isFiltered
      ? ['No conversation matches', 'Search for other words or remove a filter.']
      : emptyViews[view]
    return <EmptyState title={title}>{text}</EmptyState>
  }
  return (
    <ul
      ref={listRef}
      aria-label="Conversations"
      {...listKeys}
      style={{ paddingBottom: below }}
      className="overflow-hidden rounded-card border border-line bg-surface text-sm"
    >
      {visible.map(({ row, index, gap }) => (
        <li
          key={row.id}
          ref={measure}
          data-index={index}
          data-conversation={row.id}
          aria-posinset={index + 1}
          aria-setsize={hasMore ? -1 : conversations.length}
          style={{ marginTop: gap }}
          // When all rows are rendered, skip layout and painting for rows out of view.
          className={`flex border-line border-b last:border-0 hover:bg-sunken has-aria-[current=page]:bg-accent-quiet ${isFull ? '[contain-intrinsic-size:auto_5.6rem] [content-visibility:auto]' : ''}`}
        >
          {canSelect && (
            <span className="mt-3 ml-3 flex shrink-0 items-start">
              <SelectBox selection={selection} id={row.id} name={getContactName(row)} />
            </span>
          )}
          <ConversationLink conversation={row} />
        </li>
      ))}
    </ul>
  )
}

/** Re-renders only when the conversation changes, so that scrolling stays smooth. */
const ConversationLink = memo(({ conversation }: { conversation: Conversation }) => {
  const { channel, person, subject, lastMessage, isUnread } = conversation
  return (
    <Link
      to={getConversationPath(conversation) as '/inbox'}
      search={true}
      activeOptions={{ includeSearch: false }}
      className="relative min-w-0 flex-1 scroll-my-2 px-3 py-2 outline-offset-[-2px]"
    >
      <span className="flex items-baseline justify-between gap-3">
        <span className="min-w-0 truncate">
          <span className={isUnread ? 'font-semibold' : ''}>{getContactName(conversation)}</span>
          {person?.company && <span className="text-muted"> · {person.company}</span>}
          {isUnread && <span className="sr-only">, unread</span>}
        </span>
        <span className="flex shrink-0 items-center gap-1.5 text-muted text-xs">
          <Time at={lastMessage.at} />
          {isUnread && <span aria-hidden="true" className="size-2 rounded-full bg-accent" />}
        </span>
      </span>
      <span className="flex items-center justify-between gap-2">
        <span className={`min-w-0 truncate ${isUnread ? 'font-medium' : ''}`}>
          {channel === 'linkedin' ? 'LinkedIn' : subject || 'No subject'}
        </span>
        <RowBadge conversation={conversation} />
      </span>
      <span className="block truncate text-muted">
        {lastMessage.direction === 'out' && 'You: '}
        {lastMessage.text}
      </span>
      <span className="block truncate text-muted text-xs">{getDetails(conversation)}</span>
    </Link>
  )
})

/** Formats the campaign, assignee, tags and snooze of a conversation. */
const getDetails = ({ campaign, assignee, tags, snoozedUntil }: Conversation): string =>
  [
    campaign?.name,
    snoozedUntil && `Snoozed until ${formatSnoozeTime(new Date(snoozedUntil))}`,
    assignee && `Assigned to ${assignee.name}`,
    ...tags,
  ]
    .filter(Boolean)
    .join(' · ')

/** Shows the badge of a conversation's most urgent state. */
function RowBadge({ conversation }: { conversation: Conversation }) {
  const badge = getBadge(conversation)
  return (
    badge && (
      <span className="shrink-0">
        <Badge tone={badge[1]}>{badge[0]}</Badge>
      </span>
    )
  )
}

function getBadge({ unconfirmedIds, needsApproval, intent }: Conversation): [string, Tone] | undefined {
  if (unconfirmedIds) return ['Unconfirmed', 'amber']
  if (needsApproval) return ['Awaiting approval', 'amber']
  return intent && replyIntents[intent]
}
