import { firstWords } from './first-words.ts'
import type { CallRequest } from './provider.ts'

/** What an assistant's words may name: who is called, then what the caller of the API gave, which wins. */
export const variablesOf = (request: CallRequest): Record<string, unknown> => ({
  ...request.person,
  ...(request.personName && { name: request.personName }),
  phoneNumber: request.to,
  ...(request.data as Record<string, unknown> | undefined),
})

/** The same for providers that know text alone. */
export const textVariablesOf = (request: CallRequest): Record<string, string> =>
  Object.fromEntries(
    Object.entries(variablesOf(request)).map(([name, value]) => [
      name,
      typeof value === 'string' ? value : JSON.stringify(value),
    ]),
  )

/** Also on a mailbox an AI says that it is one. */
export const voicemailWords = (request: CallRequest): string | undefined =>
  request.voicemailMessage && firstWords({ ...request, firstMessage: request.voicemailMessage })
