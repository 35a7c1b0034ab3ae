import type { InfiniteData, QueryClient } from '@tanstack/react-query'
import { createRoute, lazyRouteComponent, redirect } from '@tanstack/react-router'
import type { Output } from '../../contract/index.ts'
import { prefetch, prefetchPage } from '../api.ts'
import {
  parseInboxSearch,
  toInteractionsInput,
  toListConversationsInput,
} from '../pages/inbox/search-params.ts'
import { shell } from './shell.tsx'

const inbox = createRoute({
  getParentRoute: () => shell,
  path: 'inbox',
  validateSearch: parseInboxSearch,
  loaderDeps: ({ search }) => search,
  loader: ({ context, deps }) => {
    prefetchPage(context.queryClient, 'listConversations', toListConversationsInput(deps))
  },
  component: lazyRouteComponent(() => import('../pages/inbox/inbox.tsx'), 'InboxPage'),
})
const thread = createRoute({
  getParentRoute: () => inbox,
  path: '$emailThreadId',
  loader: ({ context, params }) => {
    prefetch(context.queryClient, 'getConversation', { conversationId: params.emailThreadId })
    prefetch(context.queryClient, 'getEmailThread', params)
    prefetchInteractions(context.queryClient, params.emailThreadId)
  },
  component: lazyRouteComponent(() => import('../pages/inbox/thread.tsx'), 'Thread'),
})
const newEmail = createRoute({
  getParentRoute: () => inbox,
  path: 'new/$personId',
  loader: ({ context, params }) => {
    prefetch(context.queryClient, 'getPerson', params)
  },
  component: lazyRouteComponent(() => import('../pages/inbox/new-email.tsx'), 'NewEmailPage'),
})
const linkedinConversation = createRoute({
  getParentRoute: () => inbox,
  path: 'linkedin/$linkedinConversationId',
  loader: ({ context, params }) => {
    prefetch(context.queryClient, 'getConversation', { conversationId: params.linkedinConversationId })
    prefetch(context.queryClient, 'getLinkedinConversation', params)
    prefetchInteractions(context.queryClient, params.linkedinConversationId)
  },
  component: lazyRouteComponent(() => import('../pages/inbox/linkedin-conversation.tsx'), 'ConversationPage'),
})
/** The former URL of the LinkedIn inbox. */
const linkedin = createRoute({
  getParentRoute: () => shell,
  path: 'inbox/linkedin',
  beforeLoad: () => {
    throw redirect({ to: '/inbox', search: { channel: 'linkedin' }, replace: true })
  },
})

/** Prefetches the person's other messages and calls, if a loaded list contains the conversation with its person. */
function prefetchInteractions(cache: QueryClient, conversationId: string): void {
  const lists = cache.getQueriesData<Partial<InfiniteData<Output<'listConversations'>>>>({
    queryKey: ['listConversations'],
  })
  const listed = lists.flatMap(([, list]) => list?.pages ?? []).flatMap(({ data }) => data)
  const personId = listed.find(({ id }) => id === conversationId)?.personId
  if (!personId) return
  prefetch(cache, 'getPersonTimeline', toInteractionsInput(personId))
  prefetch(cache, 'getPerson', { personId })
}

export const inboxRoutes = [inbox.addChildren([thread, newEmail, linkedinConversation]), linkedin]
