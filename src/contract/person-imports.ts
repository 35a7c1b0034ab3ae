import { z } from 'zod'
import { addressRisk } from './address-risks.ts'
import { customFieldDefinition } from './custom-fields.ts'
import { id, text } from './page.ts'
import { prospectFields } from './person-fields.ts'

/** Options for importing people. */
export const importOptions = {
  map: z
    .record(z.string().max(200), z.string().max(50))
    .optional()
    .describe(
      `Header → field, for headers that are not recognized; \`-\` ignores a column. Fields: ${prospectFields.map(field => `\`${field}\``).join(', ')}; \`title\` means \`jobTitle\``,
    ),
  customColumns: z
    .record(z.string().max(200), z.string().max(50))
    .optional()
    .describe('Header → key of a custom field, for columns with its values'),
  createCustomFields: z
    .boolean()
    .optional()
    .describe('Creates custom fields of type `text` for unknown keys; requires `Campaign.EditCampaign`'),
  customFields: z
    .array(customFieldDefinition)
    .max(50)
    .optional()
    .describe(
      'Custom fields to create unless their keys exist; requires `Campaign.EditCampaign` if one is missing',
    ),
  tags: z
    .array(text(100))
    .max(50)
    .optional()
    .describe('Tags for all imported people; rows of people who would have more than 50 are invalid'),
  ownerRepId: id.optional().describe('Rep to assign to imported people who have none yet'),
  dryRun: z
    .boolean()
    .optional()
    .describe(
      'Reports the outcome of each row and changes nothing: neither people nor custom fields or tags',
    ),
}

/** Imported addresses that may not receive email. */
export const riskyRows = z
  .object({
    total: z.int(),
    rows: z
      .array(
        z.object({
          line: z.int().describe('Line of the file, or position in `rows` from 1'),
          ...addressRisk,
        }),
      )
      .describe('The first 1,000'),
  })
  .optional()
  .describe('Imported addresses that may not receive email; absent if there are none')
