import type { QueryClient } from '@tanstack/react-query'
import {
  createRoute,
  createRouter,
  lazyRouteComponent,
  parseSearchWith,
  redirect,
  stringifySearchWith,
} from '@tanstack/react-router'
import type { ApiError } from '../client.ts'
import { loadSession, prefetch, prefetchPage, request } from './api.ts'
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
import type { DeliveryStatus } from './pages/settings/webhook-deliveries.tsx'
import { type TasksSearch, toListTasksInput } from './pages/tasks/search-params.ts'
import { confirm, invitation, reset, root, setup, signIn, toText } from './public-routes.tsx'

const shell = createRoute({
  getParentRoute: () => root,
  id: 'shell',
  // A loader, not beforeLoad: runs in parallel with the loaders of the pages inside.
  loader: async ({ context, location }) => {
    try {
      await loadSession(context.cache)
    } catch (error) {
      if ((error as ApiError).code !== 'Unauthorized') throw error
      const { isNeeded } = await request<{ isNeeded: boolean }>('GET', '/setup')
      if (isNeeded) throw redirect({ to: '/setup' })
      throw redirect({ to: '/sign-in', search: { next: location.href === '/' ? undefined : location.href } })
    }
  },
  component: lazyRouteComponent(() => import('./shell.tsx'), 'Shell'),
})
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
const settings = createRoute({
  getParentRoute: () => shell,
  path: 'settings',
  component: lazyRouteComponent(() => import('./pages/settings/settings-layout.tsx'), 'SettingsLayout'),
})
const settingsHome = createRoute({
  getParentRoute: () => settings,
  path: '/',
  beforeLoad: () => {
    throw redirect({ to: '/settings/profile', replace: true })
  },
})
const profile = createRoute({
  getParentRoute: () => settings,
  path: 'profile',
  component: lazyRouteComponent(() => import('./pages/settings/profile.tsx'), 'ProfilePage'),
})
const signInSettings = createRoute({
  getParentRoute: () => settings,
  path: 'sign-in',
  component: lazyRouteComponent(() => import('./pages/settings/sign-in.tsx'), 'SignInSettingsPage'),
})
const apiTokens = createRoute({
  getParentRoute: () => settings,
  path: 'api-tokens',
  loader: ({ context }) => prefetchPage(context.cache, 'listApiTokens', {}),
  component: lazyRouteComponent(() => import('./pages/settings/api-tokens.tsx'), 'ApiTokensPage'),
})
const connectedApps = createRoute({
  getParentRoute: () => settings,
  path: 'connected-apps',
  component: lazyRouteComponent(() => import('./pages/settings/connected-apps.tsx'), 'ConnectedAppsPage'),
})
const sessions = createRoute({
  getParentRoute: () => settings,
  path: 'sessions',
  component: lazyRouteComponent(() => import('./pages/settings/sessions.tsx'), 'SessionsPage'),
})
const members = createRoute({
  getParentRoute: () => settings,
  path: 'members',
  component: lazyRouteComponent(() => import('./pages/settings/members.tsx'), 'MembersPage'),
})
const singleSignOn = createRoute({
  getParentRoute: () => settings,
  path: 'single-sign-on',
  component: lazyRouteComponent(() => import('./pages/settings/single-sign-on.tsx'), 'SingleSignOnPage'),
})
const webhooks = createRoute({
  getParentRoute: () => settings,
  path: 'webhooks',
  loader: ({ context }) => prefetchPage(context.cache, 'listWebhooks', {}),
  component: lazyRouteComponent(() => import('./pages/settings/webhooks.tsx'), 'WebhooksPage'),
})
const webhook = createRoute({
  getParentRoute: () => settings,
  path: 'webhooks/$webhookId',
  validateSearch: ({ status }): { status?: DeliveryStatus } =>
    status === 'pending' || status === 'delivered' || status === 'failed' ? { status } : {},
  component: lazyRouteComponent(() => import('./pages/settings/webhook.tsx'), 'WebhookPage'),
})
const replyAgent = createRoute({
  getParentRoute: () => settings,
  path: 'reply-agent',
  loader: ({ context }) => prefetch(context.cache, 'getReplyAgent', {}),
  component: lazyRouteComponent(() => import('./pages/settings/reply-agent.tsx'), 'ReplyAgentPage'),
})
const auditLog = createRoute({
  getParentRoute: () => settings,
  path: 'audit-log',
  component: lazyRouteComponent(() => import('./pages/settings/audit-log.tsx'), 'AuditLogPage'),
})
const account = createRoute({
  getParentRoute: () => settings,
  path: 'account',
  component: lazyRouteComponent(() => import('./pages/settings/account.tsx'), 'AccountPage'),
})

const tree = root.addChildren([
  setup,
  signIn,
  confirm,
  reset,
  invitation,
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
    settings.addChildren([
      settingsHome,
      profile,
      signInSettings,
      apiTokens,
      sessions,
      connectedApps,
      members,
      singleSignOn,
      webhooks,
      webhook,
      replyAgent,
      auditLog,
      account,
    ]),
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
