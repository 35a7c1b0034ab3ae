import { useQueryClient } from '@tanstack/react-query'
import { ownSignInQuery, type Session, sessionQuery, storeSession } from '../../api.ts'

/** Returns a function that stores a session. The server starts a new session when sign-in methods change. */
export function useStoreSession() {
  const cache = useQueryClient()
  return async (session: Session): Promise<void> => {
    cache.setQueryData(sessionQuery.queryKey, storeSession(session))
    await cache.invalidateQueries(ownSignInQuery)
  }
}
