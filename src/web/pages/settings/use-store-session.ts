import { useQueryClient } from '@tanstack/react-query'
import { ownSignInQuery, type Session, sessionQuery, storeSession } from '../../api.ts'

/** A change of how one signs in is answered with a new session, and shows at once. */
export function useStoreSession() {
  const cache = useQueryClient()
  return async (session: Session): Promise<void> => {
    cache.setQueryData(sessionQuery.queryKey, storeSession(session))
    await cache.invalidateQueries(ownSignInQuery)
  }
}
