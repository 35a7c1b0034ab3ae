import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import type { Output } from '../../../contract/index.ts'
import { useOperationMutation, usePages } from '../../api.ts'
import { useUnreadNotificationCount } from '../../components/unread-notifications.ts'
import { Button, buttonClass } from '../../ui/button.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { LoadMore } from '../../ui/load-more.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import { Page } from '../../ui/page.tsx'
import { listKeys } from '../../ui/roving-focus.ts'
import { TableSkeleton } from '../../ui/skeleton.tsx'
import { Time } from '../../ui/time.tsx'
import { showToast } from '../../ui/toast.tsx'

type Notification = Output<'listNotifications'>['data'][number]

/** Shows the user's notifications, newest first. Opening one marks it as read. */
export function NotificationsPage() {
  const { query, more } = usePages('listNotifications', {})
  return (
    <Page
      title="Notifications"
      intro="Replies, approvals, tasks, problems and completed campaigns from the last 30 days."
      action={
        <div className="flex flex-wrap gap-2">
          <Link to="/settings/notifications" className={buttonClass()}>
            Choose notifications
          </Link>
          <ReadAllButton />
        </div>
      }
    >
      <Loaded query={query} skeleton={<TableSkeleton />}>
        {rows =>
          rows.length > 0 ? (
            <ul
              aria-label="Notifications"
              {...listKeys}
              className="grid max-w-3xl grid-cols-1 divide-y divide-line rounded-card border border-line bg-surface"
            >
              {rows.map(notification => (
                <NotificationRow key={notification.id} notification={notification} />
              ))}
            </ul>
          ) : (
            <EmptyState title="No notifications yet">
              New replies, due tasks and problems appear here.
            </EmptyState>
          )
        }
      </Loaded>
      <LoadMore {...more} count={query.data?.length ?? 0} />
    </Page>
  )
}

function ReadAllButton() {
  const unread = useUnreadNotificationCount()
  const read = useOperationMutation('readNotifications', 'listNotifications')
  const [isBusy, setBusy] = useState(false)
  if (!unread) return null
  const handleClick = async () => {
    setBusy(true)
    await read({}).catch((error: Error) => showToast(error.message))
    setBusy(false)
  }
  return (
    <Button isBusy={isBusy} onClick={() => void handleClick()}>
      Mark all as read
    </Button>
  )
}

function NotificationRow({
  notification: { id, title, text, url, createdAt, readAt },
}: {
  notification: Notification
}) {
  const read = useOperationMutation('readNotifications', 'listNotifications')
  const isUnread = readAt === undefined
  return (
    <li>
      <Link
        to={new URL(url).pathname}
        onClick={() => {
          // If this fails, the notification is still unread on the next visit.
          if (isUnread) void read({ notificationIds: [id] }).catch(() => undefined)
        }}
        className="flex items-start gap-3 px-4 py-3 hover:bg-sunken"
      >
        <span
          aria-hidden="true"
          className={`mt-1.5 size-2 shrink-0 rounded-full ${isUnread ? 'bg-solid' : ''}`}
        />
        <span className="min-w-0 flex-1">
          <span className="flex items-baseline justify-between gap-3">
            <span className={`wrap-anywhere min-w-0 ${isUnread ? 'font-medium' : 'text-muted'}`}>
              {isUnread && <span className="sr-only">Unread: </span>}
              {title}
            </span>
            <span className="shrink-0 text-muted text-sm">
              <Time at={createdAt} />
            </span>
          </span>
          {text && <span className="wrap-anywhere line-clamp-2 text-muted text-sm">{text}</span>}
        </span>
      </Link>
    </li>
  )
}
