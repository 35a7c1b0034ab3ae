import { setTimeout as sleep } from 'node:timers/promises'
import type { Role } from '../../../contract/permissions.ts'
import { type App, inAccount } from '../../kernel/context.ts'
import {
  type Changes,
  changedNotifications,
  type RecordedEvent,
  toAllLists,
  toChanges,
} from './live-changes.ts'

/** The time for which the database notifies an account's streams after the last renewal. */
const REGISTERED_MS = 90_000
const RENEW_MS = 30_000
/** Notifications within this time cause a single read. */
const COALESCE_MS = 100
/** If there are more unread events than this, listeners are told that any object may have changed. */
const MAX_EVENTS = 1_000
/** A position is the ID of a database transaction. */
const POSITION_PATTERN = /^[0-9]{1,19}$/

/** Changes since the last read, by role. A later read continues at `position`: all events before it have been read. */
export type ChangeBatch = { position: string; getChanges: (role: Role) => Changes }

type ChangeListener = (batch: ChangeBatch) => void

/** The listeners of an account. `read` contains the IDs of events since `position`, which later reads return again. */
type Feed = {
  listeners: Set<ChangeListener>
  position: string | undefined
  read: Set<string>
  renewedAt: number
}

export type LiveEvents = AsyncDisposable & {
  /**
   * Calls `onChanges` with the changes since `after`, and again after each later read. Returns a function to stop
   * following.
   */
  follow: (accountId: string, after: string | undefined, onChanges: ChangeListener) => Promise<() => void>
  /** Reads the account's events without waiting for a notification, in case one was lost. */
  check: (accountId: string) => void
}

/**
 * Opens a feed of the recorded events of accounts that have listeners. The database notifies this process over the
 * connection on which it listens; accounts are read one after the other.
 */
export function openLiveEvents(app: App): LiveEvents {
  const feeds = new Map<string, Feed>()
  const due = new Set<string>()
  let reading: Promise<void> | undefined
  let listening: Promise<void> | undefined

  const check = (accountId: string): void => {
    if (!feeds.has(accountId)) return
    due.add(accountId)
    reading ??= readDue()
  }

  async function readDue(): Promise<void> {
    while (due.size > 0) {
      await sleep(COALESCE_MS)
      for (const accountId of due) {
        due.delete(accountId)
        await tryReadFeed(accountId)
      }
    }
    reading = undefined
  }

  async function tryReadFeed(accountId: string): Promise<void> {
    const feed = feeds.get(accountId)
    if (!feed) return
    try {
      await readFeed(accountId, feed)
    } catch (err) {
      // The next check reads these events.
      app.log.warn({ accountId, err }, 'live events: the events could not be read')
    }
  }

  async function readFeed(accountId: string, feed: Feed): Promise<void> {
    if (performance.now() - feed.renewedAt > RENEW_MS) {
      await register(app, accountId)
      feed.renewedAt = performance.now()
    }
    const { position, events } = await readEvents(app, accountId, feed.position)
    const unread = events?.filter(({ id }) => !feed.read.has(id))
    feed.position = position
    feed.read = new Set(events?.filter(({ isFinal }) => !isFinal).map(({ id }) => id))
    if (unread?.length === 0) return
    for (const onChanges of feed.listeners) onChanges(toChangeBatch(position, unread))
  }

  const onNotify = (payload: string): void => {
    const [accountId, list] = payload.split(' ') as [string, string?]
    if (list !== 'notifications') check(accountId)
    else announceNotifications(feeds.get(accountId))
  }

  function announceNotifications(feed: Feed | undefined): void {
    if (!feed?.position) return
    const batch = { position: feed.position, getChanges: () => changedNotifications }
    for (const onChanges of feed.listeners) onChanges(batch)
  }

  const listen = () =>
    app.db.access.listen('events_recorded', onNotify, () => {
      for (const accountId of feeds.keys()) check(accountId)
    })

  async function join(
    accountId: string,
    onChanges: ChangeListener,
  ): Promise<{ feed: Feed; leave: () => void }> {
    listening ??= listen()
    await listening.catch(error => {
      listening = undefined
      throw error
    })
    const feed = feeds.getOrInsertComputed(accountId, () => ({
      ...{ listeners: new Set<ChangeListener>(), position: undefined, read: new Set<string>() },
      renewedAt: Number.NEGATIVE_INFINITY,
    }))
    feed.listeners.add(onChanges)
    const leave = () => {
      feed.listeners.delete(onChanges)
      if (feed.listeners.size === 0 && feeds.get(accountId) === feed) feeds.delete(accountId)
    }
    return { feed, leave }
  }

  return {
    check,
    follow: async (accountId, after, onChanges) => {
      const { feed, leave } = await join(accountId, onChanges)
      try {
        await register(app, accountId)
        // Runs after the registration, so that every event is either read here or announced by a notification.
        const first = await readEvents(app, accountId, after)
        feed.position ??= first.position
        onChanges(toChangeBatch(first.position, first.events))
        check(accountId)
      } catch (error) {
        leave()
        throw error
      }
      return leave
    },
    [Symbol.asyncDispose]: async () => {
      feeds.clear()
      due.clear()
      await reading
    },
  }
}

/** Creates a batch. If `events` is undefined, all lists may have changed. */
const toChangeBatch = (position: string, events: RecordedEvent[] | undefined): ChangeBatch => ({
  position,
  getChanges: role => (events ? toChanges(events, role) : toAllLists(role)),
})

/** Registers the account, so that the database notifies its streams for `REGISTERED_MS`. */
const register = (app: App, accountId: string) =>
  inAccount(
    app.db.app,
    accountId,
    sql => sql`
      insert into live_accounts (account_id, until)
      values (${accountId}, now() + ${REGISTERED_MS} * interval '1 ms')
      on conflict (account_id) do update set until = excluded.until`,
  )

type PositionedEvent = RecordedEvent & { isFinal: boolean }

/**
 * Reads the events of the transaction `after` and all later ones; returns none without `after`. `events` is undefined
 * if there are too many or `after` is not a valid position. An event is final once its transaction and all earlier ones
 * have ended: later reads from the returned position don't return it again.
 */
async function readEvents(
  app: App,
  accountId: string,
  after: string | undefined,
): Promise<{ position: string; events: PositionedEvent[] | undefined }> {
  const isPosition = after !== undefined && POSITION_PATTERN.test(after)
  const [row] = await inAccount(
    app.db.app,
    accountId,
    sql => sql<{ position: string; isFuture: boolean; events: PositionedEvent[] }[]>`
      with now as materialized (select pg_snapshot_xmin(pg_current_snapshot()) as horizon)
      select horizon::text as position, ${isPosition ? after : '0'}::text::xid8 > horizon as "isFuture",
             (select coalesce(json_agg(e), '[]')
                from (select id, event_type as "eventType", object_id as "objectId", tx < horizon as "isFinal"
                        from events
                       where account_id = ${accountId} and ${isPosition} and tx >= ${isPosition ? after : '0'}::text::xid8
                       order by tx, position
                       limit ${MAX_EVENTS + 1}) e) as events
        from now`,
  )
  const { position, isFuture, events } = row!
  const isComplete = events.length <= MAX_EVENTS && !isFuture && (after === undefined || isPosition)
  return { position, events: isComplete ? events : undefined }
}
