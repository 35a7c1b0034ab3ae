import type { QueryClient } from '@tanstack/react-query'
import {
  createRootRouteWithContext,
  createRoute,
  createRouter,
  lazyRouteComponent,
  Outlet,
  parseSearchWith,
  redirect,
  stringifySearchWith,
} from '@tanstack/react-router'
import type { ApiError } from '../client.ts'
import { askAhead, askPageAhead, loadSession, request } from './api.ts'
import { Broken, NothingHere } from './broken.tsx'
import { type CallsSearch, callsOf, type RequestsSearch, requestsOf } from './pages/calls/calls-of.ts'
import { isProspectStatus, type ProspectStatus } from './pages/campaigns/prospect-states.ts'
import { threadsOf } from './pages/inbox/threads-of.ts'
import type { DeliveryStatus } from './pages/settings/webhook-deliveries.tsx'

type Context = { cache: QueryClient }

const root = createRootRouteWithContext<Context>()({
  component: Outlet,
  errorComponent: Broken,
  notFoundComponent: NothingHere,
})

/** The router makes numbers of digits. */
const text = (value: unknown): string | undefined => (value === undefined ? undefined : String(value))

// --- without being signed in -----------------------------------------------------------------------------------

const setup = createRoute({
  getParentRoute: () => root,
  path: 'setup',
  validateSearch: ({ code }): { code?: string } => ({ code: text(code) }),
  component: lazyRouteComponent(() => import('./pages/sign-in/set-up.tsx'), 'SetUpPage'),
})
const signIn = createRoute({
  getParentRoute: () => root,
  path: 'sign-in',
  validateSearch: ({ next, step, problem }): { next?: string; step?: string; problem?: string } => ({
    next: text(next),
    step: text(step),
    problem: text(problem),
  }),
  component: lazyRouteComponent(() => import('./pages/sign-in/sign-in.tsx'), 'SignInPage'),
})
const reset = createRoute({
  getParentRoute: () => root,
  path: 'reset',
  validateSearch: ({ token }): { token?: string } => ({ token: text(token) }),
  component: lazyRouteComponent(() => import('./pages/sign-in/reset.tsx'), 'ResetPage'),
})
const invitation = createRoute({
  getParentRoute: () => root,
  path: 'invitation',
  validateSearch: ({ token }): { token?: string } => ({ token: text(token) }),
  component: lazyRouteComponent(() => import('./pages/sign-in/invitation.tsx'), 'InvitationPage'),
})

// --- signed in -------------------------------------------------------------------------------------------------

const shell = createRoute({
  getParentRoute: () => root,
  id: 'shell',
  // Not before the pages inside load, but beside them.
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
  loader: ({ context, deps }) => askPageAhead(context.cache, 'listEmailMessages', threadsOf(deps)),
  component: lazyRouteComponent(() => import('./pages/inbox/inbox.tsx'), 'InboxPage'),
})
const thread = createRoute({
  getParentRoute: () => inbox,
  path: '$emailThreadId',
  loader: ({ context, params }) => askAhead(context.cache, 'getEmailThread', params),
  component: lazyRouteComponent(() => import('./pages/inbox/thread.tsx'), 'Thread'),
})
const campaigns = createRoute({
  getParentRoute: () => shell,
  path: 'campaigns',
  loader: ({ context }) => askPageAhead(context.cache, 'listCampaigns', {}),
  component: lazyRouteComponent(() => import('./pages/campaigns/campaigns.tsx'), 'CampaignsPage'),
})
const campaign = createRoute({
  getParentRoute: () => shell,
  path: 'campaigns/$campaignId',
  loader: ({ context, params }) => {
    askAhead(context.cache, 'getCampaign', params)
    askAhead(context.cache, 'getCampaignStats', params)
  },
  component: lazyRouteComponent(() => import('./pages/campaigns/campaign.tsx'), 'CampaignPage'),
})
const prospects = createRoute({
  getParentRoute: () => shell,
  path: 'campaigns/$campaignId/prospects',
  validateSearch: ({ status }): { status?: ProspectStatus } => (isProspectStatus(status) ? { status } : {}),
  loaderDeps: ({ search }) => search,
  loader: ({ context, params, deps }) =>
    askPageAhead(context.cache, 'listCampaignProspects', { ...params, ...deps }),
  component: lazyRouteComponent(() => import('./pages/campaigns/prospects.tsx'), 'ProspectsPage'),
})
const calls = createRoute({
  getParentRoute: () => shell,
  path: 'calls',
  validateSearch: ({ status, assistantId }): CallsSearch => ({
    status: text(status),
    assistantId: text(assistantId),
  }),
  loaderDeps: ({ search }) => search,
  loader: ({ context, deps }) => askPageAhead(context.cache, 'listCalls', callsOf(deps)),
  component: lazyRouteComponent(() => import('./pages/calls/calls.tsx'), 'CallsPage'),
})
const callRequests = createRoute({
  getParentRoute: () => shell,
  path: 'calls/requests',
  validateSearch: ({ status }): RequestsSearch => ({ status: text(status) }),
  loaderDeps: ({ search }) => search,
  loader: ({ context, deps }) => askPageAhead(context.cache, 'listCallRequests', requestsOf(deps)),
  component: lazyRouteComponent(() => import('./pages/calls/requests.tsx'), 'CallRequestsPage'),
})
const call = createRoute({
  getParentRoute: () => shell,
  path: 'calls/$callId',
  loader: ({ context, params }) => askAhead(context.cache, 'getCall', params),
  component: lazyRouteComponent(() => import('./pages/calls/call.tsx'), 'CallPage'),
})
const dnc = createRoute({
  getParentRoute: () => shell,
  path: 'dnc',
  loader: ({ context }) => askPageAhead(context.cache, 'listOptOuts', {}),
  component: lazyRouteComponent(() => import('./pages/dnc/opt-outs.tsx'), 'OptOutsPage'),
})
const settings = createRoute({
  getParentRoute: () => shell,
  path: 'settings',
  component: lazyRouteComponent(() => import('./pages/settings/settings.tsx'), 'Settings'),
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
  loader: ({ context }) => askAhead(context.cache, 'listApiTokens', {}),
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
  loader: ({ context }) => askPageAhead(context.cache, 'listWebhooks', {}),
  component: lazyRouteComponent(() => import('./pages/settings/webhooks.tsx'), 'WebhooksPage'),
})
const webhook = createRoute({
  getParentRoute: () => settings,
  path: 'webhooks/$webhookId',
  validateSearch: ({ status }): { status?: DeliveryStatus } =>
    status === 'pending' || status === 'delivered' || status === 'failed' ? { status } : {},
  component: lazyRouteComponent(() => import('./pages/settings/webhook.tsx'), 'WebhookPage'),
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
  reset,
  invitation,
  shell.addChildren([
    home,
    inbox.addChildren([thread]),
    campaigns,
    campaign,
    prospects,
    calls,
    callRequests,
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
      auditLog,
      account,
    ]),
  ]),
])

export const openRouter = (cache: QueryClient) =>
  createRouter({
    routeTree: tree,
    context: { cache },
    defaultPreload: 'intent',
    scrollRestoration: true,
    // As it stands in the address, not read as JSON.
    parseSearch: parseSearchWith(value => value),
    stringifySearch: stringifySearchWith(String),
  })

declare module '@tanstack/react-router' {
  interface Register {
    router: ReturnType<typeof openRouter>
  }
}
