import { z } from 'zod'
import { operation } from './operation.ts'
import { base, changedText, id, optionalText, pageInput, pageOf, text } from './page.ts'

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
    provider: z
      .enum(['simulated'])
      .describe('Who places the calls; `simulated` plays them out inside the server'),
    repId: id.optional().describe('The rep for whom it calls'),
    fromNumber: z.string().describe('Number it calls from, in E.164 form'),
    firstMessage: z.string().optional(),
    ...caps,
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
  tag: 'Assistants',
  extension: true,
  permission: 'Rep.EditRep',
  input: z.strictObject({
    assistantId: id.describe('The assistant'),
    name: optionalText(200),
    fromNumber: optionalText(50),
    firstMessage: changedText(2000),
    dailyCap: caps.dailyCap.optional(),
    dailyCapPerNumber: caps.dailyCapPerNumber.optional(),
  }),
  output: assistant,
  example: { input: { name: 'Front desk, evenings' } },
})
