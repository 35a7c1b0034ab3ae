import { getRouteApi } from '@tanstack/react-router'
import { usePages, usePermission } from '../../api.ts'
import { usePersonDialog } from '../../components/use-person-dialog.tsx'
import { Button } from '../../ui/button.tsx'
import { LoadMore } from '../../ui/load-more.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import { Page } from '../../ui/page.tsx'
import { TableSkeleton } from '../../ui/skeleton.tsx'
import { useRenderEveryMinute } from '../../ui/time.tsx'
import { useShortcuts } from '../../ui/use-shortcuts.ts'
import { toListTasksInput } from './search-params.ts'
import { TaskFilters } from './task-filters.tsx'
import { TaskList } from './task-list.tsx'

const route = getRouteApi('/shell/tasks')

/**
 * Shows the work that reps do by hand: manual steps of campaigns, LinkedIn drafts, and the tasks that users create.
 */
export function TasksPage() {
  useRenderEveryMinute()
  const search = route.useSearch()
  const { status = 'open' } = search
  const { query, more } = usePages('listTasks', toListTasksInput(search))
  return (
    <Page
      title="Tasks"
      intro="Manual steps of your campaigns and your own reminders. The next step of a campaign waits until its task is done."
      action={<NewTask />}
    >
      <TaskFilters />
      <Loaded query={query} skeleton={<TableSkeleton />}>
        {tasks => <TaskList key={status} tasks={tasks} search={search} />}
      </Loaded>
      {query.data && <LoadMore {...more} count={query.data.length} />}
    </Page>
  )
}

function NewTask() {
  const canEdit = usePermission('Task.EditTask')
  const [begin, dialog] = usePersonDialog()
  const create = () => begin('task')
  useShortcuts(canEdit ? { c: create } : {})
  if (!canEdit) return null
  return (
    <>
      <Button look="primary" title="Key: c" onClick={create}>
        New task
      </Button>
      {dialog}
    </>
  )
}
