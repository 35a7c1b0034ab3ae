import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { prefetchPage } from '../api.ts'
import { type TasksSearch, toListTasksInput } from '../pages/tasks/search-params.ts'
import { shell } from './shell.tsx'
import { toText } from './to-text.ts'

const tasks = createRoute({
  getParentRoute: () => shell,
  path: 'tasks',
  validateSearch: ({ status, repId }): TasksSearch => ({ status: toText(status), repId: toText(repId) }),
  loaderDeps: ({ search }) => search,
  loader: ({ context, deps }) => prefetchPage(context.cache, 'listTasks', toListTasksInput(deps)),
  component: lazyRouteComponent(() => import('../pages/tasks/tasks.tsx'), 'TasksPage'),
})

export const taskRoutes = [tasks]
