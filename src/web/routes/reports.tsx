import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { prefetch } from '../api.ts'
import { parseReportSearch } from '../pages/reports/search-params.ts'
import { shell } from './shell.tsx'

const reports = createRoute({
  getParentRoute: () => shell,
  path: 'reports',
  validateSearch: parseReportSearch,
  loader: ({ context }) => prefetch(context.queryClient, 'getAccount', {}),
  component: lazyRouteComponent(() => import('../pages/reports/reports.tsx'), 'ReportsPage'),
})

export const reportRoutes = [reports]
