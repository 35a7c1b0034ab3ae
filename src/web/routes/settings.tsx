import { createRoute, lazyRouteComponent, redirect } from '@tanstack/react-router'
import { prefetch, prefetchPage } from '../api.ts'
import { parseAuditSearch } from '../pages/settings/audit-search.ts'
import { parseSnippetsSearch, toListSnippetsInput } from '../pages/settings/snippets-search.ts'
import type { DeliveryStatus } from '../pages/settings/webhook-deliveries.tsx'
import { shell } from './shell.tsx'
import { toText } from './to-text.ts'

// Routes that some roles may not open don't prefetch data, because the role is not known yet.
const layout = createRoute({
  getParentRoute: () => shell,
  path: 'settings',
  component: lazyRouteComponent(() => import('../pages/settings/settings-layout.tsx'), 'SettingsLayout'),
})
const home = createRoute({
  getParentRoute: () => layout,
  path: '/',
  beforeLoad: () => {
    throw redirect({ to: '/settings/profile', replace: true })
  },
})
const profile = createRoute({
  getParentRoute: () => layout,
  path: 'profile',
  component: lazyRouteComponent(() => import('../pages/settings/profile.tsx'), 'ProfilePage'),
})
const notifications = createRoute({
  getParentRoute: () => layout,
  path: 'notifications',
  loader: ({ context }) => prefetch(context.queryClient, 'getNotificationSettings', {}),
  component: lazyRouteComponent(
    () => import('../pages/settings/notifications.tsx'),
    'NotificationSettingsPage',
  ),
})
const signInSettings = createRoute({
  getParentRoute: () => layout,
  path: 'sign-in',
  component: lazyRouteComponent(() => import('../pages/settings/sign-in.tsx'), 'SignInSettingsPage'),
})
const apiTokens = createRoute({
  getParentRoute: () => layout,
  path: 'api-tokens',
  loader: ({ context }) => prefetchPage(context.queryClient, 'listApiTokens', {}),
  component: lazyRouteComponent(() => import('../pages/settings/api-tokens.tsx'), 'ApiTokensPage'),
})
const connectedApps = createRoute({
  getParentRoute: () => layout,
  path: 'connected-apps',
  component: lazyRouteComponent(() => import('../pages/settings/connected-apps.tsx'), 'ConnectedAppsPage'),
})
const sessions = createRoute({
  getParentRoute: () => layout,
  path: 'sessions',
  component: lazyRouteComponent(() => import('../pages/settings/sessions.tsx'), 'SessionsPage'),
})
const members = createRoute({
  getParentRoute: () => layout,
  path: 'members',
  component: lazyRouteComponent(() => import('../pages/settings/members.tsx'), 'MembersPage'),
})
const singleSignOn = createRoute({
  getParentRoute: () => layout,
  path: 'single-sign-on',
  component: lazyRouteComponent(() => import('../pages/settings/single-sign-on.tsx'), 'SingleSignOnPage'),
})
const senders = createRoute({
  getParentRoute: () => layout,
  path: 'senders',
  loader: ({ context }) => {
    prefetchPage(context.queryClient, 'listReps', {})
    prefetchPage(context.queryClient, 'listMailboxes', {})
    prefetchPage(context.queryClient, 'listLinkedinAccounts', {})
  },
  component: lazyRouteComponent(() => import('../pages/settings/senders.tsx'), 'SendersPage'),
})
const connectMailbox = createRoute({
  getParentRoute: () => layout,
  path: 'senders/connect',
  validateSearch: ({ repId, mailboxId }): { repId?: string | undefined; mailboxId?: string | undefined } => ({
    repId: toText(repId),
    mailboxId: toText(mailboxId),
  }),
  component: lazyRouteComponent(() => import('../pages/settings/connect-mailbox.tsx'), 'ConnectMailboxPage'),
})
const mailboxConnected = createRoute({
  getParentRoute: () => layout,
  path: 'senders/connected',
  validateSearch: ({
    state,
    code,
    error,
    admin_consent,
  }): { [key in 'state' | 'code' | 'error' | 'admin_consent']?: string | undefined } => ({
    state: toText(state),
    code: toText(code),
    error: toText(error),
    admin_consent: toText(admin_consent),
  }),
  component: lazyRouteComponent(
    () => import('../pages/settings/mailbox-connected.tsx'),
    'MailboxConnectedPage',
  ),
})
const mailClients = createRoute({
  getParentRoute: () => layout,
  path: 'mail-clients',
  component: lazyRouteComponent(() => import('../pages/settings/mail-clients.tsx'), 'MailClientsPage'),
})
const domains = createRoute({
  getParentRoute: () => layout,
  path: 'domains',
  loader: ({ context }) => prefetchPage(context.queryClient, 'listDomains', {}),
  component: lazyRouteComponent(() => import('../pages/settings/domains.tsx'), 'DomainsPage'),
})
const dmarcResults = createRoute({
  getParentRoute: () => layout,
  path: 'domains/$domainId/dmarc',
  validateSearch: ({ days }): { days: 30 | 90 | 365 } => ({ days: days === 90 || days === 365 ? days : 30 }),
  component: lazyRouteComponent(() => import('../pages/settings/dmarc-results.tsx'), 'DmarcResultsPage'),
})
const webhooks = createRoute({
  getParentRoute: () => layout,
  path: 'webhooks',
  component: lazyRouteComponent(() => import('../pages/settings/webhooks.tsx'), 'WebhooksPage'),
})
const webhook = createRoute({
  getParentRoute: () => layout,
  path: 'webhooks/$webhookId',
  validateSearch: ({ status }): { status?: DeliveryStatus } =>
    status === 'pending' || status === 'delivered' || status === 'failed' ? { status } : {},
  component: lazyRouteComponent(() => import('../pages/settings/webhook.tsx'), 'WebhookPage'),
})
const replyAgent = createRoute({
  getParentRoute: () => layout,
  path: 'reply-agent',
  component: lazyRouteComponent(() => import('../pages/settings/reply-agent.tsx'), 'ReplyAgentPage'),
})
const customFields = createRoute({
  getParentRoute: () => layout,
  path: 'custom-fields',
  loader: ({ context }) => prefetchPage(context.queryClient, 'listCustomFields', {}),
  component: lazyRouteComponent(() => import('../pages/settings/custom-fields.tsx'), 'CustomFieldsPage'),
})
const tags = createRoute({
  getParentRoute: () => layout,
  path: 'tags',
  loader: ({ context }) => prefetchPage(context.queryClient, 'listTags', {}),
  component: lazyRouteComponent(() => import('../pages/settings/tags.tsx'), 'TagsPage'),
})
const snippets = createRoute({
  getParentRoute: () => layout,
  path: 'snippets',
  validateSearch: parseSnippetsSearch,
  loaderDeps: ({ search }) => search,
  loader: ({ context, deps }) => prefetchPage(context.queryClient, 'listSnippets', toListSnippetsInput(deps)),
  component: lazyRouteComponent(() => import('../pages/settings/snippets.tsx'), 'SnippetsPage'),
})
const auditLog = createRoute({
  getParentRoute: () => layout,
  path: 'audit-log',
  validateSearch: parseAuditSearch,
  component: lazyRouteComponent(() => import('../pages/settings/audit-log.tsx'), 'AuditLogPage'),
})
const account = createRoute({
  getParentRoute: () => layout,
  path: 'account',
  component: lazyRouteComponent(() => import('../pages/settings/account.tsx'), 'AccountPage'),
})

export const settings = layout.addChildren([
  home,
  profile,
  notifications,
  signInSettings,
  apiTokens,
  sessions,
  connectedApps,
  members,
  singleSignOn,
  senders,
  connectMailbox,
  mailboxConnected,
  mailClients,
  domains,
  dmarcResults,
  webhooks,
  webhook,
  replyAgent,
  customFields,
  tags,
  snippets,
  auditLog,
  account,
])
