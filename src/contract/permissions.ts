/** Who may do what: the one table of roles and permissions, read by every door. */
export const roles = ['viewer', 'member', 'manager', 'admin', 'owner'] as const
export type Role = (typeof roles)[number]

/** `own` reaches the objects of reps that the user owns; `all` reaches the whole account. */
export type PermissionScope = 'all' | 'own'

type Row = readonly [
  viewer: PermissionScope | null,
  member: PermissionScope | null,
  manager: PermissionScope | null,
  admin: PermissionScope | null,
  owner: PermissionScope | null,
]

const everyone: Row = ['all', 'all', 'all', 'all', 'all']
const fromMember: Row = [null, 'all', 'all', 'all', 'all']
const fromMemberOwnReps: Row = [null, 'own', 'all', 'all', 'all']
const fromManager: Row = [null, null, 'all', 'all', 'all']
const fromAdmin: Row = [null, null, null, 'all', 'all']
const ownerOnly: Row = [null, null, null, null, 'all']

export const permissions = {
  /** Your own name, tokens and sessions. */
  'User.ManageSelf': everyone,
  'Campaign.ReadCampaign': everyone,
  'Prospect.ReadProspect': everyone,
  'Rep.ReadRep': everyone,
  'DoNotContact.ReadDoNotContact': everyone,
  'Inbox.ReadInbox': ['all', 'own', 'all', 'all', 'all'],
  'Call.ReadCall': ['all', 'own', 'all', 'all', 'all'],
  'Task.ReadTask': ['all', 'own', 'all', 'all', 'all'],
  'Task.EditTask': fromMemberOwnReps,
  'Prospect.EditProspect': fromMember,
  'DoNotContact.EditDoNotContact': fromMember,
  'Inbox.EditTags': fromMember,
  'Inbox.CreateDraft': fromMemberOwnReps,
  'Inbox.SendMessage': fromMemberOwnReps,
  'Call.TriggerCall': fromMemberOwnReps,
  'Campaign.EditCampaign': fromManager,
  'DoNotContact.RemoveDoNotContact': fromManager,
  'Rep.EditRep': fromMemberOwnReps,
  'Account.ManageWebhooks': fromAdmin,
  'Account.ManageSettings': fromAdmin,
  'Account.ReadAuditLog': fromAdmin,
  'Account.ManageMembers': fromAdmin,
  /** Whoever names the identity provider can be anybody of its domain, owners too. */
  'Account.ManageSingleSignOn': ownerOnly,
} as const satisfies Record<string, Row>

export type Permission = keyof typeof permissions

/** How far the role's permission reaches; null when the role lacks it. */
export const getPermissionScope = (role: Role, permission: Permission): PermissionScope | null =>
  permissions[permission][roles.indexOf(role)] ?? null
