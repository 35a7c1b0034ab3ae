import { type Role, roles } from '../../../contract/permissions.ts'
import { useSession } from '../../api.ts'

/** Returns the roles that the user may assign. Only owners manage owners. */
export function useAssignableRoles(): Role[] {
  const { account } = useSession()
  return roles.filter(role => role !== 'owner' || account?.role === 'owner')
}
