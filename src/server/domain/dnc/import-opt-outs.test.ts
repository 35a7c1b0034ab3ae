import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Caller, makeCaller, openTestApp, type TestApp } from '../../../../test/support/app.ts'
import { isWaitingForLock, winDeadlock } from '../../../../test/support/db/lock-waits.ts'
import { inAccount } from '../../kernel/context.ts'
import { toByteChunks } from '../../protocols/csv/import-entries.ts'
import { writeCsv } from '../../protocols/csv/write.ts'
import { storeOptOuts } from '../people/opt-outs/store-opt-outs.ts'
import { openExport } from '../reports/export-rows.ts'
import { importOptOutsFromStream } from './import-opt-outs.ts'

let app: TestApp
beforeAll(async () => {
  app = await openTestApp()
})
afterAll(() => app[Symbol.asyncDispose]())

const readList = async (caller: Caller) =>
  (await caller.call('listOptOuts', { limit: 100 })).data
    .map(({ identifierType, identifier, name }) =>
      [identifierType, identifier, name].filter(Boolean).join(' '),
    )
    .sort()
const importCsv = async (csv: string, input: object = {}) => {
  const caller = await makeCaller(app)
  const result = await caller.call('importOptOuts', { csv, ...input })
  return { caller, result, list: await readList(caller) }
}

it('imports identifiers from all recognized columns, in any spelling and without duplicates', async () => {
  const csv = [
    'First Name;Last Name;E-Mail;Mobile Phone;LinkedIn;Notes',
    'Ada;Byron; ADA@X.example ;;;called us',
    ';;ada@x.example;;;',
    'Grace;Hopper;"g1@x.example; Grace <g2@x.example>";+44 (0)20 7946 0018;uk.linkedin.com/in/Grace-H/;',
  ].join('\n')
  const { result, list } = await importCsv(csv)
  expect(result).toMatchObject({ total: 3, added: 5, alreadyPresent: 1, invalid: 0, issues: [] })
  expect(result.ignoredColumns).toEqual(['Notes'])
  expect(list).toEqual([
    'email ada@x.example Ada Byron',
    'email g1@x.example Grace Hopper',
    'email g2@x.example Grace Hopper',
    'linkedin https://www.linkedin.com/in/grace-h Grace Hopper',
    'phone +442079460018 Grace Hopper',
  ])
})

it("blocks the domain in a row without a person, but not the domain of a person's company", async () => {
  const { list } = await importCsv('Email,Company Domain\nada@x.example,x.example\n,rival.example\n')
  expect(list).toEqual(['domain rival.example', 'email ada@x.example'])
})

it('rejects public email domains unless confirmed, and imports the other rows', async () => {
  const csv = 'Email,Domain\nada@gmail.com,\n,gmail.com\n*@gmx.de,\n,rival.example\n'
  const { result, list } = await importCsv(csv)
  expect(result).toMatchObject({
    invalid: 2,
    issues: [
      {
        line: 3,
        reason: expect.stringMatching(/^Domain: anyone can have an address at gmail\.com; set confirm/),
      },
      { line: 4 },
    ],
  })
  expect(list).toEqual(['domain rival.example', 'email ada@gmail.com'])
  const confirmed = await importCsv(csv, { confirmPublicDomain: true })
  expect(confirmed.list).toHaveLength(4)
})

it('reads a wildcard address as its domain', async () => {
  const inColumn = await importCsv('Email\n*@rival.example\nada@x.example;*@x.example\n')
  expect(inColumn.list).toEqual(['domain rival.example', 'domain x.example', 'email ada@x.example'])
  const bare = await importCsv('*@rival.example\n%@y.example\n')
  expect(bare.list).toEqual(['domain rival.example', 'domain y.example'])
})

it('rejects a row with an invalid value, reports its line, and imports the others', async () => {
  const { result, list } = await importCsv(
    'Email,Phone\nada@x.example,\ngrace@x.example,12\n,\n"nobody",\nbo@x.example,\n',
  )
  expect(result).toMatchObject({ total: 4, added: 2, invalid: 2 })
  expect(result.issues).toEqual([
    { line: 3, reason: 'Phone: must be a valid phone number' },
    { line: 5, reason: 'Email: must be a valid email address' },
  ])
  expect(list).toEqual(['email ada@x.example', 'email bo@x.example'])
})

it('reads a bare list without a header from its first line', async () => {
  const { result, list } = await importCsv('ada@x.example\nrival.example\n+44 20 7946 0018\nsomebody\n')
  expect(result).toMatchObject({ total: 4, added: 3, invalid: 1, issues: [{ line: 4 }] })
  expect(list).toEqual(['domain rival.example', 'email ada@x.example', 'phone +442079460018'])
})

it('adds every identifier of a list without a header, and reports other text that may be one', async () => {
  const { result, list } = await importCsv(
    [
      'ada@x.example, grace@x.example',
      'bo@x.example,+442079460018,Bo Ek',
      'cy@x.example;rival.example\tlinkedin.com/in/cyril',
      'dee@x.example,020 7946',
      'eve@x.example,gmail.com',
      'nobody',
    ].join('\n'),
  )
  expect(result).toMatchObject({ total: 6, added: 9, invalid: 3 })
  expect(result.issues).toEqual([
    { line: 4, reason: expect.stringMatching(/^020 7946: must be a valid email address, /) },
    { line: 5, reason: expect.stringMatching(/^gmail\.com: anyone can have an address/) },
    { line: 6, reason: expect.stringMatching(/^must be a valid email address, /) },
  ])
  expect(list).toEqual([
    'domain rival.example',
    'email ada@x.example',
    'email bo@x.example',
    'email cy@x.example',
    'email dee@x.example',
    'email eve@x.example',
    'email grace@x.example',
    'linkedin https://www.linkedin.com/in/cyril',
    'phone +442079460018',
  ])
})

it.each(['', ',Ada', ';Ada', '\tAda'])('never skips identifiers above a column name (%j)', async rest => {
  const { result, list } = await importCsv(`ada@x.example${rest}\nDomain\nrival.example\n`)
  expect(result).toMatchObject({ total: 2, added: 2, issues: [], columns: { Domain: 'domain' } })
  expect(list).toEqual(['domain rival.example', 'email ada@x.example'])
})

it.each([
  ['Export date,01.05.2024', 0],
  ['Export date,20240501', 1],
  ['Account,acme.com', 1],
  ['acme.com', 1],
  ['Exported by,ada@acme.com', 1],
  ['Exported by Ada <ada@acme.com>', 1],
])(
  'finds the header below the title %j, and blocks neither values in the title nor the companies of people',
  async (title, invalid) => {
    const caller = await makeCaller(app)
    await caller.call('updateAccount', { defaultCountry: 'DE' })
    const result = await caller.call('importOptOuts', {
      csv: `${title}\nEmail,Company domain\nbo@customer.example,customer.example\n`,
    })
    expect(result).toMatchObject({ total: 1 + invalid, added: 1, invalid })
    expect(result.issues).toEqual(
      invalid ? [{ line: 1, reason: 'may be a title: move identifiers below the column names' }] : [],
    )
    expect(await readList(caller)).toEqual(['email bo@customer.example'])
  },
)

it('adds people above a header, and reports domains there', async () => {
  const { result, list } = await importCsv(
    [
      'ada@x.example;x.example',
      'linkedin.com/in/grace-h',
      '+44 20 7946 0018,Bo Ek',
      'Name',
      'E-Mail;Domain',
      'cy@y.example;y.example',
    ].join('\n'),
  )
  expect(result).toMatchObject({ total: 4, added: 4, issues: [{ line: 1 }] })
  expect(list).toEqual([
    'email ada@x.example',
    'email cy@y.example',
    'linkedin https://www.linkedin.com/in/grace-h',
    'phone +442079460018',
  ])
})

it('uses the first header when a second header follows', async () => {
  const { result, list } = await importCsv('Domain\nrival.example\nEmail,Domain\nacme.example\n')
  expect(result).toMatchObject({ total: 3, added: 2, issues: [{ line: 3 }] })
  expect(list).toEqual(['domain acme.example', 'domain rival.example'])
})

it.each([
  ['2024-05-01', 0],
  ['5/1/2024 10:30', 0],
  ['01.05.24', 0],
  ['10115', 0],
  ['J.R. Smith', 1],
  ['Order 12', 1],
])('blocks an address next to %j in a list without a header', async (note, invalid) => {
  const caller = await makeCaller(app)
  await caller.call('updateAccount', { defaultCountry: 'DE' })
  const result = await caller.call('importOptOuts', { csv: `ada@x.example,${note}\nbo@x.example\n` })
  expect(result).toMatchObject({ total: 2, added: 2, invalid })
  expect(result.issues).toEqual(
    invalid ? [{ line: 1, reason: expect.stringContaining(`${note}: must be a valid email`) }] : [],
  )
  expect(await readList(caller)).toEqual(['email ada@x.example', 'email bo@x.example'])
})

it('rejects a row with text beyond the last column of the header', async () => {
  const { result, list } = await importCsv('Email\nada@x.example,grace@x.example\nbo@x.example,,\n')
  expect(result).toMatchObject({ total: 2, added: 1, invalid: 1 })
  expect(result.issues).toEqual([
    { line: 2, reason: expect.stringMatching(/^The row has 2 cells, but the header has 1/) },
  ])
  expect(list).toEqual(['email bo@x.example'])
})

it('reads columns as mapped, and rejects an invalid map or file', async () => {
  const csv = 'Blocked,Email\nada@x.example,mine@acme.example\n'
  expect((await importCsv(csv, { map: { blocked: 'identifier', Email: null } })).list).toEqual([
    'email ada@x.example',
  ])
  for (const [input, path] of [
    [{ csv, map: { Nobody: 'email' } }, 'map.Nobody'],
    [{ csv, map: { Email: null } }, 'map'],
    [{ csv: 'City,Country\nUlm,DE\n' }, ''],
    [{ csv: '\n\n' }, ''],
  ] as const)
    await expect((await makeCaller(app)).call('importOptOuts', input)).rejects.toMatchObject({
      code: 'ValidationError',
      details: [{ path }],
    })
})

it('restores the same list from its own export, and changes nothing the second time', async () => {
  const exporter = await makeCaller(app)
  const identifiers = [
    { identifier: 'ada@x.example', name: 'Ada, "Countess"' },
    { identifier: 'rival.example' },
    { identifier: '+442079460018', identifierType: 'sms' as const },
    { identifier: '+442079460018' },
    { identifier: 'linkedin.com/in/ada' },
    { identifier: '=visitor;7', identifierType: 'web_chat' as const },
  ]
  await exporter.call('addOptOuts', { identifiers })
  const { columns, pages } = await openExport(exporter.context, 'opt_outs')
  const rows = (await Array.fromAsync(pages)).flat().map(row => columns.map(column => row[column]))
  const csv = await text(writeCsv(columns, rows))
  const { caller, result, list } = await importCsv(csv)
  expect(result).toMatchObject({ total: 6, added: 6, invalid: 0 })
  expect(list).toEqual(await readList(exporter))
  expect(await caller.call('importOptOuts', { csv })).toMatchObject({ added: 0, alreadyPresent: 6 })
})

it('pauses matching prospects unless pauseActiveProspects is false', async () => {
  const caller = await makeCaller(app)
  const { id: campaignId } = await caller.call('createCampaign', { name: 'Spring' })
  const emails = ['ada@x.example', 'grace@sub.rival.example', 'bo@x.example']
  await caller.call('addProspectsToCampaign', { campaignId, data: emails.map(email => ({ email })) })
  const csv = 'Email,Domain\nADA@x.example,\n,rival.example\n'
  expect(await caller.call('importOptOuts', { csv, pauseActiveProspects: false })).toMatchObject({
    pausedProspects: 0,
  })
  expect(await caller.call('importOptOuts', { csv })).toMatchObject({ pausedProspects: 2 })
  const states = (await caller.call('listProspects', { campaignId })).data.map(({ status }) => status)
  expect(states.sort()).toEqual(['paused', 'paused', 'pending'])
})

it('importOptOutsFromStream continues after PostgreSQL rolled back a chunk to resolve a deadlock', async () => {
  const caller = await makeCaller(app)
  const { id: campaignId } = await caller.call('createCampaign', { name: 'Spring' })
  await caller.call('addProspectsToCampaign', { campaignId, data: [{ email: 'ada@x.example' }] })
  let importing: ReturnType<typeof importOptOutsFromStream> | undefined
  // The import stores the entry and waits for the prospect; this transaction locks them in the opposite order.
  await inAccount(app.owner, caller.accountId, async sql => {
    await winDeadlock(sql)
    await sql`select from prospects where account_id = ${caller.accountId} for update`
    importing = importOptOutsFromStream(caller.context, toByteChunks('Email\nada@x.example\n'), {
      pauseActiveProspects: true,
      confirmPublicDomain: false,
    })
    await expect.poll(() => isWaitingForLock(app)).toBe(true)
    const entry = { kind: 'email' as const, value: 'ada@x.example' }
    await storeOptOuts({ ...caller, sql, app }, [entry], { source: 'bounce' })
  })
  expect(await importing).toMatchObject({ total: 1, added: 0, alreadyPresent: 1, pausedProspects: 1 })
  expect(await readList(caller)).toEqual(['email ada@x.example'])
})

it('imports thousands of rows in one request', async () => {
  const csv = `Email\n${Array.from({ length: 5_000 }, (_, n) => `p${n}@x.example`).join('\n')}\n`
  expect((await importCsv(csv)).result).toMatchObject({ total: 5_000, added: 5_000 })
})
