import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { prefetchPage } from '../api.ts'
import { shell } from './shell.tsx'

const notifications = createRoute({
  getParentRoute: () => shell,
  path: 'notifications',
  loader: ({ context }) => prefetchPage(context.queryClient, 'listNotifications', {}),
  component: lazyRouteComponent(
    () => import('../pages/notifications/notifications.tsx'),
    'NotificationsPage',
  ),
})

export const notificationRoutes = [notifications]
