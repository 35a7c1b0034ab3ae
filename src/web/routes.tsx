import type { QueryClient } from '@tanstack/react-query'
import {
  createRoute,
  createRouter,
  lazyRouteComponent,
  parseSearchWith,
  redirect,
  stringifySearchWith,
} from '@tanstack/react-router'
import { prefetch, prefetchPage } from './api.ts'
import {
  type CallsSearch,
  type RequestsSearch,
  toListCallRequestsInput,
  toListCallsInput,
} from './pages/calls/search-params.ts'
import { isProspectStatus, type ProspectStatus } from './pages/campaigns/prospect-statuses.ts'
import {
  type LinkedinSearch,
  toListEmailMessagesInput,
  toListLinkedinMessagesInput,
} from './pages/inbox/search-params.ts'
import { type TasksSearch, toListTasksInput } from './pages/tasks/search-params.ts'
import { confirm, docs, invitation, reset, root, setup, signIn, toText } from './public-routes.tsx'
import { settings } from './settings-routes.tsx'
import { shell } from './shell-route.tsx'

const home = createRoute({
  getParentRoute: () => shell,
  path: '/',
  beforeLoad: () => {
    throw redirect({ to: '/campaigns', replace: true })
  },
})
const inbox = createRoute({
  getParentRoute: () => shell,
  path: 'inbox',
  validateSearch: ({ only }): { only?: 'unanswered' } => (only === 'unanswered' ? { only } : {}),
  loaderDeps: ({ search }) => search,
  loader: ({ context, deps }) =>
    prefetchPage(context.cache, 'listEmailMessages', toListEmailMessagesInput(deps)),
  component: lazyRouteComponent(() => import('./pages/inbox/inbox.tsx'), 'InboxPage'),
})
const thread = createRoute({
  getParentRoute: () => inbox,
  path: '$emailThreadId',
  loader: ({ context, params }) => prefetch(context.cache, 'getEmailThread', params),
  component: lazyRouteComponent(() => import('./pages/inbox/thread.tsx'), 'Thread'),
})
const linkedin = createRoute({
  getParentRoute: () => shell,
  path: 'inbox/linkedin',
  validateSearch: ({ only }): LinkedinSearch => (only === 'unread' || only === 'drafts' ? { only } : {}),
  loaderDeps: ({ search }) => search,
  loader: ({ context, deps }) =>
    prefetchPage(context.cache, 'listLinkedinMessages', toListLinkedinMessagesInput(deps)),
  component: lazyRouteComponent(() => import('./pages/inbox/linkedin-inbox.tsx'), 'LinkedinPage'),
})
const conversation = createRoute({
  getParentRoute: () => linkedin,
  path: '$linkedinConversationId',
  loader: ({ context, params }) => prefetch(context.cache, 'getLinkedinConversation', params),
  component: lazyRouteComponent(() => import('./pages/inbox/linkedin-conversation.tsx'), 'ConversationPage'),
})
const campaigns = createRoute({
  getParentRoute: () => shell,
  path: 'campaigns',
  loader: ({ context }) => prefetchPage(context.cache, 'listCampaigns', {}),
  component: lazyRouteComponent(() => import('./pages/campaigns/campaigns.tsx'), 'CampaignsPage'),
})
const campaign = createRoute({
  getParentRoute: () => shell,
  path: 'campaigns/$campaignId',
  loader: ({ context, params }) => {
    prefetch(context.cache, 'getCampaign', params)
    prefetch(context.cache, 'getCampaignStats', params)
  },
  component: lazyRouteComponent(() => import('./pages/campaigns/campaign.tsx'), 'CampaignPage'),
})
const prospects = createRoute({
  getParentRoute: () => shell,
  path: 'campaigns/$campaignId/prospects',
  validateSearch: ({ status }): { status?: ProspectStatus } => (isProspectStatus(status) ? { status } : {}),
  loaderDeps: ({ search }) => search,
  loader: ({ context, params, deps }) =>
    prefetchPage(context.cache, 'listCampaignProspects', { ...params, ...deps }),
  component: lazyRouteComponent(() => import('./pages/campaigns/prospects.tsx'), 'ProspectsPage'),
})
const calls = createRoute({
  getParentRoute: () => shell,
  path: 'calls',
  validateSearch: ({ status, assistantId }): CallsSearch => ({
    status: toText(status),
    assistantId: toText(assistantId),
  }),
  loaderDeps: ({ search }) => search,
  loader: ({ context, deps }) => prefetchPage(context.cache, 'listCalls', toListCallsInput(deps)),
  component: lazyRouteComponent(() => import('./pages/calls/calls.tsx'), 'CallsPage'),
})
const callRequests = createRoute({
  getParentRoute: () => shell,
  path: 'calls/requests',
  validateSearch: ({ status }): RequestsSearch => ({ status: toText(status) }),
  loaderDeps: ({ search }) => search,
  loader: ({ context, deps }) =>
    prefetchPage(context.cache, 'listCallRequests', toListCallRequestsInput(deps)),
  component: lazyRouteComponent(() => import('./pages/calls/requests.tsx'), 'CallRequestsPage'),
})
const assistants = createRoute({
  getParentRoute: () => shell,
  path: 'calls/assistants',
  loader: ({ context }) => prefetchPage(context.cache, 'listAssistants', {}),
  component: lazyRouteComponent(() => import('./pages/calls/assistants.tsx'), 'AssistantsPage'),
})
const newAssistant = createRoute({
  getParentRoute: () => shell,
  path: 'calls/assistants/new',
  component: lazyRouteComponent(() => import('./pages/calls/new-assistant.tsx'), 'NewAssistantPage'),
})
const assistant = createRoute({
  getParentRoute: () => shell,
  path: 'calls/assistants/$assistantId',
  loader: ({ context, params }) => prefetch(context.cache, 'getAssistant', params),
  component: lazyRouteComponent(() => import('./pages/calls/assistant.tsx'), 'AssistantPage'),
})
const consents = createRoute({
  getParentRoute: () => shell,
  path: 'calls/consents',
  validateSearch: ({ phoneNumber }): { phoneNumber?: string | undefined } => ({
    phoneNumber: toText(phoneNumber),
  }),
  loaderDeps: ({ search }) => search,
  loader: ({ context, deps }) => prefetchPage(context.cache, 'listConsents', deps),
  component: lazyRouteComponent(() => import('./pages/calls/consents.tsx'), 'ConsentsPage'),
})
const call = createRoute({
  getParentRoute: () => shell,
  path: 'calls/$callId',
  loader: ({ context, params }) => prefetch(context.cache, 'getCall', params),
  component: lazyRouteComponent(() => import('./pages/calls/call.tsx'), 'CallPage'),
})
const tasks = createRoute({
  getParentRoute: () => shell,
  path: 'tasks',
  validateSearch: ({ status, repId }): TasksSearch => ({ status: toText(status), repId: toText(repId) }),
  loaderDeps: ({ search }) => search,
  loader: ({ context, deps }) => prefetchPage(context.cache, 'listTasks', toListTasksInput(deps)),
  component: lazyRouteComponent(() => import('./pages/tasks/tasks.tsx'), 'TasksPage'),
})
const dnc = createRoute({
  getParentRoute: () => shell,
  path: 'dnc',
  loader: ({ context }) => prefetchPage(context.cache, 'listOptOuts', {}),
  component: lazyRouteComponent(() => import('./pages/dnc/opt-outs.tsx'), 'OptOutsPage'),
})
const tree = root.addChildren([
  setup,
  signIn,
  confirm,
  reset,
  invitation,
  docs,
  shell.addChildren([
    home,
    inbox.addChildren([thread]),
    linkedin.addChildren([conversation]),
    campaigns,
    campaign,
    prospects,
    tasks,
    calls,
    callRequests,
    assistants,
    newAssistant,
    assistant,
    consents,
    call,
    dnc,
    settings,
  ]),
])

export const createAppRouter = (cache: QueryClient) =>
  createRouter({
    routeTree: tree,
    context: { cache },
    defaultPreload: 'intent',
    scrollRestoration: true,
    // Search parameters stay strings: the router's default parses them as JSON.
    parseSearch: parseSearchWith(value => value),
    stringifySearch: stringifySearchWith(String),
  })

declare module '@tanstack/react-router' {
  interface Register {
    router: ReturnType<typeof createAppRouter>
  }
}
