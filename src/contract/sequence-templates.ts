import { z } from 'zod'
import { delayUnits, sequenceTemplateIds, stepChannels } from './campaigns.ts'
import { operation } from './operation.ts'

export const listSequenceTemplates = operation({
  method: 'GET',
  path: '/sequence-templates',
  summary: 'List sequence templates',
  description:
    'Lists sequences for common sales situations; pass the `id` of one to createCampaign as `template`. Placeholders in double brackets, such as `[[your product]]`, must be replaced before the launch.',
  tag: 'Campaigns',
  extension: true,
  permission: 'Campaign.ReadCampaign',
  input: z.strictObject({}),
  output: z.object({
    data: z.array(
      z.object({
        id: z.enum(sequenceTemplateIds),
        objectType: z.literal('sequence_template'),
        name: z.string(),
        description: z.string().describe('When to use it'),
        steps: z.array(
          z.object({
            channel: z.enum(stepChannels),
            delay: z.object({ amount: z.int(), unit: z.enum(delayUnits) }),
            subject: z.string().optional(),
            body: z.string().optional(),
          }),
        ),
      }),
    ),
  }),
})
