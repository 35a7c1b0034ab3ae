import { z } from 'zod'
import { operation } from './operation.ts'
import { base, changeFilter, id, optionalText, pageInput, pageSchema, withChangeFilter } from './page.ts'

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
  })
  .meta({ id: 'Company' })

export const listCompanies = operation({
  method: 'GET',
  path: '/companies',
  summary: 'List companies',
  description: 'Lists the companies that persons work for. They are created and updated with their persons.',
  tag: 'Companies',
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

export const getCompany = operation({
  method: 'GET',
  path: '/companies/{companyId}',
  summary: 'Get a company',
  description: 'Includes what imports and enrichment stored about the company.',
  tag: 'Companies',
  extension: true,
  permission: 'Prospect.ReadProspect',
  input: z.strictObject({ companyId: id.describe('Company ID') }),
  output: company,
})
