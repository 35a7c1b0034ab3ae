import {
  hashKey,
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
import { useMemo } from 'react'
import type { z } from 'zod'
import { ApiError, type Client, openClient, send } from '../client.ts'
import type { OperationName, Output, RawInput } from '../contract/index.ts'
import { recentSignIn } from '../contract/operation.ts'
import { getPermissionScope, type Permission } from '../contract/permissions.ts'
import type { session, signInMethods } from '../contract/sign-in.ts'
import { requestConfirmation } from './confirmation.ts'
import { trackConnection } from './connection.ts'
import { useIsLive } from './live-stream.ts'
import { useSteadyRows } from './ui/steady-rows.ts'

export type Session = z.output<typeof session>
export type OwnSignIn = z.output<typeof signInMethods>
export type Account = Session['accounts'][number]

declare module '@tanstack/react-query' {
  interface Register {
    defaultError: ApiError
  }
}

const ACCOUNT_KEY = 'overture.account'

/** The account open in this tab. Other tabs may have switched to another one. */
let accountId = localStorage.getItem(ACCOUNT_KEY)
let csrfToken = ''
let userId = ''

const findOpenAccount = ({ accounts }: Session, openId = accountId): Account | undefined =>
  accounts.find(({ id }) => id === openId) ?? accounts[0]

const headers = (): Record<string, string> => ({
  'x-csrf-token': csrfToken,
  ...(accountId && { 'x-account-id': accountId }),
})

const client = openClient('', headers)

/** Calls any operation by name in the open account. */
export const call: Client = (...args) => trackConnection(withConfirmation(() => client(...args)))

const isCsrfTokenRejected = (error: unknown): boolean =>
  error instanceof ApiError &&
  error.code === 'Forbidden' &&
  error.details.some(({ path }) => path === 'x-csrf-token')

/** Retries a request once with the current CSRF token: another tab may have replaced the browser's session. */
function withFreshCsrfToken<T>(attempt: () => Promise<T>): Promise<T> {
  const sentToken = csrfToken
  return attempt().catch(async error => {
    if (!isCsrfTokenRejected(error)) throw error
    const current = await send<Session>('', { method: 'GET', path: '/session' })
    // Never send one user's request as another user.
    if (current.user.id !== userId || current.csrfToken === sentToken) throw error
    csrfToken = current.csrfToken
    return attempt()
  })
}

/** Retries a request that needs a recent sign-in after the user has confirmed their identity. */
const withConfirmation = <T>(attempt: () => Promise<T>): Promise<T> =>
  withFreshCsrfToken(attempt).catch(async error => {
    const needsConfirmation =
      error instanceof ApiError && error.details.some(({ path }) => path === recentSignIn)
    if (!needsConfirmation) throw error
    if (await requestConfirmation()) return withFreshCsrfToken(attempt)
    throw new ApiError({
      error: error.code,
      message: 'Nothing was changed. Try again and confirm it’s you.',
    })
  })

/** Reports whether the server may have processed the request despite the error. */
export const isOutcomeUnknown = (error: unknown): boolean =>
  error instanceof ApiError && ['Unreachable', 'InternalServerError'].includes(error.code)

/** Sends a request to an endpoint outside the operations: sign-in, sign-out and account setup. */
export const request = <T>(method: 'GET' | 'POST' | 'DELETE', path: string, body?: object): Promise<T> =>
  // Reads need no CSRF token; with one, the request would no longer match the browser's preload.
  trackConnection(
    withConfirmation(() =>
      send('', { method, path, body }, method === 'GET' ? {} : { headers: { 'x-csrf-token': csrfToken } }),
    ),
  )

export type UploadedFile = { id: string; name: string; size: number }

/** Uploads a file. Email drafts refer to it by its ID. */
export const uploadFile = (file: File): Promise<UploadedFile> =>
  trackConnection(
    withConfirmation(() =>
      send(
        '',
        {
          method: 'POST',
          path: `/inbox/email/attachments?${new URLSearchParams({ name: file.name })}`,
          body: file,
        },
        { headers: headers() },
      ),
    ),
  )

/** Downloads an attachment of a message. */
export async function downloadAttachment({ id, name }: { id: string; name: string }): Promise<File> {
  const response = await fetch(`/v1/inbox/email/attachments/${id}`, { headers: headers() })
  if (!response.ok) throw new Error('The file could not be read. Try again in a moment.')
  return new File([await response.blob()], name)
}

/** The user's session. Pages render only once it is loaded, so the HTML response preloads it. */
export const sessionQuery = queryOptions({
  queryKey: ['session'],
  queryFn: async () => storeSession(await request<Session>('GET', '/session')),
  staleTime: Number.POSITIVE_INFINITY,
})

/** The user's ways to sign in and to confirm their identity. */
export const ownSignInQuery = queryOptions({
  queryKey: ['signInMethods'],
  queryFn: () => request<OwnSignIn>('GET', '/user/sign-in'),
})

export function storeSession(session: Session, openId = accountId): Session {
  csrfToken = session.csrfToken
  userId = session.user.id
  accountId = findOpenAccount(session, openId)?.id ?? null
  if (accountId) localStorage.setItem(ACCOUNT_KEY, accountId)
  return session
}

/** Loads the session. Resets data prefetched for an account that the user no longer belongs to. */
export async function loadSession(cache: QueryClient): Promise<void> {
  const assumedId = accountId
  await cache.ensureQueryData(sessionQuery)
  if (assumedId && assumedId !== accountId) {
    void cache.resetQueries({ predicate: ({ queryKey: [name] }) => name !== 'session' })
  }
}

export function useSession(): Session & { account: Account | undefined } {
  const { data } = useSuspenseQuery(sessionQuery)
  return { ...data, account: findOpenAccount(data) }
}

/** Switches to another account. Reloads the app, because everything on screen belongs to the previous one. */
export function openAccount(id: string): void {
  localStorage.setItem(ACCOUNT_KEY, id)
  location.assign('/')
}

export async function signOut(): Promise<void> {
  await request('DELETE', '/session')
  localStorage.removeItem(ACCOUNT_KEY)
  location.assign('/sign-in')
}

/** Reports whether the user's role in the open account has the permission. If not, hide the control. */
export function usePermission(permission: Permission): boolean {
  const { account } = useSession()
  return account !== undefined && getPermissionScope(account.role, permission) !== null
}

/** Returns a function that reports whether the user may act on a rep. Some roles may act only on their own reps. */
export function useRepPermission(
  permission: Permission,
): (rep: { ownedById?: string | undefined } | undefined) => boolean {
  const { account, user } = useSession()
  const scope = account ? getPermissionScope(account.role, permission) : null
  return rep => scope === 'all' || (scope === 'own' && rep?.ownedById === user.id)
}

const operationQuery = <N extends OperationName>(name: N, input: RawInput<N>) =>
  queryOptions({ queryKey: [name, input], queryFn: ({ signal }) => call(name, input, { signal }) })

type ReadOptions = {
  /** Polls while the page is visible. */
  refetchIntervalMs?: number
  /** Polls like `refetchIntervalMs`, but only while the server can't report changes as they happen. */
  fallbackIntervalMs?: number
  /** Set to false to request nothing. Defaults to true. */
  isEnabled?: boolean
}

/** Calls a read operation and keeps its result current. */
export function useOperation<N extends OperationName>(
  name: N,
  input: RawInput<N>,
  { refetchIntervalMs, fallbackIntervalMs, isEnabled = true }: ReadOptions = {},
) {
  const isLive = useIsLive()
  return useQuery({
    ...operationQuery(name, input),
    enabled: isEnabled,
    refetchInterval: refetchIntervalMs ?? (isLive ? false : (fallbackIntervalMs ?? false)),
  })
}

/**
 * Loads an operation's result into the cache while the page's script is still loading. Waits for the session only if
 * this browser doesn't know the account yet.
 */
export function prefetch<N extends OperationName>(cache: QueryClient, name: N, input: RawInput<N>): void {
  whenAccountLoads(cache, () => void cache.prefetchQuery(operationQuery(name, input)))
}

/** Calls `run` once the account is known. Never calls it if the session can't be loaded. */
function whenAccountLoads(cache: QueryClient, run: () => void): void {
  if (accountId) run()
  else
    cache.ensureQueryData(sessionQuery).then(
      () => accountId && run(),
      () => {},
    )
}

/** Operations that return one page of a list. Excludes reports, which look like pages but are single objects. */
type PagedName = {
  [N in OperationName]: Output<N> extends { data: unknown[]; hasMore: boolean }
    ? Output<N> extends { objectType: string }
      ? never
      : N
    : never
}[OperationName]
type Item<N extends PagedName> = Output<N>['data'][number]

/** The first page is small so that it appears quickly; later pages have the largest size that the server allows. */
const FIRST_PAGE_SIZE = 50
const PAGE_SIZE = 100

const pagesQuery = <N extends PagedName>(name: N, input: RawInput<N>) =>
  infiniteQueryOptions<Output<N>, ApiError, InfiniteData<Output<N>>, QueryKey, string | undefined>({
    queryKey: [name, input],
    queryFn: ({ pageParam, signal }) =>
      call(
        name,
        { ...input, ...(pageParam ? { cursor: pageParam, limit: PAGE_SIZE } : { limit: FIRST_PAGE_SIZE }) },
        { signal },
      ),
    initialPageParam: undefined,
    getNextPageParam: page => page.next,
  })

/** Prefetches the first page of a list; see `prefetch`. */
export function prefetchPage<N extends PagedName>(cache: QueryClient, name: N, input: RawInput<N>): void {
  whenAccountLoads(cache, () => void cache.prefetchInfiniteQuery(pagesQuery(name, input)))
}

/**
 * Returns the items of all pages loaded so far, and a function that loads the next page. A refetch doesn't move items
 * that the user may be reading. `getKey` identifies an item across refetches; it defaults to the item's ID.
 */
export function usePages<N extends PagedName>(
  name: N,
  input: RawInput<N>,
  getKey: (item: Item<N>) => string | undefined = item => (item as { id: string }).id,
) {
  const options = pagesQuery(name, input)
  const query = useInfiniteQuery(options)
  const latest = useMemo(() => query.data?.pages.flatMap(page => page.data as Item<N>[]), [query.data])
  const { rows, newRows } = useSteadyRows(latest, hashKey(options.queryKey), getKey)
  return {
    query: { data: rows, error: query.error, refetch: query.refetch },
    more: {
      hasMore: query.hasNextPage,
      isLoading: query.isFetchingNextPage,
      load: () => void query.fetchNextPage(),
      newRows,
    },
  }
}

/** Returns a function that refetches these operations wherever they are shown. */
export function useInvalidate(...names: OperationName[]): () => Promise<unknown> {
  const cache = useQueryClient()
  return () => Promise.all(names.map(name => cache.invalidateQueries({ queryKey: [name] })))
}

/** Returns a function that calls a write operation, then refetches the operations it affects. */
export function useOperationMutation<N extends OperationName>(name: N, ...affected: OperationName[]) {
  const { mutateAsync } = useMutation<Output<N>, ApiError, RawInput<N>>({
    mutationFn: input => call(name, input),
    onSuccess: useInvalidate(...affected),
  })
  return mutateAsync
}
