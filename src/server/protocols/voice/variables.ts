import { composeFirstMessage } from './first-words.ts'
import type { DialRequest } from './provider.ts'

/** What an assistant's words may name: who is called, then what the caller of the API gave, which wins. */
export const toVariables = (request: DialRequest): Record<string, unknown> => ({
  ...request.person,
  ...(request.personName && { name: request.personName }),
  phoneNumber: request.to,
  ...(request.data as Record<string, unknown> | undefined),
})

/** The same for providers that know text alone. */
export const toTextVariables = (request: DialRequest): Record<string, string> =>
  Object.fromEntries(
    Object.entries(toVariables(request)).map(([name, value]) => [
      name,
      typeof value === 'string' ? value : JSON.stringify(value),
    ]),
  )

/** Also on a mailbox an AI says that it is one. */
export const composeVoicemailMessage = (request: DialRequest): string | undefined =>
  request.voicemailMessage && composeFirstMessage({ ...request, firstMessage: request.voicemailMessage })
