import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Caller, makeCaller, openTestApp, type TestApp } from '../../../../../test/support/app.ts'
import { inAccount } from '../../../kernel/context.ts'
import { importConsents, importConsentsFromStream } from './import-consents.ts'

let app: TestApp
beforeAll(async () => {
  app = await openTestApp()
  app.setNow('2026-11-23T12:00:00.000Z')
})
afterAll(() => app[Symbol.asyncDispose]())

const readList = async (caller: Caller) => (await caller.call('listConsents', { limit: 100 })).data
const importCsv = async (csv: string, input: object = {}) => {
  const caller = await makeCaller(app)
  await (await makeCaller(app, 'admin', caller.accountId)).call('updateAccount', { defaultCountry: 'GB' })
  return { caller, result: await caller.call('importConsents', { csv, ...input }) }
}

it('importConsents records each row as recordConsent does, with any spelling of the columns', async () => {
  const csv = [
    'First Name;Last Name;Mobile Phone;Consent;Proof;Source;Consent date;Notes',
    'Ada;Byron;020 7946 0018;Express;https://acme.example/calls/7;By phone;2026-11-20;called twice',
    ';;+1 415 555 0123;existing relationship;Contract 81;;2026-11-21T09:30:00Z;',
    ';;+33 1 42 68 53 00;written;Form 9;;;',
  ].join('\n')
  const { caller, result } = await importCsv(csv)
  expect(result).toMatchObject({ total: 3, added: 3, alreadyPresent: 0, invalid: 0, issues: [] })
  expect(result.ignoredColumns).toEqual(['Notes'])
  const covers = 'ai_voice_marketing'
  const recordedById = caller.userId
  expect(await readList(caller)).toEqual(
    expect.arrayContaining([
      expect.objectContaining({
        ...{ phoneNumber: '+442079460018', name: 'Ada Byron', kind: 'express', source: 'By phone' },
        ...{
          proof: 'https://acme.example/calls/7',
          givenAt: '2026-11-20T00:00:00.000Z',
          covers,
          recordedById,
        },
      }),
      expect.objectContaining({
        ...{
          phoneNumber: '+14155550123',
          kind: 'existing_relationship',
          givenAt: '2026-11-21T09:30:00.000Z',
        },
      }),
      expect.objectContaining({ phoneNumber: '+33142685300', givenAt: '2026-11-23T12:00:00.000Z' }),
    ]),
  )
})

it('importConsents rejects a row with text beyond the last column of the header', async () => {
  const { caller, result } = await importCsv(
    [
      'Phone,Kind,Proof',
      '+442079460018,written,Form 9, signed in Leeds',
      '+442079460019,written,Form 10,,',
    ].join('\n'),
  )
  expect(result).toMatchObject({ total: 2, added: 1, invalid: 1 })
  expect(result.issues).toEqual([
    { line: 2, reason: expect.stringMatching(/^The row has 4 cells, but the header has 3/) },
  ])
  expect(await readList(caller)).toMatchObject([{ proof: 'Form 10' }])
})

it('importConsents rejects an invalid row with its line and the reason, and records the others', async () => {
  const { caller, result } = await importCsv(
    [
      'Phone,Kind,Proof,Given at',
      '12,written,Form 1,',
      '+442079460018,spoken,Form 2,',
      '+442079460018,written,,',
      '+442079460018,written,Form 4,last week',
      '+442079460018,written,Form 5,2026-11-24',
      ',written,Form 6,',
      '+442079460018,written,Form 7,2026-11-22',
    ].join('\n'),
  )
  expect(result).toMatchObject({ total: 7, added: 1, invalid: 6 })
  expect(result.issues.map(({ line }) => line)).toEqual([2, 3, 4, 5, 6, 7])
  expect(result.issues.map(({ reason }) => reason)).toEqual([
    expect.stringContaining('must be a valid phone number'),
    'Kind: must be one of written, express, existing_relationship',
    'Proof: is missing',
    expect.stringContaining('2026-11-20'),
    'Given at: must not be in the future',
    'Phone: is missing',
  ])
  expect(await readList(caller)).toMatchObject([{ proof: 'Form 7' }])
})

it('importConsents reads a day in the account’s time zone, where it may have begun earlier than in UTC', async () => {
  const admin = await makeCaller(app, 'admin')
  await admin.call('updateAccount', { timezone: 'Pacific/Auckland' })
  const csv = [
    'Phone,Kind,Proof,Given at',
    '+442079460018,written,Form 1,2026-11-24',
    '+442079460018,written,Form 2,2026-11-25',
  ].join('\n')
  const result = await admin.call('importConsents', { csv })
  expect(result).toMatchObject({ added: 1, invalid: 1, issues: [{ line: 3 }] })
  expect(await readList(admin)).toMatchObject([{ proof: 'Form 1', givenAt: '2026-11-23T11:00:00.000Z' }])
})

it('importConsents records nothing twice and does not restore withdrawn consents', async () => {
  const csv = 'Phone,Kind,Proof\n+442079460018,written,Form 1\n020 7946 0018,written,Form 1\n'
  const { caller, result } = await importCsv(csv)
  expect(result).toMatchObject({ added: 1, alreadyPresent: 1 })
  await caller.call('addOptOuts', { identifiers: [{ identifier: '+442079460018' }] })
  expect(await caller.call('importConsents', { csv })).toMatchObject({ added: 0, alreadyPresent: 2 })
  expect(await readList(caller)).toMatchObject([{ withdrawalReason: 'opt_out' }])
})

it('importConsents records each consent once when the same file is imported twice at the same time', async () => {
  const caller = await makeCaller(app)
  const csv = 'Phone,Kind,Proof\n+442079460018,written,Form 1\n'
  let second: Promise<{ added: number }> | undefined
  const first = await inAccount(app.owner, caller.accountId, async sql => {
    const imported = await importConsents({ ...caller.context, sql }, { csv })
    second = caller.call('importConsents', { csv })
    const countWaiting = async () => {
      const waiting = await sql`
        select from pg_locks where not granted and locktype = 'advisory'
           and database = (select oid from pg_database where datname = current_database())`
      return waiting.count
    }
    await Promise.race([second, expect.poll(countWaiting).toBe(1)])
    return imported
  })
  expect([first.added, (await second!).added]).toEqual([1, 0])
  expect(await readList(caller)).toHaveLength(1)
})

it('importConsents reads mapped columns and reports missing ones', async () => {
  const csv = 'Line,Agreed,Where\n+442079460018,written,Form 1\n'
  const map = { Line: 'phoneNumber', Agreed: 'kind', Where: 'proof' }
  expect((await importCsv(csv, { map })).result).toMatchObject({ added: 1, columns: map })
  await expect(importCsv('Phone,Kind\n+442079460018,written\n')).rejects.toMatchObject({
    code: 'ValidationError',
    message: expect.stringContaining('proof'),
  })
  await expect(importCsv(csv, { map: { ...map, Nothing: null } })).rejects.toMatchObject({
    details: [{ path: 'map.Nothing' }],
  })
})

it('importConsentsFromStream imports a file of any size in chunks', async () => {
  const caller = await makeCaller(app)
  const rows = async function* () {
    yield Buffer.from('Phone,Kind,Proof\n')
    for (let n = 0; n < 2_500; n += 1) yield Buffer.from(`+4420794${10_000 + n},written,Form ${n}\n`)
  }
  const progress: number[] = []
  const result = await importConsentsFromStream(caller.context, rows(), {
    onProgress: ({ added }) => progress.push(added),
  })
  expect(result).toMatchObject({ total: 2_500, added: 2_500 })
  expect(progress).toEqual([1_000, 2_000, 2_500])
})
