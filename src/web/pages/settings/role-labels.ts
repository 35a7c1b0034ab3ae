import type { Role } from '../../../contract/permissions.ts'

export const roleLabels: Record<Role, string> = {
  viewer: 'Viewer',
  member: 'Member',
  manager: 'Manager',
  admin: 'Admin',
  owner: 'Owner',
}
