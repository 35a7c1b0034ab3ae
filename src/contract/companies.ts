import { z } from 'zod'
import { customInput, customValues } from './custom-fields.ts'
import { operation } from './operation.ts'
import {
  base,
  changeFilter,
  id,
  optionalText,
  pageInput,
  pageSchema,
  patchText,
  text,
  withChangeFilter,
} from './page.ts'

const textOrNull = z.string().nullable()

export const company = z
  .object({
    ...base('company'),
    industries: z.array(z.string()),
    name: textOrNull,
    website: textOrNull,
    domain: textOrNull,
    logoUrl: textOrNull,
    city: textOrNull,
    state: textOrNull,
    country: textOrNull,
    custom: customValues,
  })
  .meta({ id: 'Company' })

const tag = 'Companies'
const idInput = z.strictObject({ companyId: id.describe('Company ID') })

export const listCompanies = operation({
  method: 'GET',
  path: '/companies',
  summary: 'List companies',
  description: 'Lists companies. Imports of persons also create their companies.',
  tag,
  extension: true,
  permission: 'Prospect.ReadProspect',
  input: withChangeFilter(
    z.strictObject({
      ...pageInput,
      ...changeFilter,
      domain: optionalText(253).describe('Only the company with this domain'),
    }),
  ),
  output: pageSchema(company, 'Company'),
})

const industries = z.array(text(100)).max(20).describe('Names of industries')

export const createCompany = operation({
  method: 'POST',
  path: '/companies',
  summary: 'Create a company',
  description:
    'Persons created or imported later belong to the company if their email address is at its domain or their company has its name. `Conflict`, with the ID of the company under `companyId` in `details`, if one with the domain or name exists.',
  tag,
  extension: true,
  permission: 'Prospect.EditProspect',
  input: z.strictObject({
    name: text(200).describe('Name'),
    domain: optionalText(253).describe('Domain of its email addresses; not that of a public mail provider'),
    website: optionalText(2000).describe('Website, http or https'),
    industries: industries.optional(),
    city: optionalText(200).describe('City'),
    state: optionalText(200).describe('State or region'),
    country: optionalText(200).describe('Country'),
    custom: customInput,
  }),
  output: company,
  example: {
    input: { name: 'Northwind Traders', domain: 'northwind.example', industries: ['Wholesale'] },
  },
})

export const getCompany = operation({
  method: 'GET',
  path: '/companies/{companyId}',
  summary: 'Get a company',
  description: 'Includes its custom fields. `listPersons` with `companyId` lists who works there.',
  tag,
  extension: true,
  permission: 'Prospect.ReadProspect',
  input: idInput,
  output: company,
})

export const updateCompany = operation({
  method: 'PATCH',
  path: '/companies/{companyId}',
  summary: 'Update a company',
  description:
    'Absent fields stay as they are; null clears a field. Steps that have not been sent yet use the new values. `Conflict` if another company has the domain.',
  tag,
  extension: true,
  permission: 'Prospect.EditProspect',
  reachesOutside: 'enrolled_person',
  timeoutMs: 120_000,
  input: idInput.extend({
    name: optionalText(200).describe('Name'),
    domain: patchText(253).describe('Domain of its email addresses; not that of a public mail provider'),
    website: patchText(2000).describe('Website, http or https'),
    industries: industries.optional(),
    city: patchText(200).describe('City'),
    state: patchText(200).describe('State or region'),
    country: patchText(200).describe('Country'),
    custom: customInput,
  }),
  output: company,
  example: { input: { name: 'Northwind Traders Ltd', city: 'London' } },
})
