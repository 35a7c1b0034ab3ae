import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Caller, makeCaller, openTestApp, type TestApp } from '../../../../../test/support/app.ts'
import {
  getInputName,
  mapPersonVariables,
  mapProspectInputs,
  mapVariableInputs,
  type PersonField,
  personFieldNames,
  personFields,
} from '../../../../contract/person-fields.ts'
import { openExport } from '../../reports/export-rows.ts'

let app: TestApp
let caller: Caller
let campaignId: string
beforeAll(async () => {
  app = await openTestApp()
  caller = await makeCaller(app)
  const body = Object.keys(mapPersonVariables(String))
    .map(name => `${name}={{ ${name} }}`)
    .join('\n')
  const campaign = { name: 'Spring', steps: [{ subject: 'Hi', body }] }
  campaignId = (await caller.call('createCampaign', campaign)).id
})
afterAll(() => app[Symbol.asyncDispose]())

type Values = Record<PersonField, string>

/** Returns a canonical value for every field of the table. */
const makePerson = (name: string): Values => {
  const formatted: Partial<Values> = {
    email: `${name}@analytical.example`,
    phone: `+44207946${1000 + name.length}`,
    linkedinUrl: `https://www.linkedin.com/in/${name}`,
    timezone: 'Europe/London',
  }
  return Object.fromEntries(
    personFieldNames.map(field => [field, formatted[field] ?? `${name}’s ${field}`]),
  ) as Values
}

async function expectStored(values: Values): Promise<string> {
  const { data } = await caller.call('listPersons', { email: values.email })
  expect(data[0]).toMatchObject(values)
  return data[0]!.id
}

async function previewText(target: { prospectId: string } | { person: Record<string, string> }) {
  return (await caller.call('previewCampaign', { campaignId, ...target })).text
}

describe('every field in the table of person fields', () => {
  it('is a text column of persons', async () => {
    const columns = await app.owner<{ name: string }[]>`
      select column_name as name from information_schema.columns
       where table_schema = 'public' and table_name = 'persons' and data_type = 'text'`
    const names = columns.map(({ name }) => name)
    for (const field of personFieldNames) expect(names).toContain(personFields[field].column)
  })

  it('is imported from CSV under its preferred name, fills templates and is exported', async () => {
    const values = makePerson('imported')
    const header = personFieldNames.map(field => personFields[field].csvNames.split(',')[0])
    const csv = [header, personFieldNames.map(field => values[field])].map(row => row.join(';')).join('\n')
    const { columns } = await caller.call('importProspects', { campaignId, csv })
    expect(Object.values(columns)).toEqual(personFieldNames.map(getInputName))
    await expectStored(values)

    const { data } = await caller.call('listProspects', { campaignId })
    const text = await previewText({ prospectId: data[0]!.id })
    for (const [name, value] of Object.entries(mapPersonVariables(field => values[field])))
      expect(text).toContain(`${name}=${value}`)

    const { pages } = await openExport(caller.context, 'persons')
    const [row] = (await Array.fromAsync(pages)).flat()
    for (const field of personFieldNames) expect(row).toMatchObject({ [getInputName(field)]: values[field] })
  })

  it('is added to an existing person who lacks it, and is updated and cleared by its JSON name', async () => {
    const { email, ...rest } = makePerson('filled')
    await caller.call('addProspectsToCampaign', { campaignId, data: [{ email }] })
    const values = { email, ...rest }
    const csv = [personFieldNames.map(getInputName), personFieldNames.map(field => values[field])]
    await caller.call('importProspects', { campaignId, csv: csv.map(row => row.join(';')).join('\n') })
    const personId = await expectStored(values)

    const changes = { ...makePerson('changed'), timezone: 'Europe/Lisbon' }
    expect(await caller.call('updatePerson', { personId, ...changes })).toMatchObject(changes)
    const cleared = await caller.call('updatePerson', {
      personId,
      ...(Object.fromEntries(personFieldNames.map(field => [field, null])) as Record<PersonField, null>),
    })
    for (const field of personFieldNames) expect(cleared[field] ?? null).toBeNull()
  })

  it('is read from addProspectsToCampaign and from the fictitious person of a preview', async () => {
    const values = makePerson('added')
    const data = [mapProspectInputs(field => values[field])]
    const { warnings } = await caller.call('addProspectsToCampaign', { campaignId, data })
    expect(warnings?.filter(warning => warning.includes('unknown'))).toEqual([])
    const { data: persons } = await caller.call('listPersons', { email: values.email })
    for (const field of personFieldNames)
      if (getInputName(field) in data[0]!) expect(persons[0]).toMatchObject({ [field]: values[field] })

    const text = await previewText({ person: mapVariableInputs(field => values[field]) })
    for (const [name, value] of Object.entries(mapPersonVariables(field => values[field])))
      expect(text).toContain(`${name}=${value}`)
  })
})
