import { useQueryClient } from '@tanstack/react-query'
import { useRouter } from '@tanstack/react-router'
import type { z } from 'zod'
import type { totpRequired } from '../../../contract/sign-in.ts'
import { request, type Session, sessionQuery, storeSession } from '../../api.ts'

type Path = '/session' | '/session/code' | '/session/passkey' | '/setup' | '/invitations/accept'
type SignInResult = Session | z.output<typeof totpRequired>

/** Returns a function that signs in at `path` and continues to `next`, or calls `onCodeNeeded` for the second step. */
export function useStartSession(path: Path, next = '/', onCodeNeeded?: () => void) {
  const cache = useQueryClient()
  const continueToNext = useContinue(next)
  return async (input: object): Promise<void> => {
    const result = await request<SignInResult>('POST', path, input)
    if ('isCodeNeeded' in result) return onCodeNeeded?.()
    cache.clear()
    // Accounts are listed in the order in which the user joined them.
    const joined = path === '/invitations/accept' ? result.accounts.at(-1) : undefined
    cache.setQueryData(sessionQuery.queryKey, storeSession(result, joined?.id))
    continueToNext()
  }
}

/**
 * Returns a function that opens `next`, a page of the app or one rendered by the server. Opens the home page instead if
 * `next` is on another origin.
 */
export function useContinue(next = '/'): () => void {
  const router = useRouter()
  return () => {
    const target = URL.parse(next, location.origin)
    if (target?.origin !== location.origin) return router.history.push('/')
    if (target.pathname.startsWith('/v1/')) return location.assign(target)
    router.history.push(target.pathname + target.search)
  }
}
