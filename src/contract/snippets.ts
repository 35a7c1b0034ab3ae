import { z } from 'zod'
import { operation } from './operation.ts'
import {
  base,
  changeFilter,
  done,
  id,
  lines,
  pageInput,
  pageSchema,
  searchQuery,
  text,
  withChangeFilter,
} from './page.ts'

/** Maximum number of shared snippets of an account, and of each user's own snippets. */
export const maxSnippets = 500

const rendered = z
  .object({
    text: z
      .string()
      .optional()
      .describe('Variables without a value appear as `[name]`. Absent if the text cannot be rendered'),
    missing: z.array(z.string()).describe('Variables without a value'),
    error: z.string().optional().describe('Reason the text cannot be rendered'),
  })
  .meta({ id: 'RenderedSnippet' })

const snippet = z
  .object({
    ...base('snippet'),
    name: z.string(),
    text: z.string(),
    isShared: z.boolean().describe('Whether the whole account can use the snippet; otherwise only you'),
    rendered: rendered.optional().describe('The text for the person; with `personId` only'),
  })
  .meta({ id: 'Snippet' })

const tag = 'Inbox'
const idInput = z.strictObject({ snippetId: id.describe('Snippet ID') })
const personInput = {
  personId: id.optional().describe('Renders the text for this person, in `rendered`'),
  repId: id
    .optional()
    .describe("Rep who writes to the person. Defaults to the person's last rep, or to your only rep"),
}
const fields = {
  name: text(100).describe('Name shown in lists'),
  text: lines(10_000).describe(
    'Plain text, or HTML if it contains tags, with the variables, custom fields and spintax of step templates',
  ),
  isShared: z
    .boolean()
    .describe(
      'Whether the whole account can use the snippet, which requires Campaign.EditCampaign. Defaults to false',
    ),
}

export const listSnippets = operation({
  method: 'GET',
  path: '/snippets',
  summary: 'List snippets',
  description:
    'Lists prepared texts for emails and messages: those that the account shares, and your own. With `personId` each is rendered for that person.',
  tag,
  extension: true,
  permission: 'Campaign.ReadCampaign',
  input: withChangeFilter(
    z.strictObject({
      ...pageInput,
      ...changeFilter,
      query: searchQuery.optional().describe('Only snippets with these words in their name or text'),
      isShared: z.boolean().optional().describe('`true`: only shared ones; `false`: only your own'),
      ...personInput,
    }),
  ),
  output: pageSchema(snippet, 'Snippet'),
})

export const getSnippet = operation({
  method: 'GET',
  path: '/snippets/{snippetId}',
  summary: 'Get a snippet',
  description: 'With `personId`, the snippet is rendered for that person.',
  tag,
  extension: true,
  permission: 'Campaign.ReadCampaign',
  input: idInput.extend(personInput),
  output: snippet,
})

export const createSnippet = operation({
  method: 'POST',
  path: '/snippets',
  summary: 'Create a snippet',
  description: `An account can have at most ${maxSnippets} shared snippets, and each user ${maxSnippets} of their own.`,
  tag,
  extension: true,
  permission: 'Inbox.CreateDraft',
  input: z.strictObject({ ...fields, isShared: fields.isShared.optional() }),
  output: snippet,
  example: {
    input: {
      name: 'Book a call',
      text: 'Hi {{ firstName }},\n\nWould a call on Thursday suit you?\n\n{{ senderName }}',
      isShared: true,
    },
  },
})

export const updateSnippet = operation({
  method: 'PATCH',
  path: '/snippets/{snippetId}',
  summary: 'Update a snippet',
  description: 'Absent fields stay as they are. A shared snippet that is no longer shared becomes yours.',
  tag,
  extension: true,
  permission: 'Inbox.CreateDraft',
  input: idInput.extend({
    name: fields.name.optional(),
    text: fields.text.optional(),
    isShared: fields.isShared.optional(),
  }),
  output: snippet,
  example: { input: { isShared: true } },
})

export const deleteSnippet = operation({
  method: 'DELETE',
  path: '/snippets/{snippetId}',
  summary: 'Delete a snippet',
  description: 'Deleting a shared snippet requires Campaign.EditCampaign.',
  tag,
  extension: true,
  permission: 'Inbox.CreateDraft',
  input: idInput,
  output: done,
})
