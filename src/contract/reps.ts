import { z } from 'zod'
import { operation } from './operation.ts'
import { base, id, optionalText, pageInput, pageSchema, patchMultiline, text } from './page.ts'

export const rep = z
  .object({
    ...base('rep'),
    name: z.string(),
    ownedById: id.optional().describe('User who owns the rep'),
    email: z.string().optional().describe("Email address of the rep's first mailbox"),
    signature: z.string().optional(),
  })
  .meta({ id: 'Rep' })

const signature = patchMultiline(5_000).describe(
  'Added below the body of each step, or in place of `{{ signature }}`, and below emails and replies that do not contain it. Plain text, or HTML if it contains tags; null removes it',
)

const idInput = z.strictObject({ repId: id.describe('Rep ID') })

export const listReps = operation({
  method: 'GET',
  path: '/reps',
  summary: 'List reps',
  description: 'Lists the people on whose behalf messages are sent and calls are placed.',
  tag: 'Reps',
  extension: true,
  permission: 'Rep.ReadRep',
  input: z.strictObject(pageInput),
  output: pageSchema(rep, 'Rep'),
})

export const createRep = operation({
  method: 'POST',
  path: '/reps',
  summary: 'Create a rep',
  description:
    'The user `ownedById` owns the rep; it defaults to you. Roles that are limited to their own reps cannot name another user.',
  tag: 'Reps',
  extension: true,
  permission: 'Rep.EditRep',
  input: z.strictObject({
    name: text(200).describe('Name shown to recipients'),
    ownedById: id.optional().describe('User who owns the rep. Defaults to you'),
    signature,
  }),
  output: rep,
  example: { input: { name: 'Grace Hopper', signature: 'Grace Hopper\nUS Navy' } },
})

export const getRep = operation({
  method: 'GET',
  path: '/reps/{repId}',
  summary: 'Get a rep',
  description: 'Includes the signature and the user who owns the rep.',
  tag: 'Reps',
  permission: 'Rep.ReadRep',
  input: idInput,
  output: rep,
})

export const updateRep = operation({
  method: 'PATCH',
  path: '/reps/{repId}',
  summary: 'Update a rep',
  description: 'Absent fields stay as they are.',
  tag: 'Reps',
  extension: true,
  permission: 'Rep.EditRep',
  reachesOutside: 'always',
  input: idInput.extend({
    name: optionalText(200).describe('Name shown to recipients'),
    ownedById: id.optional().describe('User who owns the rep'),
    signature,
  }),
  output: rep,
  example: { input: { name: 'Rear Admiral Hopper' } },
})
