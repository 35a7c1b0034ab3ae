import type { RawInput } from '../../../contract/index.ts'

/** What the address says of the calls to show; asked for ahead of the page, so it knows nothing of it. */
export type CallsSearch = { status?: string | undefined; assistantId?: string | undefined }

export const toListCallsInput = (search: CallsSearch): RawInput<'listCalls'> =>
  search as RawInput<'listCalls'>

export type RequestsSearch = { status?: string | undefined }

export const toListCallRequestsInput = ({
  status = 'waiting',
}: RequestsSearch): RawInput<'listCallRequests'> => ({ status }) as RawInput<'listCallRequests'>
