import { getRouteApi, Link, Outlet, useMatchRoute } from '@tanstack/react-router'
import type { Output } from '../../../contract/index.ts'
import { usePages } from '../../api.ts'
import { Badge } from '../../ui/badge.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { LoadMore } from '../../ui/load-more.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import { listKeys } from '../../ui/roving-focus.ts'
import { TableSkeleton } from '../../ui/skeleton.tsx'
import { Time } from '../../ui/time.tsx'
import { filterLinkProps, InboxLayout } from './inbox-layout.tsx'
import { toListLinkedinMessagesInput } from './search-params.ts'

export type LinkedinMessage = Output<'listLinkedinMessages'>['data'][number]

const route = getRouteApi('/shell/inbox/linkedin')

const filters = { all: 'All', unread: 'Unread', drafts: 'Drafts' } as const

/** The LinkedIn conversations and the open one. */
export function LinkedinPage() {
  const { only } = route.useSearch()
  const isOpen = useMatchRoute()({ to: '/inbox/linkedin/$linkedinConversationId' }) !== false
  const { query, more } = usePages('listLinkedinMessages', toListLinkedinMessagesInput({ only }))
  return (
    <InboxLayout
      channel="LinkedIn"
      isOpen={isOpen}
      list={
        <>
          <nav aria-label="Filter conversations" className="mb-3 flex gap-1">
            {Object.entries(filters).map(([name, label]) => (
              <Link
                key={name}
                to="/inbox/linkedin"
                search={name === 'all' ? {} : { only: name as 'unread' | 'drafts' }}
                aria-current={name === (only ?? 'all') ? 'page' : undefined}
                {...filterLinkProps}
              >
                {label}
              </Link>
            ))}
          </nav>
          <Loaded query={query} skeleton={<TableSkeleton />}>
            {messages => <Conversations messages={messages} only={only} />}
          </Loaded>
          {query.data && <LoadMore {...more} count={query.data.length} />}
        </>
      }
    >
      <Outlet />
    </InboxLayout>
  )
}

/** Returns the newest message of each conversation, in the given order. */
const getNewestPerConversation = (messages: LinkedinMessage[]): LinkedinMessage[] => [
  ...new Map(messages.toReversed().map(message => [message.linkedinConversationId, message]))
    .values()
    .toArray()
    .toSorted((a, b) => messages.indexOf(a) - messages.indexOf(b)),
]

const emptyTexts = {
  all: 'LinkedIn messages from campaigns and connected accounts appear here.',
  unread: 'You’ve read all messages.',
  drafts: 'Replies that haven’t been sent appear here.',
}

type Props = { messages: LinkedinMessage[]; only: 'unread' | 'drafts' | undefined }

function Conversations({ messages, only }: Props) {
  if (messages.length === 0)
    return <EmptyState title="No conversations">{emptyTexts[only ?? 'all']}</EmptyState>
  return (
    <ul
      aria-label="Conversations"
      {...listKeys}
      className="overflow-hidden rounded-card border border-line bg-surface text-sm"
    >
      {getNewestPerConversation(messages).map(message => (
        <li key={message.linkedinConversationId} className="border-line border-b last:border-0">
          <Link
            to="/inbox/linkedin/$linkedinConversationId"
            params={{ linkedinConversationId: message.linkedinConversationId }}
            search={true}
            className="block scroll-my-2 px-3 py-2 outline-offset-[-2px] hover:bg-sunken aria-[current=page]:bg-accent-quiet"
          >
            <span className="flex items-baseline justify-between gap-3">
              <span className={`truncate ${message.isUnread ? 'font-semibold' : 'font-medium'}`}>
                {message.personName ?? 'Unknown contact'}
              </span>
              <span className="shrink-0 text-muted text-xs">
                {message.happenedAt && <Time at={message.happenedAt} />}
              </span>
            </span>
            <span className="flex items-center gap-2">
              <span className="min-w-0 truncate text-muted">
                {message.type !== 'received' && 'You: '}
                {message.text}
              </span>
              {message.isUnread && <Badge tone="accent">Unread</Badge>}
              {message.taskId && <Badge tone="blue">Queued</Badge>}
            </span>
          </Link>
        </li>
      ))}
    </ul>
  )
}
