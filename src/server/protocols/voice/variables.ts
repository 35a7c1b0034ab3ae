import { composeFirstMessage } from './first-message.ts'
import type { DialRequest } from './provider.ts'

/** Returns the variables of an assistant's prompt: facts about the person, overridden by those of the API request. */
export const toPromptVariables = (request: DialRequest): Record<string, unknown> => ({
  ...request.person,
  ...(request.personName && { name: request.personName }),
  phoneNumber: request.to,
  ...(request.data as Record<string, unknown> | undefined),
})

/** Returns the prompt variables as text, for providers that accept only text values. */
export const toTextVariables = (request: DialRequest): Record<string, string> =>
  Object.fromEntries(
    Object.entries(toPromptVariables(request)).map(([name, value]) => [
      name,
      typeof value === 'string' ? value : JSON.stringify(value),
    ]),
  )

/** Composes the voicemail message, which also discloses that the caller is an AI. */
export const composeVoicemailMessage = (request: DialRequest): string | undefined =>
  request.voicemailMessage && composeFirstMessage({ ...request, firstMessage: request.voicemailMessage })
