export const roles = ['viewer', 'member', 'manager', 'admin', 'owner'] as const
export type Role = (typeof roles)[number]

/** `own`: the objects of the user's own reps; `all`: the whole account. */
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

/** The one table of roles and permissions. */
export const permissions = {
  /** The user's own name, tokens and sessions. */
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
  /** Export and erasure of everything about a person. */
  'Prospect.ManagePersonalData': fromAdmin,
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
  /** The identity provider can sign in as anyone in its domain, owners included. */
  'Account.ManageSingleSignOn': ownerOnly,
} as const satisfies Record<string, Row>

export type Permission = keyof typeof permissions

/** Returns how far the role's permission extends; null when the role lacks it. */
export const getPermissionScope = (role: Role, permission: Permission): PermissionScope | null =>
  permissions[permission][roles.indexOf(role)] ?? null
