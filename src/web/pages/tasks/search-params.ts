import type { RawInput } from '../../../contract/index.ts'

/** What the address says of the tasks to show; asked for ahead of the page, so it knows nothing of it. */
export type TasksSearch = { status?: string | undefined; repId?: string | undefined }

export const toListTasksInput = ({ status = 'open', repId }: TasksSearch): RawInput<'listTasks'> =>
  ({ status, ...(repId && { repId }) }) as RawInput<'listTasks'>
