import { z } from 'zod'
import { operation } from './operation.ts'
import { base, changedText, id, optionalText, pageInput, pageOf } from './page.ts'

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
  output: pageOf(person, 'Person'),
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
    firstName: changedText(200),
    lastName: changedText(200),
    email: changedText(320),
    title: changedText(200),
    linkedinUrl: changedText(2000),
    phone: changedText(50),
    city: changedText(200),
    state: changedText(200),
    country: changedText(200),
    timezone: changedText(64),
  }),
  output: person,
  example: { input: { title: 'Head of Research', timezone: 'Europe/London' } },
})
