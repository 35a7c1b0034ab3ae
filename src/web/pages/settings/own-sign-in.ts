import { useQueryClient } from '@tanstack/react-query'
import { keepSession, ownSignInQuery, type Session, sessionQuery } from '../../api.ts'

/** A change of how one signs in is answered with a new session, and shows at once. */
export function useNewSession() {
  const cache = useQueryClient()
  return async (session: Session): Promise<void> => {
    cache.setQueryData(sessionQuery.queryKey, keepSession(session))
    await cache.invalidateQueries(ownSignInQuery)
  }
}
