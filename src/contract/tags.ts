import { z } from 'zod'
import { operation } from './operation.ts'
import { base, done, id, pageInput, pageSchema, text } from './page.ts'

export const tagEntityTypes = ['email_thread', 'linkedin_conversation', 'person'] as const

export const tag = z.object({ ...base('tag'), name: z.string() }).meta({ id: 'Tag' })

export const listTags = operation({
  method: 'GET',
  path: '/tags',
  summary: 'List tags',
  description: 'Lists the tags of the account.',
  tag: 'Tags',
  extension: true,
  permission: 'Inbox.ReadInbox',
  input: z.strictObject(pageInput),
  output: pageSchema(tag, 'Tag'),
})

const idInput = z.strictObject({ tagId: id.describe('Tag ID') })

export const updateTag = operation({
  method: 'PATCH',
  path: '/tags/{tagId}',
  summary: 'Rename a tag',
  description:
    'Renames the tag wherever it is assigned and in saved views. `Conflict` if another tag has the name.',
  tag: 'Tags',
  extension: true,
  permission: 'Campaign.EditCampaign',
  timeoutMs: 120_000,
  input: idInput.extend({ name: text(100).describe('New name') }),
  output: tag,
  example: { input: { name: 'Interested' } },
})

export const deleteTag = operation({
  method: 'DELETE',
  path: '/tags/{tagId}',
  summary: 'Delete a tag',
  description: 'Deletes the tag and removes it wherever it is assigned.',
  tag: 'Tags',
  extension: true,
  permission: 'Campaign.EditCampaign',
  timeoutMs: 120_000,
  input: idInput,
  output: done,
})

const taggingInput = z.strictObject({
  entityType: z.enum(tagEntityTypes).describe('Type of the tagged object'),
  entityId: id.describe('ID of the email thread, LinkedIn conversation or person'),
  tags: z.array(text(100)).min(1).max(50).describe('Tag names, case-insensitive'),
})
const tagList = z.object({ tags: z.array(z.string()).describe('All tags of the object') })
const example = {
  input: {
    entityType: 'email_thread',
    entityId: '01980000-0000-7000-8000-000000000001',
    tags: ['Interested'],
  },
}

export const assignTags = operation({
  method: 'POST',
  path: '/tags/assign',
  summary: 'Assign tags to a conversation or person',
  description: 'Creates tags that do not exist yet.',
  tag: 'Tags',
  extension: true,
  permission: 'Inbox.EditTags',
  input: taggingInput,
  output: tagList,
  example,
})

export const unassignTags = operation({
  method: 'POST',
  path: '/tags/unassign',
  summary: 'Unassign tags from a conversation or person',
  description: 'Tags that are not assigned are ignored.',
  tag: 'Tags',
  extension: true,
  permission: 'Inbox.EditTags',
  input: taggingInput,
  output: tagList,
  example,
})
