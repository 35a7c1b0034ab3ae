import { z } from 'zod'
import { operation } from './operation.ts'
import { base, done, id, lines, pageInput, pageSchema, searchQuery } from './page.ts'

export const note = z
  .object({
    ...base('note'),
    personId: id,
    text: z.string(),
    authorId: id.optional().describe('User who wrote the note'),
    author: z
      .string()
      .optional()
      .describe('Name of the author; for a former member, the name when they were removed'),
  })
  .meta({ id: 'Note' })

const text = lines(10_000).describe('Plain text')
const idInput = z.strictObject({ noteId: id.describe('Note ID') })
const aboutPerson = z.strictObject({ personId: id.describe('Person ID') })
const example = { input: { text: 'Prefers to be called in the morning.' } }

export const listNotes = operation({
  method: 'GET',
  path: '/persons/{personId}/notes',
  summary: 'List the notes on a person',
  description: 'Lists the notes about a person, newest first.',
  tag: 'Persons',
  extension: true,
  permission: 'Prospect.ReadProspect',
  input: aboutPerson.extend({
    ...pageInput,
    query: searchQuery.optional().describe('Only notes that contain these words, ignoring case and accents'),
  }),
  output: pageSchema(note, 'Note'),
})

export const createNote = operation({
  method: 'POST',
  path: '/persons/{personId}/notes',
  summary: 'Create a note on a person',
  description:
    'Everyone in the account can read the note, including in the person’s timeline. It is never part of a message.',
  tag: 'Persons',
  extension: true,
  permission: 'Prospect.EditProspect',
  input: aboutPerson.extend({ text }),
  output: note,
  example,
})

export const updateNote = operation({
  method: 'PATCH',
  path: '/notes/{noteId}',
  summary: 'Update a note',
  description: 'Replaces the text of a note.',
  tag: 'Persons',
  extension: true,
  permission: 'Prospect.EditProspect',
  input: idInput.extend({ text }),
  output: note,
  example,
})

export const deleteNote = operation({
  method: 'DELETE',
  path: '/notes/{noteId}',
  summary: 'Delete a note',
  description: 'Deletes a note for good.',
  tag: 'Persons',
  extension: true,
  permission: 'Prospect.EditProspect',
  input: idInput,
  output: done,
})
