import { getRouteApi, Link, Outlet, useMatchRoute } from '@tanstack/react-router'
import { usePages } from '../../api.ts'
import { EmptyState } from '../../ui/empty-state.tsx'
import { LoadMore } from '../../ui/load-more.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import { listKeys } from '../../ui/roving-focus.ts'
import { TableSkeleton } from '../../ui/skeleton.tsx'
import { Time } from '../../ui/time.tsx'
import { filterLinkProps, InboxLayout } from './inbox-layout.tsx'
import { getCorrespondent, type Message, MessageBadge } from './message-card.tsx'
import { toListEmailMessagesInput } from './search-params.ts'

const route = getRouteApi('/shell/inbox')

/** The email threads and the open one. */
export function InboxPage() {
  const { only } = route.useSearch()
  const isOpen = useMatchRoute()({ to: '/inbox/$emailThreadId' }) !== false
  const { query, more } = usePages(
    'listEmailMessages',
    toListEmailMessagesInput({ only }),
    // The last message of a thread is replaced by the next.
    message => message.emailThreadId,
  )
  return (
    <InboxLayout
      channel="Email"
      isOpen={isOpen}
      list={
        <>
          <nav aria-label="Filter threads" className="mb-3 flex gap-1">
            <Link to="/inbox" search={{}} aria-current={only ? undefined : 'page'} {...filterLinkProps}>
              All
            </Link>
            <Link
              to="/inbox"
              search={{ only: 'unanswered' }}
              aria-current={only && 'page'}
              {...filterLinkProps}
            >
              Unanswered
            </Link>
          </nav>
          <Loaded query={query} skeleton={<TableSkeleton />}>
            {messages => <Threads messages={messages} />}
          </Loaded>
          {query.data && <LoadMore {...more} count={query.data.length} />}
        </>
      }
    >
      <Outlet />
    </InboxLayout>
  )
}

function Threads({ messages }: { messages: Message[] }) {
  if (messages.length === 0) {
    return <EmptyState title="No conversations yet">Sent emails and their replies appear here.</EmptyState>
  }
  return (
    <ul
      aria-label="Threads"
      {...listKeys}
      className="overflow-hidden rounded-card border border-line bg-surface text-sm"
    >
      {messages.map(message => (
        <li key={message.emailThreadId} className="border-line border-b last:border-0">
          <Link
            to="/inbox/$emailThreadId"
            params={{ emailThreadId: message.emailThreadId! }}
            search={true}
            className="block scroll-my-2 px-3 py-2 outline-offset-[-2px] hover:bg-sunken aria-[current=page]:bg-accent-quiet"
          >
            <span className="flex items-baseline justify-between gap-3">
              <span className="truncate font-medium">{getCorrespondent(message)}</span>
              <span className="shrink-0 text-muted text-xs">
                <Time at={message.sentAt} />
              </span>
            </span>
            <span className="flex items-center gap-2">
              <span className="min-w-0 truncate">{message.subject || 'No subject'}</span>
              <MessageBadge message={message} />
            </span>
            <span className="block truncate text-muted">{message.newText ?? message.body}</span>
          </Link>
        </li>
      ))}
    </ul>
  )
}
