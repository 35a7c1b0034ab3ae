import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { prefetch, prefetchPage } from '../api.ts'
import {
  type LinkedinSearch,
  toListEmailMessagesInput,
  toListLinkedinMessagesInput,
} from '../pages/inbox/search-params.ts'
import { shell } from './shell.tsx'

const inbox = createRoute({
  getParentRoute: () => shell,
  path: 'inbox',
  validateSearch: ({ only }): { only?: 'unanswered' } => (only === 'unanswered' ? { only } : {}),
  loaderDeps: ({ search }) => search,
  loader: ({ context, deps }) =>
    prefetchPage(context.cache, 'listEmailMessages', toListEmailMessagesInput(deps)),
  component: lazyRouteComponent(() => import('../pages/inbox/inbox.tsx'), 'InboxPage'),
})
const thread = createRoute({
  getParentRoute: () => inbox,
  path: '$emailThreadId',
  loader: ({ context, params }) => prefetch(context.cache, 'getEmailThread', params),
  component: lazyRouteComponent(() => import('../pages/inbox/thread.tsx'), 'Thread'),
})
const linkedin = createRoute({
  getParentRoute: () => shell,
  path: 'inbox/linkedin',
  validateSearch: ({ only }): LinkedinSearch => (only === 'unread' || only === 'drafts' ? { only } : {}),
  loaderDeps: ({ search }) => search,
  loader: ({ context, deps }) =>
    prefetchPage(context.cache, 'listLinkedinMessages', toListLinkedinMessagesInput(deps)),
  component: lazyRouteComponent(() => import('../pages/inbox/linkedin-inbox.tsx'), 'LinkedinPage'),
})
const conversation = createRoute({
  getParentRoute: () => linkedin,
  path: '$linkedinConversationId',
  loader: ({ context, params }) => prefetch(context.cache, 'getLinkedinConversation', params),
  component: lazyRouteComponent(() => import('../pages/inbox/linkedin-conversation.tsx'), 'ConversationPage'),
})

export const inboxRoutes = [inbox.addChildren([thread]), linkedin.addChildren([conversation])]
