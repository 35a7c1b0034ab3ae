import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { prefetchPage } from '../api.ts'
import { type TasksSearch, toDue, toListTasksInput } from '../pages/tasks/search-params.ts'
import { shell } from './shell.tsx'
import { toText } from './to-text.ts'

const tasks = createRoute({
  getParentRoute: () => shell,
  path: 'tasks',
  validateSearch: ({ status, repId, due }): TasksSearch => ({
    status: toText(status),
    repId: toText(repId),
    due: toDue(due),
  }),
  loaderDeps: ({ search }) => search,
  loader: ({ context, deps }) => prefetchPage(context.queryClient, 'listTasks', toListTasksInput(deps)),
  component: lazyRouteComponent(() => import('../pages/tasks/tasks.tsx'), 'TasksPage'),
})

export const taskRoutes = [tasks]
