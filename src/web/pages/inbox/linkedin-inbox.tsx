import { getRouteApi, Link, Outlet, useMatchRoute } from '@tanstack/react-router'
import type { Output } from '../../../contract/index.ts'
import { usePages } from '../../api.ts'
import { Badge } from '../../ui/badge.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { LoadMore } from '../../ui/load-more.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import { moveFocus } from '../../ui/roving-focus.ts'
import { TableSkeleton } from '../../ui/skeleton.tsx'
import { Time } from '../../ui/time.tsx'
import { choice, InboxLayout } from './inbox-layout.tsx'
import { toListLinkedinMessagesInput } from './search-params.ts'

export type LinkedinMessage = Output<'listLinkedinMessages'>['data'][number]

const route = getRouteApi('/shell/inbox/linkedin')

const choices = { all: 'All', unread: 'Unread', drafts: 'Drafts' } as const

/** The conversations on LinkedIn, and the one that is open. */
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
          <nav aria-label="Which conversations" className="mb-3 flex gap-1">
            {Object.entries(choices).map(([name, label]) => (
              <Link
                key={name}
                to="/inbox/linkedin"
                search={name === 'all' ? {} : { only: name as 'unread' | 'drafts' }}
                aria-current={name === (only ?? 'all') ? 'page' : undefined}
                {...choice}
              >
                {label}
              </Link>
            ))}
          </nav>
          <Loaded query={query} skeleton={<TableSkeleton />}>
            {messages => <Conversations messages={messages} only={only} />}
          </Loaded>
          {query.data && <LoadMore {...more} shown={query.data.length} />}
        </>
      }
    >
      <Outlet />
    </InboxLayout>
  )
}

/** Each conversation once, by the newest of these messages. */
const getNewestPerConversation = (messages: LinkedinMessage[]): LinkedinMessage[] => [
  ...new Map(messages.toReversed().map(message => [message.linkedinConversationId, message]))
    .values()
    .toArray()
    .toSorted((a, b) => messages.indexOf(a) - messages.indexOf(b)),
]

const emptyTexts = {
  all: 'Messages on LinkedIn come here: those of campaigns, those that somebody records, and what a connected account tells.',
  unread: 'All of them are read.',
  drafts: 'A reply that somebody begins is kept here until it is sent.',
}

type Props = { messages: LinkedinMessage[]; only: 'unread' | 'drafts' | undefined }

function Conversations({ messages, only }: Props) {
  if (messages.length === 0) return <EmptyState title="Nothing here">{emptyTexts[only ?? 'all']}</EmptyState>
  return (
    <ul
      aria-label="Conversations"
      onKeyDown={moveFocus}
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
                {message.personName ?? 'Somebody'}
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
              {message.isUnread && <Badge tone="accent">unread</Badge>}
              {message.taskId && <Badge tone="blue">on its way</Badge>}
            </span>
          </Link>
        </li>
      ))}
    </ul>
  )
}
