import { randomUUIDv7 } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { makeCaller, openTestApp, type TestApp } from '../../../../test/support/app.ts'
import { isWaitingForLock, winDeadlock } from '../../../../test/support/db/lock-waits.ts'
import { inAccount } from '../../kernel/context.ts'
import { rescheduleSteps } from '../linkedin/reschedule-steps.ts'
import { lockPeople } from '../people/companies/lock-people.ts'
import { findMissing } from '../rendering/find-missing.ts'
import { importProspectsFromStream } from './import-prospects.ts'

const effects = { findMissing, rescheduleSteps }

let app: TestApp
beforeAll(async () => {
  app = await openTestApp()
})
afterAll(() => app[Symbol.asyncDispose]())

async function makeAccountWithCampaign() {
  const caller = await makeCaller(app)
  const { id: campaignId } = await caller.call('createCampaign', { name: 'Spring' })
  const importCsv = (csv: string, map?: Record<string, string>) =>
    caller.call('importProspects', { campaignId, csv, map })
  const listEmails = async () =>
    (await caller.call('listPersons', { limit: 100 })).data.map(({ email }) => email).sort()
  return { caller, campaignId, importCsv, listEmails }
}

async function* toChunks(...pieces: (string | Buffer)[]): AsyncGenerator<Uint8Array> {
  for (const piece of pieces) yield typeof piece === 'string' ? Buffer.from(piece) : piece
}

describe('importing CSV', () => {
  it('adds valid rows and reports the others with their lines and the reasons', async () => {
    const { caller, importCsv, listEmails } = await makeAccountWithCampaign()
    await caller.call('addOptOuts', { identifiers: [{ identifier: 'blocked.example' }] })
    const result = await importCsv(
      [
        'First Name;E-Mail;Phone;Shoe size',
        'Ada;ada@x.example;+442079460018;37',
        'Ben;not an address;;',
        '',
        '"Cy\nrus";cy@x.example;;',
        'Ada again;ADA@x.example;;',
        'Dee;dee@blocked.example;;',
        'Eve;;;',
        'Flo;flo@x.example;020 1;',
        'Gus;gus@x.example;;;;one too many',
      ].join('\r\n'),
    )
    expect(result).toMatchObject({
      total: 8,
      added: 2,
      skipped: 2,
      invalid: 4,
      ignoredColumns: ['Shoe size'],
    })
    expect(result.columns).toEqual({ 'First Name': 'firstName', 'E-Mail': 'email', Phone: 'phone' })
    expect(result.issues.map(({ line, outcome }) => `${line} ${outcome}`)).toEqual([
      '3 invalid',
      '7 duplicate_in_request',
      '8 do_not_contact',
      '9 invalid',
      '10 invalid',
      '11 invalid',
    ])
    expect(result.issues[0]?.reason).toBe('email: must be a valid email address')
    expect(result.issues.every(({ reason }) => reason)).toBe(true)
    expect(await listEmails()).toEqual(['ada@x.example', 'cy@x.example'])
  })

  it('adds nothing twice when the same file is imported again', async () => {
    const { campaignId, caller, importCsv } = await makeAccountWithCampaign()
    const csv = 'Full Name,Company,Email\nAda Byron,X,\nBen Bell,Y,ben@y.example\n'
    expect(await importCsv(csv)).toMatchObject({ total: 2, added: 2 })
    expect(await importCsv(csv)).toMatchObject({ total: 2, added: 0, skipped: 2 })
    expect((await caller.call('listProspects', { campaignId })).data).toHaveLength(2)
  })

  it('stores columns that addProspectsToCampaign does not accept', async () => {
    const { caller, importCsv } = await makeAccountWithCampaign()
    await importCsv(
      'Email,Website,City,State,Country,Timezone\n' +
        'ada@gmail.com,http://www.analytical.example/about,London,,UK,Europe/London\n' +
        'ben@y.example,javascript:alert(1),,,,Moon/Base\n',
    )
    const { data } = await caller.call('listPersons', {})
    const [ben, ada] = data.toSorted((a, b) => b.email!.localeCompare(a.email!))
    expect(ada).toMatchObject({ city: 'London', state: null, country: 'UK', timezone: 'Europe/London' })
    expect(ben).not.toHaveProperty('timezone')
    const companies = (await caller.call('listCompanies', {})).data
    expect(new Set(companies.map(({ domain, website }) => `${domain} ${website}`))).toEqual(
      new Set(['analytical.example http://www.analytical.example/about', 'y.example null']),
    )
  })

  it('reads a mapped column and rejects a map with an unknown column', async () => {
    const { importCsv, listEmails } = await makeAccountWithCampaign()
    expect(await importCsv('Kontakt\nada@x.example\n', { Kontakt: 'email' })).toMatchObject({ added: 1 })
    expect(await listEmails()).toEqual(['ada@x.example'])
    await expect(importCsv('Kontakt\nada@x.example\n', { Contact: 'email' })).rejects.toMatchObject({
      code: 'ValidationError',
    })
    await expect(importCsv('nothing here\n1\n')).rejects.toMatchObject({ code: 'ValidationError' })
  })

  it('reports hostile cells and continues', async () => {
    const { caller, campaignId } = await makeAccountWithCampaign()
    const outcomes: string[] = []
    const totals = await importProspectsFromStream(
      caller.context,
      campaignId,
      toChunks(
        'First Name,Email\n',
        '"=HYPERLINK(""http://evil"")",formula@x.example\n',
        'N\0UL,nul@x.example\n',
        'Ada,nul\0@x.example\n',
        '__proto__,constructor@x.example\n',
        "'; drop table persons; --,sql@x.example\n",
        `${'x'.repeat(10_000)},long@x.example\n`,
        '"never closed,open@x.example\n',
        'Zoe,zoe@x.example\n',
      ),
      { effects, onOutcome: ({ line }, { outcome }) => outcomes.push(`${line} ${outcome}`) },
    )
    expect(totals).toEqual({ total: 8, added: 5, skipped: 0, invalid: 3 })
    expect(outcomes.filter(outcome => outcome.endsWith('invalid'))).toEqual([
      '4 invalid',
      '7 invalid',
      '8 invalid',
    ])
  })

  it.each<[string, (text: string) => Buffer]>([
    ['UTF-8 with a byte order mark', text => Buffer.from(`\ufeff${text}`)],
    ['UTF-16 as Excel writes it', text => Buffer.from(`\ufeff${text}`, 'utf16le')],
    ['Windows-1252', text => Buffer.from(text, 'latin1')],
  ])('reads names in %s', async (_, encode) => {
    const { caller, campaignId } = await makeAccountWithCampaign()
    const bytes = encode('Vorname;Nachname;E-Mail\nJürgen;Groß;j@x.example\n')
    await importProspectsFromStream(
      caller.context,
      campaignId,
      toChunks(bytes.subarray(0, 31), bytes.subarray(31)),
      { effects },
    )
    expect((await caller.call('listPersons', {})).data).toMatchObject([
      { firstName: 'Jürgen', lastName: 'Groß' },
    ])
  })

  it('rejects an unknown or completed campaign before reading the file', async () => {
    const { caller, campaignId } = await makeAccountWithCampaign()
    const csv = 'Email\n'
    await expect(caller.call('importProspects', { campaignId: randomUUIDv7(), csv })).rejects.toMatchObject({
      code: 'NotFound',
    })
    await app.owner`update campaigns set status = 'completed', launched_at = now() where id = ${campaignId}`
    await expect(caller.call('importProspects', { campaignId, csv })).rejects.toMatchObject({
      code: 'ValidationError',
    })
    await expect(
      importProspectsFromStream(caller.context, campaignId, toChunks('Email\nada@x.example\n'), { effects }),
    ).rejects.toMatchObject({ code: 'ValidationError' })
  })

  it('continues after PostgreSQL rolled back a chunk to resolve a deadlock', async () => {
    const { caller, campaignId } = await makeAccountWithCampaign()
    let importing: ReturnType<typeof importProspectsFromStream> | undefined
    // The import locks the campaign and waits for the people; this transaction locks them in the opposite order.
    await inAccount(app.owner, caller.accountId, async sql => {
      await winDeadlock(sql)
      await lockPeople({ ...caller, sql })
      const rows = toChunks('Email\nada@x.example\nADA@x.example\n')
      importing = importProspectsFromStream(caller.context, campaignId, rows, { effects })
      await expect.poll(() => isWaitingForLock(app)).toBe(true)
      await sql`select from campaigns where id = ${campaignId} for update`
    })
    expect(await importing).toEqual({ total: 2, added: 1, skipped: 1, invalid: 0 })
  })

  it('keeps the committed chunks when it is interrupted, and continues with the same file', async () => {
    const { caller, campaignId } = await makeAccountWithCampaign()
    const rows = (from: number, to: number) =>
      Array.from({ length: to - from }, (_, i) => `p${from + i}@x.example\n`).join('')
    async function* readInterrupted() {
      yield* toChunks('Email\n', rows(0, 8_000))
      throw new Error('the disk went away')
    }
    const outcomes: string[] = []
    const onOutcome = (_: unknown, { outcome }: { outcome: string }) => outcomes.push(outcome)
    await expect(
      importProspectsFromStream(caller.context, campaignId, readInterrupted(), { effects, onOutcome }),
    ).rejects.toThrow('the disk went away')
    expect(outcomes).toEqual(Array(outcomes.length).fill('added'))
    expect(outcomes.length).toBeGreaterThan(0)
    const again = await importProspectsFromStream(
      caller.context,
      campaignId,
      toChunks('Email\n', rows(0, 9_000)),
      { effects },
    )
    expect(again).toEqual({
      total: 9_000,
      added: 9_000 - outcomes.length,
      skipped: outcomes.length,
      invalid: 0,
    })
  })

  it('distinguishes a row that occurs twice in a long file from one that was added before', async () => {
    const { caller, campaignId, importCsv } = await makeAccountWithCampaign()
    await importCsv('Email\nold@x.example\n')
    const outcomes = new Map<number, string>()
    const rows = Array.from({ length: 1_500 }, (_, i) => `p${i}@x.example`)
    await importProspectsFromStream(
      caller.context,
      campaignId,
      toChunks(['Email', 'old@x.example', ...rows, 'p0@x.example', ''].join('\n')),
      { effects, onOutcome: ({ line }, { outcome }) => outcomes.set(line, outcome) },
    )
    expect(outcomes.get(2)).toBe('already_in_campaign')
    expect(outcomes.get(1_503)).toBe('duplicate_in_request')
  })

  it('creates each person once when the same file is imported concurrently', async () => {
    const { caller, campaignId } = await makeAccountWithCampaign()
    const csv = ['Email,Phone', ...Array.from({ length: 1_200 }, (_, i) => `,+44207946${1000 + i}`)].join(
      '\n',
    )
    const totals = await Promise.all(
      [1, 2, 3].map(() => importProspectsFromStream(caller.context, campaignId, toChunks(csv), { effects })),
    )
    expect(totals.reduce((sum, { added }) => sum + added, 0)).toBe(1_200)
  })

  it('counts the rows without a value for a variable of a step and lists the first hundred', async () => {
    const { caller, campaignId, importCsv } = await makeAccountWithCampaign()
    const steps = [{ subject: 'Hello', body: '{{ firstName }} at {{ company }}' }]
    await caller.call('setCampaignSteps', { campaignId, steps })
    const rows = Array.from({ length: 120 }, (_, n) => `,ada@lacks-${n}.example,`)
    const csv = ['First Name,Email,Company', 'Ada,ada@x.example,Navy', ...rows, 'Ben,ben@y.example,'].join(
      '\n',
    )
    const { added, issues, incomplete } = await importCsv(csv)
    expect([added, issues]).toEqual([122, []])
    expect(incomplete).toMatchObject({ total: 121 })
    expect(incomplete!.rows).toHaveLength(100)
    expect(incomplete!.rows[0]).toEqual({ line: 3, variables: ['firstName', 'company'] })
    expect(await importCsv(csv)).not.toHaveProperty('incomplete')
  })

  it('stores custom fields, tags and an owner, fills in empty fields and returns every prospect', async () => {
    const { caller, campaignId } = await makeAccountWithCampaign()
    const { call } = caller
    const steps = [{ subject: 'Hello', body: 'Hi {{ firstName }}, still on {{ plan }}?' }]
    const csv = [
      'First Name,Email,Plan',
      'Ada,ada@analytical.example,Team',
      'Grace,grace@navy.example,',
      'ADA,Ada@analytical.example,Free',
      'Hedy,hedy@radio.example,Free',
    ].join('\n')
    const { id: ownerRepId } = await call('createRep', {
      ...{ name: 'Rep', ownedById: (await call('getMe', {})).user.id },
    })
    await call('createCustomField', { key: 'plan', label: 'Plan', type: 'choice', choices: ['Team', 'Free'] })
    await call('setCampaignSteps', { campaignId, steps })
    const grace = await call('createPerson', { email: 'grace@navy.example', custom: { plan: 'Free' } })
    const { data } = await call('addProspectsToCampaign', {
      ...{ campaignId, data: [{ email: 'hedy@radio.example' }] },
    })
    const hedy = data[0]!
    const result = await call('importProspects', {
      ...{ campaignId, csv, customColumns: { Plan: 'plan' }, tags: ['Fair'], ownerRepId },
    })
    expect(result).toMatchObject({
      ...{ total: 4, added: 2, skipped: 2, invalid: 0, ignoredColumns: [] },
      columns: { Email: 'email', Plan: 'custom.plan' },
      prospects: [
        { line: 2, outcome: 'added' },
        { line: 3, outcome: 'added', personId: grace.id },
        { line: 4, outcome: 'duplicate_in_request' },
        { line: 5, outcome: 'already_in_campaign', prospectId: hedy.prospectId, personId: hedy.personId },
      ],
    })
    expect(result.prospects[2]).toMatchObject({ prospectId: result.prospects[0]!.prospectId })
    expect(result).not.toHaveProperty('incomplete')
    const people = (await call('listPersons', { tag: 'Fair' })).data
    expect(people.map(({ firstName, custom, ownerRepId }) => [firstName, custom?.plan, ownerRepId])).toEqual(
      expect.arrayContaining([
        ['Ada', 'Team', ownerRepId],
        ['Grace', 'Free', ownerRepId],
        ['Hedy', 'Free', ownerRepId],
      ]),
    )
  })

  it('reports the outcome of each row in a dry run and changes nothing', async () => {
    const { caller, campaignId, importCsv } = await makeAccountWithCampaign()
    const { call } = caller
    await call('setCampaignSteps', { campaignId, steps: [{ subject: 'Hello', body: '{{ firstName }}' }] })
    await importCsv('Email\nhedy@radio.example\n')
    await call('addOptOuts', { identifiers: [{ identifier: 'rival.example' }] })
    const before = [await call('listPersons', {}), await call('listProspects', { campaignId })]
    const csv = [
      'First Name,Email,Plan',
      ',ada@analytical.example,Team',
      ',ADA@analytical.example,Team',
      'Hedy,hedy@radio.example,',
      'Eve,eve@rival.example,',
      'Grace,grace@navy.example,Free',
    ].join('\n')
    const input = {
      ...{ campaignId, csv, customColumns: { Plan: 'plan' }, tags: ['Fair'] },
      customFields: [{ key: 'plan', label: 'Plan', type: 'choice' as const, choices: ['Team'] }],
    }
    const dryRun = await call('importProspects', { ...input, dryRun: true })
    expect(dryRun).toMatchObject({
      ...{ total: 5, added: 1, skipped: 3, invalid: 1, incomplete: { total: 1 } },
      issues: [
        { line: 3, outcome: 'duplicate_in_request' },
        { line: 4, outcome: 'already_in_campaign' },
        { line: 5, outcome: 'do_not_contact' },
        { line: 6, outcome: 'invalid', reason: 'custom.plan: must be one of: Team' },
      ],
    })
    expect(dryRun.prospects).toEqual([
      { line: 2, outcome: 'added', missing: ['firstName'] },
      { line: 3, outcome: 'duplicate_in_request' },
      {
        line: 4,
        outcome: 'already_in_campaign',
        prospectId: expect.any(String),
        personId: expect.any(String),
      },
    ])
    expect([await call('listPersons', {}), await call('listProspects', { campaignId })]).toEqual(before)
    expect((await call('listCustomFields', {})).data).toEqual([])
    expect((await call('listTags', {})).data).toEqual([])
    const { prospects, ...result } = await call('importProspects', input)
    const { prospects: expected, ...counts } = dryRun
    expect(result).toEqual(counts)
    expect(prospects.map(({ line, outcome }) => [line, outcome])).toEqual(
      expected.map(({ line, outcome }) => [line, outcome]),
    )
  })
})
