import { useQueryClient } from '@tanstack/react-query'
import { useRouter } from '@tanstack/react-router'
import { keepSession, request, type Session, sessionQuery } from '../../api.ts'

/** Sends what makes a session and goes on signed in; only to an address of our own. */
export function useEnter(path: '/session' | '/setup' | '/invitations/accept', to = '/') {
  const cache = useQueryClient()
  const router = useRouter()
  return async (input: object): Promise<void> => {
    const session = await request<Session>('POST', path, input)
    cache.clear()
    cache.setQueryData(sessionQuery.queryKey, keepSession(session))
    router.history.push(/^\/(?![/\\])/.test(to) ? to : '/')
  }
}
