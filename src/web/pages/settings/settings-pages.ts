import type { Permission } from '../../../contract/permissions.ts'

/** Pages without a permission are available to everyone. */
export const settingsPages: { to: string; label: string; permission?: Permission }[] = [
  { to: '/settings/profile', label: 'Profile' },
  { to: '/settings/sign-in', label: 'Sign-in' },
  { to: '/settings/api-tokens', label: 'API tokens' },
  { to: '/settings/sessions', label: 'Sessions' },
  { to: '/settings/connected-apps', label: 'Connected apps' },
  { to: '/settings/account', label: 'Account' },
  { to: '/settings/members', label: 'Members' },
  { to: '/settings/single-sign-on', label: 'Single sign-on', permission: 'Account.ManageSingleSignOn' },
  { to: '/settings/webhooks', label: 'Webhooks', permission: 'Account.ManageWebhooks' },
  { to: '/settings/reply-agent', label: 'Reply agent', permission: 'Account.ManageSettings' },
  { to: '/settings/audit-log', label: 'Audit log', permission: 'Account.ReadAuditLog' },
]
