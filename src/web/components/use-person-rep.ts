import type { Output } from '../../contract/index.ts'
import type { Permission } from '../../contract/permissions.ts'
import { useOperation, useRepPermission, useSession } from '../api.ts'
import type { Person } from './person-name.ts'

export type Rep = Output<'listReps'>['data'][number]

const LATEST_ENTRIES = 10

/**
 * Returns the reps that the user may act for. `personRep` is the rep who last contacted the person, or else
 * the person's owner; undefined while loading, or if neither is among these reps.
 */
export function usePersonRep(
  person: Person,
  permission: Permission,
): { reps: Rep[]; personRep: Rep | undefined; isLoading: boolean } {
  const isPermitted = useRepPermission(permission)
  const reps = useOperation('listReps', { limit: 100 })
  const latest = useOperation('getPersonTimeline', {
    personId: person.id,
    type: ['email', 'linkedin_message', 'call'],
    limit: LATEST_ENTRIES,
  })
  const permitted = (reps.data?.data ?? []).filter(isPermitted)
  const find = (id: string | undefined) => permitted.find(rep => rep.id === id)
  const correspondents = (latest.data?.data ?? []).map(({ repId }) => find(repId))
  const isLoading = reps.isLoading || latest.isLoading
  return {
    reps: permitted,
    personRep: isLoading ? undefined : (correspondents.find(Boolean) ?? find(person.ownerRepId)),
    isLoading,
  }
}

/** Returns the user's own rep or, if the user has none, the first rep. */
export function useOwnRep(reps: readonly Rep[]): Rep | undefined {
  const { user } = useSession()
  return reps.find(({ ownedById }) => ownedById === user.id) ?? reps[0]
}
