import { expect, it } from 'vitest'
import { findErrors, getChoices, guessMapping } from './mapping.ts'
import { type CsvTable, parseCsv } from './parse-csv.ts'
import { planImport } from './plan.ts'
import { toOptOutFailures, toOptOutFiles, toProspectResults, toRequest, toResults } from './request.ts'

const guess = (table: CsvTable) => guessMapping(table, [])
const getTargets = async (text: string) => guess(await parseCsv(text)).map(({ target }) => target)

it('guesses what columns contain by their names and values', async () => {
  expect(
    await getTargets(
      'First Name,Name,Reach,Profile URL,URL,Plan,Email Opt Out,Lead Status\nAda,Byron,ada@analytical.example,https://www.linkedin.com/in/ada,https://analytical.example,Team,0,New\n',
    ),
  ).toEqual([
    ...['field:firstName', 'field:lastName', 'field:email', 'field:linkedinUrl', '', ''],
    ...['optedOut', ''],
  ])
})

it('sends the rows of one person in one request, however far apart they are', async () => {
  const others = Array.from({ length: 1_500 }, (_, n) => `p${n}@x.example,P${n},`)
  const table = await parseCsv(
    [
      'Email,First Name,Phone',
      'ada@x.example,Ada,',
      ...others,
      'ADA@x.example,,+44 20 7946 0018',
      ',,0044 2079460018',
    ].join('\n'),
  )
  const { chunks, known } = await planImport(table, guess(table))
  expect(known.size).toBe(0)
  expect(chunks.flat().toSorted((a, b) => a - b)).toEqual(table.rows.map((_, index) => index))
  expect(chunks.find(rows => rows.includes(0))).toEqual(expect.arrayContaining([0, 1_501, 1_502]))
  for (const chunk of chunks) expect(chunk.length).toBeLessThanOrEqual(1_000)
})

it('never sends people marked as opted out, and blocks all of their contact details', async () => {
  const table = await parseCsv(
    'Email,Phone,Unsubscribed\nada@x.example,+442079460018,yes\ngrace@x.example,,no\nADA@x.example,,\nhedy@x.example,,\n',
  )
  const plan = await planImport(table, guess(table))
  expect([...plan.known]).toEqual([
    [0, { outcome: 'optedOut', reason: expect.stringContaining('Unsubscribed') }],
    [2, { outcome: 'optedOut', reason: expect.stringContaining('another row') }],
  ])
  expect(plan.chunks).toEqual([[1, 3]])
  expect(toOptOutFiles(table, plan)).toEqual([
    expect.objectContaining({ csv: 'email,linkedinUrl,phone\nada@x.example,,\n,,+442079460018\n' }),
  ])
})

it('reports the rows marked as opted out that could not be added to the Do Not Contact list', async () => {
  const table = await parseCsv(
    'Name,Email,Phone,Unsubscribed\nAda,ada@x.example,020 7946 0018,yes\nGrace,,020 7946 0018,yes\nHedy,,,yes\nJoan,joan@x.example,,yes\n',
  )
  const plan = await planImport(table, guess(table))
  expect(plan.optedOut).toEqual([0, 1, 3])
  expect(plan.known.get(2)).toEqual({
    outcome: 'invalid',
    reason: 'No email address, LinkedIn profile or phone number to add to the Do Not Contact list',
  })
  const [file] = toOptOutFiles(table, plan)
  const issues = [{ line: 3, reason: 'phone: must be a valid phone number' }]
  const invalid = {
    outcome: 'invalid',
    reason: 'Phone: must be a valid phone number; not added to the Do Not Contact list',
  }
  expect([...toOptOutFailures(file!, { issues })]).toEqual([
    [0, invalid],
    [1, invalid],
  ])
})

it('sends only the mapped columns, and assigns the response to the rows of the file', async () => {
  const table = await parseCsv(
    'Email,Notes,Plan\na@x.example,"two\nlines",Free\nb@x.example,,Team\nc@x.example,,\n',
  )
  const mapping = guess(table).map(column => ({
    ...column,
    ...(column.name === 'Notes' && { target: 'custom:notes' as const }),
    ...(column.name === 'Plan' && {
      target: 'new' as const,
      field: { label: 'Current plan', type: 'choice' as const },
    }),
  }))
  expect(findErrors(table, mapping, []).size).toBe(0)
  const { input, lines } = toRequest(table, (await planImport(table, mapping)).columns, [0, 1, 2])
  expect(input).toEqual({
    csv: 'Email,Notes,Plan\na@x.example,"two\nlines",Free\nb@x.example,,Team\nc@x.example,,\n',
    map: { Email: 'email' },
    customColumns: { Notes: 'notes', Plan: 'currentPlan' },
    customFields: [{ key: 'currentPlan', label: 'Current plan', type: 'choice', choices: ['Free', 'Team'] }],
  })
  expect(lines).toEqual([2, 4, 5])
  expect(
    toResults(
      {
        persons: [{ line: 2, outcome: 'created' }],
        issues: [
          { line: 4, outcome: 'invalid', reason: 'email: must be a valid email address' },
          { line: 5, outcome: 'do_not_contact' },
        ],
      },
      lines,
      mapping,
    ),
  ).toEqual([
    { outcome: 'created' },
    { outcome: 'invalid', reason: 'Email: must be a valid email address' },
    { outcome: 'optedOut', reason: '' },
  ])
})

it('shows the outcome of each row of an import into a campaign, with the variables that have no value', () => {
  const result = toProspectResults(
    {
      prospects: [
        { line: 2, outcome: 'added' },
        { line: 3, outcome: 'added', missing: ['company'] },
        { line: 4, outcome: 'already_in_campaign' },
      ],
      issues: [
        { line: 4, outcome: 'already_in_campaign' },
        { line: 5, outcome: 'in_other_active_campaign', reason: 'another active campaign' },
        { line: 6, outcome: 'invalid', reason: 'email: must be a valid email address' },
      ],
    },
    [2, 3, 4, 5, 6, 7],
    [],
  )
  expect(result).toEqual([
    { outcome: 'created' },
    { outcome: 'created', missing: ['company'] },
    { outcome: 'inCampaign' },
    { outcome: 'elsewhere' },
    { outcome: 'invalid', reason: 'Email: must be a valid email address' },
    { outcome: 'invalid', reason: 'The row could not be read' },
  ])
})

it('explains why a mapping can’t be used', async () => {
  const table = await parseCsv('First Name,Plan\nAda,Team\n')
  const [name, plan] = guess(table)
  const errors = findErrors(
    table,
    [name!, { ...plan!, target: 'new', field: { label: ' ', type: 'text' } }],
    [],
  )
  expect(errors.get(1)).toBe('Enter a name for the field.')
  expect(errors.get('')).toContain('Choose the column')
})

it('returns choices only for columns with few values', async () => {
  const few = await parseCsv('Email,Plan\na@x.example,Team\nb@x.example,team \nc@x.example,Free\n')
  expect(getChoices(few, 1)).toEqual(['Team', 'Free'])
  const many = await parseCsv(
    `Email,Plan\n${Array.from({ length: 101 }, (_, n) => `p${n}@x.example,${n}`).join('\n')}`,
  )
  expect(getChoices(many, 1)).toBeUndefined()
})

it('names the column of an invalid value instead of the field of the API', async () => {
  const table = await parseCsv('Email,Deal size (EUR)\nada@x.example,large\ngrace@x.example,\n')
  const columns = guess(table).map(column =>
    column.target ? column : { ...column, target: 'custom:dealSize' as const },
  )
  const issues = [
    { line: 2, outcome: 'invalid' as const, reason: 'custom.dealSize: must be a number' },
    { line: 3, outcome: 'invalid' as const, reason: 'must have a name' },
  ]
  expect(toResults({ persons: [], issues }, [2, 3], columns)).toEqual([
    { outcome: 'invalid', reason: 'Deal size (EUR): must be a number' },
    { outcome: 'invalid', reason: 'Must have a name' },
  ])
})
