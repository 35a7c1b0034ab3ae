import { z } from 'zod'
import { operation } from './operation.ts'
import { base, id, optionalText, pageInput, pageSchema, patchText } from './page.ts'

const textOrNull = z.string().nullable()

export const person = z
  .object({
    ...base('person'),
    firstName: textOrNull,
    lastName: textOrNull,
    email: textOrNull,
    title: textOrNull.describe('Job title'),
    linkedinUrl: textOrNull,
    phone: textOrNull.describe('Phone number in E.164 format'),
    city: textOrNull,
    state: textOrNull,
    country: textOrNull,
    photoUrl: textOrNull,
    companyId: id.optional(),
    timezone: z.string().optional().describe('IANA time zone, such as Europe/Lisbon'),
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
  input: one.extend({
    firstName: patchText(200),
    lastName: patchText(200),
    email: patchText(320),
    title: patchText(200),
    linkedinUrl: patchText(2000),
    phone: patchText(50),
    city: patchText(200),
    state: patchText(200),
    country: patchText(200),
    timezone: patchText(64),
  }),
  output: person,
  example: { input: { title: 'Head of Research', timezone: 'Europe/London' } },
})
