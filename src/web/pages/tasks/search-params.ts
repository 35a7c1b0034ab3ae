import type { RawInput } from '../../../contract/index.ts'

// Separate from the page, so that the router can prefetch without loading it.

export type TasksSearch = { status?: string | undefined; repId?: string | undefined }

export const toListTasksInput = ({ status = 'open', repId }: TasksSearch): RawInput<'listTasks'> =>
  ({ status, ...(repId && { repId }) }) as RawInput<'listTasks'>
