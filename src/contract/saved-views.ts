import { z } from 'zod'
import { operation } from './operation.ts'
import { base, done, id, pageInput, pageSchema, text } from './page.ts'
import { personViewFilters } from './persons.ts'

/** Maximum number of shared views of an account, and of each user's own views. */
export const maxSavedViews = 100

const kind = z.enum(['people']).describe('List that the view filters; `people`: listPersons')
const filters = personViewFilters.describe('Filters and order of the list, as in its operation')
const columns = z
  .array(text(100))
  .max(120)
  .describe('Columns of the table in the web app, such as `company` or `custom.plan`')

const savedView = z
  .object({
    ...base('saved_view'),
    kind,
    name: z.string(),
    isShared: z.boolean().describe('Whether the whole account can use the view; otherwise only you'),
    filters,
    columns: columns.optional(),
  })
  .meta({ id: 'SavedView' })

const tag = 'Saved views'
const idInput = z.strictObject({ savedViewId: id.describe('Saved view ID') })
const fields = {
  name: text(100).describe('Unique among your own views of the kind, or among the shared ones'),
  isShared: z
    .boolean()
    .describe(
      'Whether the whole account can use the view, which requires Campaign.EditCampaign. Defaults to false',
    ),
}

export const listSavedViews = operation({
  method: 'GET',
  path: '/saved-views',
  summary: 'List saved views',
  description: 'Lists the saved filters that the account shares, and your own.',
  tag,
  extension: true,
  permission: 'Prospect.ReadProspect',
  input: z.strictObject({
    ...pageInput,
    kind: kind.optional(),
    isShared: z.boolean().optional().describe('`true`: only shared ones; `false`: only your own'),
  }),
  output: pageSchema(savedView, 'SavedView'),
})

export const createSavedView = operation({
  method: 'POST',
  path: '/saved-views',
  summary: 'Create a saved view',
  description: `An account can have at most ${maxSavedViews} shared views, and each user ${maxSavedViews} of their own. \`Conflict\` if the name is taken.`,
  tag,
  extension: true,
  permission: 'User.ManageSelf',
  input: z.strictObject({
    ...fields,
    kind,
    filters,
    columns: columns.optional(),
    isShared: fields.isShared.optional(),
  }),
  output: savedView,
  example: {
    input: {
      kind: 'people',
      name: 'Hot leads to call',
      filters: { tag: 'Hot lead', notContactedForDays: 30, sort: 'lastContactedAt' },
      columns: ['company', 'phone'],
      isShared: true,
    },
  },
})

export const updateSavedView = operation({
  method: 'PATCH',
  path: '/saved-views/{savedViewId}',
  summary: 'Update a saved view',
  description:
    'Absent fields stay as they are; `filters` and `columns` are replaced entirely. Shared views require Campaign.EditCampaign. A shared view that is no longer shared becomes yours. `Conflict` if the name is taken.',
  tag,
  extension: true,
  permission: 'User.ManageSelf',
  input: idInput.extend({
    name: fields.name.optional(),
    filters: filters.optional(),
    columns: columns
      .nullish()
      .describe('Columns of the table in the web app; null for those each user has chosen'),
    isShared: fields.isShared.optional(),
  }),
  output: savedView,
  example: { input: { name: 'Hot leads', filters: { tag: 'Hot lead' } } },
})

export const deleteSavedView = operation({
  method: 'DELETE',
  path: '/saved-views/{savedViewId}',
  summary: 'Delete a saved view',
  description: 'Deleting a shared view requires Campaign.EditCampaign.',
  tag,
  extension: true,
  permission: 'User.ManageSelf',
  input: idInput,
  output: done,
})
