import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { prefetchPage } from '../api.ts'
import { shell } from './shell.tsx'

const dnc = createRoute({
  getParentRoute: () => shell,
  path: 'dnc',
  loader: ({ context }) => prefetchPage(context.cache, 'listOptOuts', {}),
  component: lazyRouteComponent(() => import('../pages/dnc/opt-outs.tsx'), 'OptOutsPage'),
})

export const peopleRoutes = [dnc]
