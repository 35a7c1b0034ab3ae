import { queryOptions, useQueryClient } from '@tanstack/react-query'
import type { z } from 'zod'
import type { ownSignIn } from '../../../contract/sign-in.ts'
import { keepSession, request, type Session, sessionQuery } from '../../api.ts'

export type OwnSignIn = z.output<typeof ownSignIn>

export const ownSignInQuery = queryOptions({
  queryKey: ['ownSignIn'],
  queryFn: () => request<OwnSignIn>('GET', '/user/sign-in'),
})

/** A change of how one signs in is answered with a new session, and shows at once. */
export function useNewSession() {
  const cache = useQueryClient()
  return async (session: Session): Promise<void> => {
    cache.setQueryData(sessionQuery.queryKey, keepSession(session))
    await cache.invalidateQueries(ownSignInQuery)
  }
}
