import type { QueryClient } from '@tanstack/react-query'
import { createRouter, parseSearchWith, stringifySearchWith } from '@tanstack/react-router'
import { callRoutes } from './routes/calls.tsx'
import { campaignRoutes } from './routes/campaigns.tsx'
import { homeRoutes } from './routes/home.tsx'
import { inboxRoutes } from './routes/inbox.tsx'
import { notificationRoutes } from './routes/notifications.tsx'
import { peopleRoutes } from './routes/people.tsx'
import { publicRoutes } from './routes/public.tsx'
import { reportRoutes } from './routes/reports.tsx'
import { root } from './routes/root.tsx'
import { settings } from './routes/settings.tsx'
import { shell } from './routes/shell.tsx'
import { taskRoutes } from './routes/tasks.tsx'

const tree = root.addChildren([
  ...publicRoutes,
  shell.addChildren([
    ...homeRoutes,
    ...inboxRoutes,
    ...campaignRoutes,
    ...taskRoutes,
    ...callRoutes,
    ...reportRoutes,
    ...notificationRoutes,
    ...peopleRoutes,
    settings,
  ]),
])

export const createAppRouter = (queryClient: QueryClient) =>
  createRouter({
    routeTree: tree,
    context: { queryClient },
    defaultPreload: 'intent',
    scrollRestoration: true,
    // Removes unknown parameters from the URL.
    search: { strict: true },
    // Search parameters are plain text; the router's default is JSON.
    parseSearch: parseSearchWith(value => value),
    stringifySearch: stringifySearchWith(String),
  })

declare module '@tanstack/react-router' {
  interface Register {
    router: ReturnType<typeof createAppRouter>
  }
}
