import { z } from 'zod'
import { operation } from './operation.ts'
import { base, done, id, pageInput, pageSchema, text } from './page.ts'

export const customFieldTypes = ['text', 'number', 'date', 'url', 'choice'] as const
export const customFieldObjects = ['person', 'company'] as const
export const maxCustomFields = 100
export const maxCustomValueLength = 2000

const customField = z
  .object({
    ...base('custom_field'),
    key: z.string().describe('Name in `custom` objects and in templates'),
    label: z.string(),
    appliesTo: z.enum(customFieldObjects).describe('Objects that have the field'),
    type: z.enum(customFieldTypes),
    choices: z.array(z.string()).optional().describe('Allowed values; for the type `choice` only'),
  })
  .meta({ id: 'CustomField' })

/** Values of custom fields as returned by the API, by key. */
export const customValues = z
  .record(z.string(), z.union([z.string(), z.number()]))
  .optional()
  .describe('Values of custom fields by key; absent if there are none')

/** Values of custom fields to store, by key. */
export const customInput = z
  .record(z.string().max(50), z.union([z.string().max(maxCustomValueLength), z.number(), z.null()]))
  .refine(
    values => Object.keys(values).length <= maxCustomFields,
    `must have at most ${maxCustomFields} keys`,
  )
  .optional()
  .describe('Values of custom fields by key; null clears one, and absent keys keep their values')

const tag = 'Custom fields'
const permission = 'Campaign.EditCampaign'
const idInput = z.strictObject({ customFieldId: id.describe('Custom field ID') })

const label = text(100).describe('Name shown to people')
const choices = z.array(text(200)).min(1).max(100).describe('Allowed values; for the type `choice` only')

/** A new custom field. */
export const customFieldDefinition = z.strictObject({
  key: z
    .string()
    .regex(
      /^[a-z][a-zA-Z0-9_]{0,49}$/,
      'must start with a lower-case letter and contain up to 50 letters, digits and underscores',
    )
    .describe('Name in `custom` objects and in templates; cannot be changed'),
  label,
  type: z
    .enum(customFieldTypes)
    .describe('`date`: a calendar date, such as 2026-11-21; `url`: http or https. Cannot be changed'),
  choices: choices.optional(),
})

export const listCustomFields = operation({
  method: 'GET',
  path: '/custom-fields',
  summary: 'List custom fields',
  description: 'Lists the fields that the account has added to persons and companies.',
  tag,
  extension: true,
  permission: 'Prospect.ReadProspect',
  input: z.strictObject(pageInput),
  output: pageSchema(customField, 'CustomField'),
})

export const createCustomField = operation({
  method: 'POST',
  path: '/custom-fields',
  summary: 'Create a custom field',
  description: `Values are in \`custom\` of persons or companies, and templates use the key like other variables, such as \`{{ icebreaker }}\`; a company field has the value of the person's company. Steps that need it are not sent to persons without a value. At most ${maxCustomFields} per account; \`Conflict\` if the key exists.`,
  tag,
  extension: true,
  permission,
  input: customFieldDefinition.extend({
    appliesTo: z
      .enum(customFieldObjects)
      .default('person')
      .describe('Objects that have the field. Cannot be changed'),
  }),
  output: customField,
  example: { input: { key: 'plan', label: 'Current plan', type: 'choice', choices: ['Free', 'Team'] } },
})

export const updateCustomField = operation({
  method: 'PATCH',
  path: '/custom-fields/{customFieldId}',
  summary: 'Update a custom field',
  description: 'Values that are no longer among the choices are kept until they are changed.',
  tag,
  extension: true,
  permission,
  input: idInput.extend({ label: label.optional(), choices: choices.optional() }),
  output: customField,
  example: { input: { choices: ['Free', 'Team', 'Enterprise'] } },
})

export const deleteCustomField = operation({
  method: 'DELETE',
  path: '/custom-fields/{customFieldId}',
  summary: 'Delete a custom field and its values',
  description: '`Conflict` if a campaign that is neither completed nor archived uses it.',
  tag,
  extension: true,
  permission,
  timeoutMs: 120_000,
  input: idInput,
  output: done,
})
