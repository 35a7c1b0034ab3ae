import {
  type InfiniteData,
  infiniteQueryOptions,
  type QueryClient,
  type QueryKey,
  queryOptions,
  useInfiniteQuery,
  useMutation,
  useQuery,
  useQueryClient,
  useSuspenseQuery,
} from '@tanstack/react-query'
import type { z } from 'zod'
import { ApiError, type Client, openClient, send } from '../client.ts'
import type { OperationName, Output, RawInput } from '../contract/index.ts'
import { recentSignIn } from '../contract/operation.ts'
import { getPermissionScope, type Permission } from '../contract/permissions.ts'
import type { ownSignIn, session } from '../contract/sign-in.ts'
import { askToConfirm } from './confirmation.ts'
import { watched } from './connection.ts'

export type Session = z.output<typeof session>
export type OwnSignIn = z.output<typeof ownSignIn>
export type Account = Session['accounts'][number]

declare module '@tanstack/react-query' {
  interface Register {
    defaultError: ApiError
  }
}

const ACCOUNT_KEY = 'overture.account'

/** Of this tab: another one may have chosen another account since. */
let accountId = localStorage.getItem(ACCOUNT_KEY)
let csrfToken = ''
let userId = ''

const accountOf = ({ accounts }: Session): Account | undefined =>
  accounts.find(({ id }) => id === accountId) ?? accounts[0]

const headers = (): Record<string, string> => ({
  'x-csrf-token': csrfToken,
  ...(accountId && { 'x-account-id': accountId }),
})

const client = openClient('', headers)

/** Every operation by its name, in the account that is open. */
export const call: Client = (...of) => watched(withConfirmation(() => client(...of)))

const isTokenRefused = (error: unknown): boolean =>
  error instanceof ApiError &&
  error.code === 'Forbidden' &&
  error.details.some(({ path }) => path === 'x-csrf-token')

/** Another tab may have got the browser a new session: its token is asked for, and what was refused sent once more. */
function withNewToken<T>(sendIt: () => Promise<T>): Promise<T> {
  const sentToken = csrfToken
  return sendIt().catch(async error => {
    if (!isTokenRefused(error)) throw error
    const found = await send<Session>('', { method: 'GET', path: '/session' })
    // What one user began is nothing that another one asked for.
    if (found.user.id !== userId || found.csrfToken === sentToken) throw error
    csrfToken = found.csrfToken
    return sendIt()
  })
}

/** Repeats a request that needs a recent sign-in once the person has confirmed who they are. */
const withConfirmation = <T>(sendIt: () => Promise<T>): Promise<T> =>
  withNewToken(sendIt).catch(async error => {
    const isNeeded = error instanceof ApiError && error.details.some(({ path }) => path === recentSignIn)
    if (!isNeeded) throw error
    if (await askToConfirm()) return withNewToken(sendIt)
    throw new ApiError({
      error: error.code,
      message: 'Nothing was changed. Try again, and confirm it’s you.',
    })
  })

/** Whether the server may have done it all the same. */
export const isUnanswered = (error: unknown): boolean =>
  error instanceof ApiError && ['Unreachable', 'InternalServerError'].includes(error.code)

/** What stands beside the operations: signing in and out, and what leads there. */
export const request = <T>(method: 'GET' | 'POST' | 'DELETE', path: string, body?: object): Promise<T> =>
  // Reads need no token, and with one they would not be what the browser asked for ahead.
  watched(
    withConfirmation(() =>
      send('', { method, path, body }, method === 'GET' ? {} : { headers: { 'x-csrf-token': csrfToken } }),
    ),
  )

/** Who is signed in; nothing is shown before it. The page's own answer makes the browser ask for it ahead. */
export const sessionQuery = queryOptions({
  queryKey: ['session'],
  queryFn: async () => keepSession(await request<Session>('GET', '/session')),
  staleTime: Number.POSITIVE_INFINITY,
})

/** By what the user can sign in, and confirm who they are. */
export const ownSignInQuery = queryOptions({
  queryKey: ['ownSignIn'],
  queryFn: () => request<OwnSignIn>('GET', '/user/sign-in'),
})

export function keepSession(found: Session): Session {
  csrfToken = found.csrfToken
  userId = found.user.id
  accountId = accountOf(found)?.id ?? null
  if (accountId) localStorage.setItem(ACCOUNT_KEY, accountId)
  return found
}

/** What was asked for in an account that is no longer one's own is asked for again in another. */
export async function loadSession(cache: QueryClient): Promise<void> {
  const assumed = accountId
  await cache.ensureQueryData(sessionQuery)
  if (assumed && assumed !== accountId) {
    void cache.resetQueries({ predicate: ({ queryKey: [name] }) => name !== 'session' })
  }
}

export function useSession(): Session & { account: Account | undefined } {
  const { data } = useSuspenseQuery(sessionQuery)
  return { ...data, account: accountOf(data) }
}

/** Everything on the screen belongs to the account that was open, so the page begins anew. */
export function openAccount(id: string): void {
  localStorage.setItem(ACCOUNT_KEY, id)
  location.assign('/')
}

export async function signOut(): Promise<void> {
  await request('DELETE', '/session')
  localStorage.removeItem(ACCOUNT_KEY)
  location.assign('/sign-in')
}

/** Whether the role in this account has the permission: what it lacks isn't offered. */
export function useMay(permission: Permission): boolean {
  const { account } = useSession()
  return account !== undefined && getPermissionScope(account.role, permission) !== null
}

const answer = <N extends OperationName>(name: N, input: RawInput<N>) =>
  queryOptions({ queryKey: [name, input], queryFn: ({ signal }) => call(name, input, { signal }) })

/** `everyMs`: asked for again and again while the page is looked at; `isWanted`: not before that is so. */
export const useAnswer = <N extends OperationName>(
  name: N,
  input: RawInput<N>,
  { everyMs, isWanted = true }: { everyMs?: number; isWanted?: boolean } = {},
) => useQuery({ ...answer(name, input), enabled: isWanted, refetchInterval: everyMs ?? false })

/**
 * Asks for what a page shows first, together with the page's file and the session. Only where somebody was signed in
 * before: all others have to sign in first.
 */
export function askAhead<N extends OperationName>(cache: QueryClient, name: N, input: RawInput<N>): void {
  if (accountId) void cache.prefetchQuery(answer(name, input))
}

/** Operations that answer by pages. */
type PagedName = {
  [N in OperationName]: Output<N> extends { data: unknown[]; hasMore: boolean } ? N : never
}[OperationName]
type Item<N extends PagedName> = Output<N>['data'][number]

const PAGE_SIZE = 50

const pages = <N extends PagedName>(name: N, input: RawInput<N>) =>
  infiniteQueryOptions<Output<N>, ApiError, InfiniteData<Output<N>>, QueryKey, string | undefined>({
    queryKey: [name, input],
    queryFn: ({ pageParam, signal }) =>
      call(name, { ...input, limit: PAGE_SIZE, ...(pageParam && { cursor: pageParam }) }, { signal }),
    initialPageParam: undefined,
    getNextPageParam: page => page.next,
  })

/** As askAhead, of a list. */
export function askPageAhead<N extends PagedName>(cache: QueryClient, name: N, input: RawInput<N>): void {
  if (accountId) void cache.prefetchInfiniteQuery(pages(name, input))
}

/** The items of all pages read so far, and how to read on. */
export function usePages<N extends PagedName>(name: N, input: RawInput<N>) {
  const query = useInfiniteQuery(pages(name, input))
  const items = query.data?.pages.flatMap(page => page.data as Item<N>[])
  return {
    query: { data: items, error: query.error, refetch: query.refetch },
    more: {
      hasMore: query.hasNextPage,
      isLoading: query.isFetchingNextPage,
      load: () => void query.fetchNextPage(),
    },
  }
}

/** Reads these again wherever they are shown. */
export function useRefresh(...changed: OperationName[]): () => Promise<unknown> {
  const cache = useQueryClient()
  return () => Promise.all(changed.map(key => cache.invalidateQueries({ queryKey: [key] })))
}

/** A write; afterwards the lists and objects that it changes are read again. */
export function useChange<N extends OperationName>(name: N, ...changed: OperationName[]) {
  const { mutateAsync } = useMutation<Output<N>, ApiError, RawInput<N>>({
    mutationFn: input => call(name, input),
    onSuccess: useRefresh(...changed),
  })
  return mutateAsync
}
