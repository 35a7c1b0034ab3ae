import { getPermissionScope, type Permission, type Role, roles } from '../../contract/permissions.ts'

const plurals: Record<Role, string> = {
  viewer: 'viewers',
  member: 'members',
  manager: 'managers',
  admin: 'admins',
  owner: 'owners',
}

const list = new Intl.ListFormat('en-GB')

/** Names the roles that have the permission, as in `managers, admins and owners`. */
export const formatRolesWith = (permission: Permission): string =>
  list.format(roles.filter(role => getPermissionScope(role, permission)).map(role => plurals[role]))
