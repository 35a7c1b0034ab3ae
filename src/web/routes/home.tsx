import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { prefetch } from '../api.ts'
import { UnknownPage } from '../error-page.tsx'
import { launchedCampaignsInput } from '../pages/home/launched-campaigns.ts'
import { shell } from './shell.tsx'

const home = createRoute({
  getParentRoute: () => shell,
  path: '/',
  loader: ({ context }) => prefetch(context.queryClient, 'listCampaigns', launchedCampaignsInput),
  component: lazyRouteComponent(() => import('../pages/home/home.tsx'), 'HomePage'),
})
/** Matches URLs that no other route matches. */
const unknown = createRoute({
  getParentRoute: () => shell,
  path: '$',
  component: UnknownPage,
})

export const homeRoutes = [home, unknown]
