import { useQueryClient } from '@tanstack/react-query'
import { useRouter } from '@tanstack/react-router'
import type { z } from 'zod'
import type { codeNeeded } from '../../../contract/sign-in.ts'
import { request, type Session, sessionQuery, storeSession } from '../../api.ts'

type Path = '/session' | '/session/code' | '/session/passkey' | '/setup' | '/invitations/accept'
type Answer = Session | z.output<typeof codeNeeded>

/** Sends what makes a session and goes on signed in. */
export function useStartSession(path: Path, next = '/', askForCode?: () => void) {
  const cache = useQueryClient()
  const goOn = useContinue(next)
  return async (input: object): Promise<void> => {
    const answer = await request<Answer>('POST', path, input)
    if ('isCodeNeeded' in answer) return askForCode?.()
    cache.clear()
    cache.setQueryData(sessionQuery.queryKey, storeSession(answer))
    goOn()
  }
}

/** Leads to an address of our own alone: a page, or a server's. */
export function useContinue(next = '/'): () => void {
  const router = useRouter()
  return () => {
    const target = new URL(next, location.origin)
    const isOwn = target.origin === location.origin
    if (isOwn && target.pathname.startsWith('/v1/')) return location.assign(target)
    router.history.push(isOwn ? target.pathname + target.search : '/')
  }
}
