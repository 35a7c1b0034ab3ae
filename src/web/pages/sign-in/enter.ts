import { useQueryClient } from '@tanstack/react-query'
import { useRouter } from '@tanstack/react-router'
import { keepSession, request, type Session, sessionQuery } from '../../api.ts'

/** Sends what makes a session and goes on signed in, to an address of our own alone: a page, or a server's. */
export function useEnter(path: '/session' | '/setup' | '/invitations/accept', next = '/') {
  const cache = useQueryClient()
  const router = useRouter()
  return async (input: object): Promise<void> => {
    const session = await request<Session>('POST', path, input)
    const target = new URL(next, location.origin)
    if (target.origin === location.origin && target.pathname.startsWith('/v1/'))
      return location.assign(target)
    cache.clear()
    cache.setQueryData(sessionQuery.queryKey, keepSession(session))
    router.history.push(target.origin === location.origin ? target.pathname + target.search : '/')
  }
}
