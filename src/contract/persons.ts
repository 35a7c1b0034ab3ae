import { z } from 'zod'
import { operation } from './operation.ts'
import { base, id, optionalText, pageInput, pageSchema, patchText } from './page.ts'
import {
  isSpecified,
  mapPersonFields,
  type PersonField,
  personFields,
  type SpecifiedPersonField,
} from './person-fields.ts'

const known = mapPersonFields(field => z.string().describe(personFields[field].label))
/** Specified fields are null when unknown, the others absent. */
const fields = mapPersonFields(field =>
  isSpecified(field) ? known[field].nullable() : known[field].optional(),
) as {
  [F in PersonField]: F extends SpecifiedPersonField ? z.ZodNullable<z.ZodString> : z.ZodOptional<z.ZodString>
}

export const person = z
  .object({
    ...base('person'),
    ...fields,
    photoUrl: z.string().nullable().describe('URL of a photo'),
    companyId: id.optional(),
  })
  .meta({ id: 'Person' })

const one = z.strictObject({ personId: id.describe('Person ID') })

export const listPersons = operation({
  method: 'GET',
  path: '/persons',
  summary: 'List persons',
  tag: 'Persons',
  extension: true,
  permission: 'Prospect.ReadProspect',
  input: z.strictObject({
    ...pageInput,
    email: optionalText(320).describe('Only the person with this email address'),
    companyId: id.optional().describe('Only persons of this company'),
  }),
  output: pageSchema(person, 'Person'),
})

export const getPerson = operation({
  method: 'GET',
  path: '/persons/{personId}',
  summary: 'Get a person',
  tag: 'Persons',
  extension: true,
  permission: 'Prospect.ReadProspect',
  input: one,
  output: person,
})

export const updatePerson = operation({
  method: 'PATCH',
  path: '/persons/{personId}',
  summary: 'Update a person',
  description:
    'Absent fields stay as they are; null clears a field. `Conflict` if another person has the email address.',
  tag: 'Persons',
  extension: true,
  permission: 'Prospect.EditProspect',
  input: one.extend(
    mapPersonFields(field => patchText(personFields[field].maxLength).describe(personFields[field].label)),
  ),
  output: person,
  example: { input: { title: 'Head of Research', timezone: 'Europe/London' } },
})
