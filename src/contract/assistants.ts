import { z } from 'zod'
import { operation } from './operation.ts'
import {
  base,
  id,
  optionalMultiline,
  optionalText,
  pageInput,
  pageSchema,
  patchMultiline,
  patchText,
  text,
  time,
} from './page.ts'

export const voiceProviders = ['simulated', 'vapi', 'retell', 'http'] as const
export const assistantStatuses = ['unverified', 'active', 'failing'] as const

const vapi = z.strictObject({
  assistantId: text(100).describe('ID of the Vapi assistant'),
  phoneNumberId: text(100).describe('ID of the calling Vapi phone number'),
})
const retell = z.strictObject({ agentId: text(100).describe('ID of the Retell agent') })
const http = z.strictObject({
  baseUrl: text(500).describe('Base URL of a voice service that implements docs/voice-http.md'),
})
const provider = z
  .enum(voiceProviders)
  .describe('Voice provider that places the calls; `simulated` plays them inside the server')

const cap = (max: number) => z.int().min(1).max(max)
const caps = {
  dailyCap: cap(10_000).describe(
    "Maximum call attempts from the assistant's number in any 24 hours; carriers block numbers that call too often",
  ),
  dailyCapPerNumber: cap(20).describe('Maximum call attempts to the same number in any 24 hours'),
}

export const assistant = z
  .object({
    ...base('assistant'),
    name: z.string(),
    provider,
    vapi: vapi.optional(),
    retell: retell.optional(),
    http: http.optional(),
    repId: id.optional().describe('Rep the assistant calls for'),
    fromNumber: z.string().describe('Number the assistant calls from, in E.164 format'),
    disclosure: z.string().optional(),
    firstMessage: z.string().optional(),
    ...caps,
    voicemailMessage: z.string().optional(),
    maxDurationSeconds: z.int().optional(),
    transferNumber: z.string().optional(),
    callbackUrl: z.string().optional().describe("URL for the provider's call events"),
    status: z.enum(assistantStatuses).describe('Result of the last verification with the provider'),
    statusReason: z.string().optional().describe('Problem found by the verification and how to fix it'),
    verifiedAt: time.optional(),
  })
  .meta({ id: 'Assistant' })

const secrets = {
  apiKey: optionalText(500).describe('API key of the provider; stored encrypted and never returned'),
  callbackSecret: optionalText(500).describe(
    "Secret that authenticates the provider's callbacks; stored encrypted and never returned. `http`: the signing secret (`whsec_…`). `retell`: the API key with the webhook badge, if that is a different key. `vapi`: generated if absent",
  ),
}
const disclosureHelp =
  'First sentence of a call, disclosing that an AI is calling. Defaults to `This is {name}, an AI assistant.`'
const voicemailHelp = "Message left on voicemail after the disclosure; defaults to the provider's settings"
const durationHelp = "Maximum length of a call in seconds; defaults to the provider's limit"
const maxDuration = z.int().min(30).max(7200)
const transferHelp =
  'Number to which calls are transferred when the callee asks for a person, unless the call has its own'

export const listAssistants = operation({
  method: 'GET',
  path: '/assistants',
  summary: 'List assistants',
  description: 'Lists the voice assistants that place calls, with their provider and state.',
  tag: 'Assistants',
  extension: true,
  permission: 'Rep.ReadRep',
  input: z.strictObject(pageInput),
  output: pageSchema(assistant, 'Assistant'),
})

const idInput = z.strictObject({ assistantId: id.describe('Assistant ID') })

export const getAssistant = operation({
  method: 'GET',
  path: '/assistants/{assistantId}',
  summary: 'Get an assistant',
  description: 'Includes the settings of its provider, without secrets.',
  tag: 'Assistants',
  extension: true,
  permission: 'Rep.ReadRep',
  input: idInput,
  output: assistant,
})

export const createAssistant = operation({
  method: 'POST',
  path: '/assistants',
  summary: 'Create an assistant',
  description:
    'Any provider except `simulated` needs the settings of the same name and an API key. Verify the assistant afterwards.',
  tag: 'Assistants',
  extension: true,
  permission: 'Rep.EditRep',
  input: z.strictObject({
    name: text(200).describe('Name; part of the default disclosure'),
    repId: id.optional().describe('Rep the assistant calls for'),
    provider: provider.default('simulated'),
    vapi: vapi.optional().describe('Settings for `vapi`'),
    retell: retell.optional().describe('Settings for `retell`'),
    http: http.optional().describe('Settings for `http`'),
    ...secrets,
    fromNumber: text(50).describe('Number the assistant calls from'),
    disclosure: optionalMultiline(500).describe(disclosureHelp),
    firstMessage: optionalMultiline(2000).describe('Text spoken after the disclosure'),
    voicemailMessage: optionalMultiline(2000).describe(voicemailHelp),
    maxDurationSeconds: maxDuration.optional().describe(durationHelp),
    transferNumber: optionalText(50).describe(transferHelp),
    dailyCap: caps.dailyCap.default(100),
    dailyCapPerNumber: caps.dailyCapPerNumber.default(3),
  }),
  output: assistant,
  example: {
    input: {
      name: 'Front desk',
      fromNumber: '+442079460018',
      firstMessage: 'Hello, this is an AI assistant.',
    },
  },
})

export const updateAssistant = operation({
  method: 'PATCH',
  path: '/assistants/{assistantId}',
  summary: 'Update an assistant',
  description:
    'A changed number or limit also applies to queued calls. The provider cannot be changed; create another assistant instead.',
  tag: 'Assistants',
  extension: true,
  permission: 'Rep.EditRep',
  input: idInput.extend({
    name: optionalText(200).describe('Name; part of the default disclosure'),
    vapi: vapi.optional().describe('Settings for `vapi`'),
    retell: retell.optional().describe('Settings for `retell`'),
    http: http.optional().describe('Settings for `http`'),
    ...secrets,
    fromNumber: optionalText(50).describe('Number the assistant calls from'),
    disclosure: patchMultiline(500).describe(disclosureHelp),
    firstMessage: patchMultiline(2000).describe('Text spoken after the disclosure'),
    voicemailMessage: patchMultiline(2000).describe(voicemailHelp),
    maxDurationSeconds: maxDuration.nullish().describe(durationHelp),
    transferNumber: patchText(50).describe(transferHelp),
    dailyCap: caps.dailyCap.optional(),
    dailyCapPerNumber: caps.dailyCapPerNumber.optional(),
  }),
  output: assistant,
  example: { input: { name: 'Front desk, evenings' } },
})

export const verifyAssistant = operation({
  method: 'POST',
  path: '/assistants/{assistantId}/verify',
  summary: 'Verify an assistant',
  description:
    'Checks with the provider that calls can be placed, without calling anyone. `statusReason` says what to fix.',
  tag: 'Assistants',
  extension: true,
  permission: 'Rep.EditRep',
  isRemote: true,
  timeoutMs: 45_000,
  input: idInput,
  output: assistant,
})
