import type { RawInput } from '../../../contract/index.ts'

// Separate from the pages, so that the router can prefetch without loading them.

export type CallsSearch = { status?: string | undefined; assistantId?: string | undefined }

export const toListCallsInput = (search: CallsSearch): RawInput<'listCalls'> =>
  search as RawInput<'listCalls'>

export type RequestsSearch = { status?: string | undefined }

export const toListCallRequestsInput = ({
  status = 'waiting',
}: RequestsSearch): RawInput<'listCallRequests'> => ({ status }) as RawInput<'listCallRequests'>
