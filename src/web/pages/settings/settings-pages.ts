import { getPermissionScope, type Permission, type Role } from '../../../contract/permissions.ts'

/** A settings page, available to everyone if it requires no permission. */
type SettingsPage = { to: string; label: string; permission?: Permission }

const settingsGroups: { label: string; pages: SettingsPage[] }[] = [
  {
    label: 'You',
    pages: [
      { to: '/settings/profile', label: 'Profile' },
      { to: '/settings/notifications', label: 'Notifications' },
      { to: '/settings/sign-in', label: 'Sign-in' },
      { to: '/settings/sessions', label: 'Sessions' },
    ],
  },
  {
    label: 'Team',
    pages: [
      { to: '/settings/account', label: 'Account' },
      { to: '/settings/members', label: 'Members' },
      { to: '/settings/single-sign-on', label: 'Single sign-on', permission: 'Account.ManageSingleSignOn' },
      { to: '/settings/audit-log', label: 'Audit log', permission: 'Account.ReadAuditLog' },
    ],
  },
  {
    label: 'Sending',
    pages: [
      { to: '/settings/senders', label: 'Senders', permission: 'Rep.ReadRep' },
      { to: '/settings/domains', label: 'Domains', permission: 'Rep.ReadRep' },
      { to: '/settings/mail-clients', label: 'Google and Microsoft', permission: 'Rep.ReadRep' },
    ],
  },
  {
    label: 'AI',
    pages: [{ to: '/settings/reply-agent', label: 'Reply agent', permission: 'Account.ManageSettings' }],
  },
  {
    label: 'Data',
    pages: [
      { to: '/settings/custom-fields', label: 'Custom fields', permission: 'Prospect.ReadProspect' },
      { to: '/settings/tags', label: 'Tags', permission: 'Inbox.ReadInbox' },
      { to: '/settings/snippets', label: 'Snippets', permission: 'Campaign.ReadCampaign' },
    ],
  },
  {
    label: 'Developers',
    pages: [
      { to: '/settings/api-tokens', label: 'API tokens' },
      { to: '/settings/webhooks', label: 'Webhooks', permission: 'Account.ManageWebhooks' },
      { to: '/settings/connected-apps', label: 'Connected apps' },
    ],
  },
]

/** Returns the groups with the pages that a role may open. */
export const getSettingsGroups = (role: Role | undefined) =>
  settingsGroups
    .map(({ label, pages }) => ({
      label,
      pages: pages.filter(
        ({ permission }) => !permission || (role && getPermissionScope(role, permission) !== null),
      ),
    }))
    .filter(({ pages }) => pages.length > 0)

/** Returns the settings page at a path if the role may not open it. */
export const findForbiddenPage = (
  role: Role | undefined,
  path: string,
): { label: string; permission: Permission } | undefined =>
  settingsGroups
    .flatMap(({ pages }) => pages)
    .filter((page): page is Required<SettingsPage> => page.permission !== undefined)
    .find(
      ({ to, permission }) =>
        `${path}/`.startsWith(`${to}/`) && (!role || getPermissionScope(role, permission) === null),
    )
