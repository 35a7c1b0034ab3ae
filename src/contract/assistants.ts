import { z } from 'zod'
import { operation } from './operation.ts'
import { base, changedText, id, optionalText, pageInput, pageOf, text } from './page.ts'

export const assistant = z
  .object({
    ...base('assistant'),
    name: z.string(),
    provider: z
      .enum(['simulated'])
      .describe('Who places the calls; `simulated` plays them out inside the server'),
    repId: id.optional().describe('The rep for whom it calls'),
    fromNumber: z.string().describe('Number it calls from, in E.164 form'),
    firstMessage: z.string().optional(),
  })
  .meta({ id: 'Assistant' })

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

export const createAssistant = operation({
  method: 'POST',
  path: '/assistants',
  summary: 'Create an assistant',
  tag: 'Assistants',
  extension: true,
  permission: 'Rep.EditRep',
  input: z.strictObject({
    name: text(200),
    repId: id.optional(),
    fromNumber: text(50),
    firstMessage: optionalText(2000),
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
  tag: 'Assistants',
  extension: true,
  permission: 'Rep.EditRep',
  input: z.strictObject({
    assistantId: id.describe('The assistant'),
    name: optionalText(200),
    fromNumber: optionalText(50),
    firstMessage: changedText(2000),
  }),
  output: assistant,
  example: { input: { name: 'Front desk, evenings' } },
})
