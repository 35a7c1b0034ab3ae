import { z } from 'zod'
import { operation } from './operation.ts'
import {
  base,
  changedLines,
  changedText,
  id,
  optionalLines,
  optionalText,
  pageInput,
  pageOf,
  text,
  time,
} from './page.ts'

export const voiceProviders = ['simulated', 'vapi', 'retell', 'http'] as const
export const assistantStatuses = ['unverified', 'active', 'failing'] as const

const vapi = z.strictObject({
  assistantId: text(100).describe('Id of the assistant at Vapi'),
  phoneNumberId: text(100).describe('Id at Vapi of the number it calls from'),
})
const retell = z.strictObject({ agentId: text(100).describe('Id of the agent at Retell') })
const http = z.strictObject({
  baseUrl: text(500).describe('Address of a voice stack that speaks as docs/voice-http.md describes'),
})
const provider = z
  .enum(voiceProviders)
  .describe('Who places the calls; `simulated` plays them out inside the server')

const cap = (max: number) => z.int().min(1).max(max)
const caps = {
  dailyCap: cap(10_000).describe(
    'Calls from its number in any 24 hours, attempts counted; carriers block busy ones',
  ),
  dailyCapPerNumber: cap(20).describe('Calls to the same number in any 24 hours, attempts counted'),
}

export const assistant = z
  .object({
    ...base('assistant'),
    name: z.string(),
    provider,
    vapi: vapi.optional(),
    retell: retell.optional(),
    http: http.optional(),
    repId: id.optional().describe('The rep for whom it calls'),
    fromNumber: z.string().describe('Number it calls from, in E.164 form'),
    disclosure: z.string().optional(),
    firstMessage: z.string().optional(),
    ...caps,
    voicemailMessage: z.string().optional(),
    maxDurationSeconds: z.int().optional(),
    transferNumber: z.string().optional(),
    callbackUrl: z.string().optional().describe('Where its provider posts what becomes of calls'),
    status: z
      .enum(assistantStatuses)
      .describe('Whether its provider said that calls can be placed, when it was last verified'),
    statusReason: z.string().optional().describe('What to mend'),
    verifiedAt: time.optional(),
  })
  .meta({ id: 'Assistant' })

const secrets = {
  apiKey: optionalText(500).describe('Key for the provider’s API; kept encrypted and never shown again'),
  callbackSecret: optionalText(500).describe(
    'What proves the provider’s callbacks; kept like the key. Of `http` the secret that signs them (`whsec_…`); of `retell` the API key with the webhook badge, where that is another one; for `vapi` one is made',
  ),
}
const disclosureHelp =
  'Said first, and says that an AI is calling; by default `This is {name}, an AI assistant.`'
const voicemailHelp = 'Said to a mailbox, after the disclosure; without it the provider’s own settings hold'
const durationHelp = 'Seconds after which a call ends; the provider’s own limit when absent'
const maxDuration = z.int().min(30).max(7200)
const transferHelp = 'Where a person who asks for one is put through to, unless a call names another number'

export const listAssistants = operation({
  method: 'GET',
  path: '/assistants',
  summary: 'List assistants',
  tag: 'Assistants',
  extension: true,
  permission: 'Rep.ReadRep',
  input: z.strictObject(pageInput),
  output: pageOf(assistant, 'Assistant'),
})

const one = z.strictObject({ assistantId: id.describe('The assistant') })

export const getAssistant = operation({
  method: 'GET',
  path: '/assistants/{assistantId}',
  summary: 'Get an assistant',
  tag: 'Assistants',
  extension: true,
  permission: 'Rep.ReadRep',
  input: one,
  output: assistant,
})

export const createAssistant = operation({
  method: 'POST',
  path: '/assistants',
  summary: 'Create an assistant',
  description:
    'With a provider other than `simulated` it needs the settings of that name and an API key; verify it then.',
  tag: 'Assistants',
  extension: true,
  permission: 'Rep.EditRep',
  input: z.strictObject({
    name: text(200),
    repId: id.optional(),
    provider: provider.default('simulated'),
    vapi: vapi.optional(),
    retell: retell.optional(),
    http: http.optional(),
    ...secrets,
    fromNumber: text(50),
    disclosure: optionalLines(500).describe(disclosureHelp),
    firstMessage: optionalLines(2000),
    voicemailMessage: optionalLines(2000).describe(voicemailHelp),
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
  summary: 'Change an assistant',
  description: 'Its provider stays; another one needs an assistant of its own.',
  tag: 'Assistants',
  extension: true,
  permission: 'Rep.EditRep',
  input: one.extend({
    name: optionalText(200),
    vapi: vapi.optional(),
    retell: retell.optional(),
    http: http.optional(),
    ...secrets,
    fromNumber: optionalText(50),
    disclosure: changedLines(500).describe(disclosureHelp),
    firstMessage: changedLines(2000),
    voicemailMessage: changedLines(2000).describe(voicemailHelp),
    maxDurationSeconds: maxDuration.nullish().describe(durationHelp),
    transferNumber: changedText(50).describe(transferHelp),
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
    'Asks its provider whether calls can be placed with its settings; calls nobody. What to mend is told in `statusReason`.',
  tag: 'Assistants',
  extension: true,
  permission: 'Rep.EditRep',
  isRemote: true,
  timeoutMs: 45_000,
  input: one,
  output: assistant,
})
