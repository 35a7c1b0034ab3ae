import { useQueryClient } from '@tanstack/react-query'
import { ownSignInQuery, type Session, sessionQuery, storeSession } from '../../api.ts'

/** Returns a function that stores the new session that a change of sign-in methods creates. */
export function useStoreSession() {
  const cache = useQueryClient()
  return async (session: Session): Promise<void> => {
    cache.setQueryData(sessionQuery.queryKey, storeSession(session))
    await cache.invalidateQueries(ownSignInQuery)
  }
}
