import { useSyncExternalStore } from 'react'
import type { LiveList } from '../contract/webhooks.ts'

/** Browsers limit the connections to a server, so a background tab closes its connection after this time. */
const MAX_HIDDEN_MS = 10_000
/** More than twice the server's heartbeat; a connection that is silent for longer is closed. */
const MAX_SILENCE_MS = 45_000
const FIRST_RETRY_MS = 500
const MAX_RETRY_MS = 30_000

const STORAGE_KEY = 'overture.live'
/** The last change that this browser had received when the page began to load its data. */
const storedAtLoad = localStorage.getItem(STORAGE_KEY)

let isLive = false
const listeners = new Set<() => void>()

function setLive(next: boolean): void {
  if (isLive === next) return
  isLive = next
  for (const listener of listeners) listener()
}

const subscribe = (listener: () => void) => {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** Reports whether the server pushes changes. If not, pages poll. */
export const useIsLive = (): boolean => useSyncExternalStore(subscribe, () => isLive)

/** Receives the changed lists; undefined when any list may have changed before the stream opened. */
type OnChanges = (lists: LiveList[] | undefined) => void

/**
 * Follows the changes of an account until the returned function is called or the session ends. Resumes after the
 * last received change, even after a reload of the page, so that no change is missed once a page has loaded its data.
 */
export function openLiveStream(accountId: string, onChanges: OnChanges): () => void {
  const closing = new AbortController()
  void follow(accountId, onChanges, closing.signal)
  return () => closing.abort()
}

async function follow(accountId: string, onChanges: OnChanges, closed: AbortSignal): Promise<void> {
  let lastId = storedAtLoad?.split(' ')[0] === accountId ? storedAtLoad.split(' ')[1] : undefined
  let failures = 0
  while (!closed.aborted) {
    if (document.hidden) {
      await sleepUntilChange(Number.POSITIVE_INFINITY, closed)
      continue
    }
    const status = await readStream(accountId, lastId, closed, ({ id, lists }) => {
      setLive(true)
      failures = 0
      onChanges(lastId === undefined ? undefined : lists)
      lastId = id
      localStorage.setItem(STORAGE_KEY, `${accountId} ${id}`)
    })
    setLive(false)
    if (status === 401 || closed.aborted) return
    // Jitter: after a restart, the tabs of all users must not reconnect at the same moment.
    const delay = Math.min(MAX_RETRY_MS, FIRST_RETRY_MS * 2 ** failures) * (0.5 + Math.random() / 2)
    failures++
    await sleepUntilChange(delay, closed)
  }
}

/** Sleeps, but returns early when the tab is shown, the network is back or the stream is closed. */
function sleepUntilChange(ms: number, closed: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  const cleanup = new AbortController()
  const options = { signal: cleanup.signal, once: true }
  const timer = Number.isFinite(ms) ? setTimeout(resolve, ms) : undefined
  document.addEventListener('visibilitychange', () => resolve(), options)
  window.addEventListener('online', () => resolve(), options)
  closed.addEventListener('abort', () => resolve(), options)
  return promise.finally(() => {
    clearTimeout(timer)
    cleanup.abort()
  })
}

type LiveEvent = { id: string; lists: LiveList[] }

/** Reads from one connection until it ends. Returns the response's status; 0 if the connection broke. */
async function readStream(
  accountId: string,
  lastId: string | undefined,
  closed: AbortSignal,
  onEvent: (event: LiveEvent) => void,
): Promise<number> {
  const disconnection = new AbortController()
  const signal = AbortSignal.any([closed, disconnection.signal])
  let hiddenTimer: ReturnType<typeof setTimeout> | undefined
  document.addEventListener(
    'visibilitychange',
    () => {
      clearTimeout(hiddenTimer)
      if (document.hidden) hiddenTimer = setTimeout(() => disconnection.abort(), MAX_HIDDEN_MS)
    },
    { signal },
  )
  let silenceTimer: ReturnType<typeof setTimeout> | undefined
  const resetSilence = () => {
    clearTimeout(silenceTimer)
    silenceTimer = setTimeout(() => disconnection.abort(), MAX_SILENCE_MS)
  }
  try {
    resetSilence()
    const response = await fetch('/v1/session/events', {
      headers: { 'x-account-id': accountId, ...(lastId && { 'last-event-id': lastId }) },
      cache: 'no-store',
      signal,
    })
    if (response.ok && response.body) await readEvents(response.body, resetSilence, onEvent)
    return response.status
  } catch {
    return 0
  } finally {
    clearTimeout(hiddenTimer)
    clearTimeout(silenceTimer)
    // Also removes the listeners, and cancels an unread error response.
    disconnection.abort()
  }
}

async function readEvents(
  body: ReadableStream<Uint8Array<ArrayBuffer>>,
  onBytes: () => void,
  onEvent: (event: LiveEvent) => void,
): Promise<void> {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader()
  let text = ''
  for (;;) {
    const { value, done } = await reader.read()
    if (done) return
    onBytes()
    text += value
    const blocks = text.split('\n\n')
    text = blocks.pop()!
    for (const block of blocks) {
      const event = parseEvent(block)
      if (event) onEvent(event)
    }
  }
}

/** Parses one event. Returns undefined for a heartbeat. */
function parseEvent(block: string): LiveEvent | undefined {
  const fields = new Map(
    block.split('\n').map(line => {
      const colon = line.indexOf(': ')
      return [line.slice(0, colon), line.slice(colon + 2)]
    }),
  )
  const [id, data] = [fields.get('id'), fields.get('data')]
  return id && data ? { id, lists: JSON.parse(data).lists } : undefined
}
