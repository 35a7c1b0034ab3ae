import { Readable } from 'node:stream'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { openCsv } from '../../../protocols/csv/open-csv.ts'
import { writeCsvRow } from '../../../protocols/csv/write.ts'
import { readCsvRows } from './csv-rows.ts'

type Source = string | Uint8Array

const open = (source: Source, map?: Record<string, string | null>, chunkBytes = 1 << 20) => {
  const bytes = Buffer.from(source as string)
  const chunks = function* () {
    for (let at = 0; at < bytes.length; at += chunkBytes) yield bytes.subarray(at, at + chunkBytes)
  }
  return readCsvRows(Readable.from(chunks(), { objectMode: false }), map && { map })
}
const read = async (source: Source, map?: Record<string, string | null>, chunkBytes?: number) => {
  const file = await open(source, map, chunkBytes)
  return { ...file, rows: await Array.fromAsync(file.rows) }
}
const readValues = async (source: Source, map?: Record<string, string | null>, chunkBytes?: number) =>
  (await read(source, map, chunkBytes)).rows.map(row => row.error ?? row.values)

test('a row is read into the fields of a prospect, with its line and its raw cells', async () => {
  const { rows, header, ignored } = await read(
    'First Name,Last Name,Email,Lead Score\nJane, Doe ,jane@acme.com,7\n',
  )
  expect(header).toEqual(['First Name', 'Last Name', 'Email', 'Lead Score'])
  expect(ignored).toEqual(['Lead Score'])
  expect(rows).toEqual([
    {
      line: 2,
      raw: ['Jane', ' Doe ', 'jane@acme.com', '7'],
      values: { firstName: 'Jane', lastName: 'Doe', email: 'jane@acme.com' },
    },
  ])
})

const umlauts = 'Vorname;Firma;E-Mail\nJörg;Größe & Söhne;joerg@acme.de\n'
const utf16be = (text: string) => Buffer.from(text, 'utf16le').swap16()
test.each<[string, Source]>([
  ['UTF-8', umlauts],
  ['UTF-8 with a byte order mark', `\ufeff${umlauts}`],
  ['UTF-16 LE with a byte order mark', Buffer.from(`\ufeff${umlauts}`, 'utf16le')],
  ['UTF-16 BE with a byte order mark', utf16be(`\ufeff${umlauts}`)],
  ['UTF-16 LE without a byte order mark', Buffer.from(umlauts, 'utf16le')],
  ['UTF-16 BE without a byte order mark', utf16be(umlauts)],
  ['Windows-1252', Buffer.from(umlauts, 'latin1')],
])('reads %s in chunks of any size', async (_, source) => {
  const expected = [{ firstName: 'Jörg', company: 'Größe & Söhne', email: 'joerg@acme.de' }]
  for (const chunkBytes of [1, 2, 3, 7, 1 << 20])
    expect(await readValues(source, undefined, chunkBytes)).toEqual(expected)
})

const plainRows = (count: number) => 'Jane,jane@acme.com\n'.repeat(count)
const head = 'First Name,Email\n'
test('an umlaut after 100 kB of ASCII still distinguishes Windows-1252 from UTF-8', async () => {
  const text = `${head}${plainRows(6000)}Jörg,j@acme.com\n€uro,e@acme.com`
  const latin = Buffer.from(text.replace('€', '\x80'), 'latin1')
  for (const source of [text, latin])
    expect((await readValues(source)).slice(-2)).toEqual([
      { firstName: 'Jörg', email: 'j@acme.com' },
      { firstName: '€uro', email: 'e@acme.com' },
    ])
  expect(await readValues(Buffer.from('Email,Last Name\na@b.co,José', 'latin1'))).toEqual([
    { email: 'a@b.co', lastName: 'José' },
  ])
})

test('a character that is split between two blocks is read whole', async () => {
  for (let pad = 65_530; pad < 65_537; pad++) {
    const name = `${'x'.repeat(pad - head.length - 20)}`
    const text = `${head}${name},a@acme.com\nJörg👩‍💻,b@acme.com`
    expect((await readValues(text)).at(-1)).toEqual({ firstName: 'Jörg👩‍💻', email: 'b@acme.com' })
  }
})

test.each(['utf8', 'latin1'] as const)(
  'a %s file of whole blocks keeps its only non-ASCII character, even as its last character',
  async encoding => {
    const end = Buffer.from('j@acme.com,José', encoding)
    const start = 'Email,Last Name\n'.padEnd(65_536 - end.length, '\n')
    expect(await readValues(Buffer.concat([Buffer.from(start), end]))).toEqual([
      { email: 'j@acme.com', lastName: 'José' },
    ])
  },
)

test('a file in another encoding is rejected unless the encoding is given', async () => {
  const inBytes = (hex: string) =>
    Buffer.concat([Buffer.from(head), Buffer.from(hex, 'hex'), Buffer.from(',x@acme.com')])
  const cases = [
    ['shift_jis', '8d828bb4', '高橋'],
    ['gbk', 'c0eeceb0c4c8', '李伟娜'],
    ['windows-1251', 'c8e2e0edeee2', 'Иванов'],
  ] as const
  for (const [encoding, hex, firstName] of cases) {
    await expect(open(inBytes(hex))).rejects.toThrow('neither Unicode nor Windows-1252')
    const file = await readCsvRows(Readable.from([inBytes(hex)]), { encoding })
    expect(await Array.fromAsync(file.rows)).toMatchObject([{ values: { firstName } }])
  }
  await expect(readCsvRows(Readable.from([]), { encoding: 'klingon' })).rejects.toThrow('known encoding')
})

test('bytes that match no encoding fail only their row and are never decoded incorrectly', async () => {
  const mixed = Buffer.concat([
    Buffer.from(`${head}Jörg,a@acme.com\n`),
    Buffer.from('Jörg,b@acme.com\nAnn,c@acme.com', 'latin1'),
  ])
  expect(await readValues(mixed)).toEqual([
    { firstName: 'Jörg', email: 'a@acme.com' },
    expect.stringContaining('First Name: contains an unreadable character'),
    { firstName: 'Ann', email: 'c@acme.com' },
  ])
})

test.each([',', ';', '\t', '|'])('detects the delimiter %j', async delimiter => {
  const text = [
    ['First Name', 'Company', 'Email'],
    ['Jane', `"Acme${delimiter} ""Inc"", x;y|z"`, 'j@acme.com'],
  ]
  expect(await readValues(text.map(row => row.join(delimiter)).join('\n'))).toEqual([
    { firstName: 'Jane', company: `Acme${delimiter.trim()} "Inc", x;y|z`, email: 'j@acme.com' },
  ])
})

test.each(['\n', '\r\n', '\r'])('lines may end in %j, and quoted cells span lines', async end => {
  const lines = ['Email,Company,Last Name', 'a@b.co,"Acme', 'Inc",Doe', '', ',,', 'c@d.co,Beta,Roe']
  for (const chunkBytes of [1, 1 << 20]) {
    const { rows } = await read(lines.join(end) + end, undefined, chunkBytes)
    expect(rows.map(row => [row.line, row.error ?? row.values])).toEqual([
      [2, { email: 'a@b.co', company: 'Acme Inc', lastName: 'Doe' }],
      [6, { email: 'c@d.co', company: 'Beta', lastName: 'Roe' }],
    ])
  }
})

test('a row with too few cells is read, and a row with too many has an error', async () => {
  const { rows } = await read('Email,First Name,Company\na@b.co\nb@b.co,Bo,Acme, Inc\nc@b.co,Cy,Acme,,,\n')
  expect(rows.map(row => row.error ?? row.values)).toEqual([
    { email: 'a@b.co' },
    'The row has 4 cells, but the header has 3: put quotes around cells that contain the delimiter',
    { email: 'c@b.co', firstName: 'Cy', company: 'Acme' },
  ])
  expect(rows[1]).toMatchObject({ line: 3, raw: ['b@b.co', 'Bo', 'Acme', ' Inc'] })
})

test('a stray quote makes at most its own line fail', async () => {
  const text = [
    'Email,Company,Last Name',
    'a@b.co,5" pipes,Ä',
    'b@b.co,"Acme,B',
    'c@b.co,"Beta, Inc",C',
    'd@b.co,"Gamma" Ltd,D',
    'e@b.co,"Delta',
    'Inc",E',
    'f@b.co,Dwayne "The Rock" J,F',
    'g@b.co,"open to the end,G',
  ]
  const { rows } = await read(text.join('\n'))
  expect(rows.map(row => [row.line, row.error ? 'error' : row.values?.company])).toEqual([
    [2, '5" pipes'],
    [3, 'error'],
    [4, 'Beta, Inc'],
    [5, '"Gamma" Ltd'],
    [6, 'Delta Inc'],
    [8, 'Dwayne "The Rock" J'],
    [9, 'error'],
  ])
})

test("the notes above the header of LinkedIn's connections export are skipped", async () => {
  const text = `Notes:
"When exporting your connection data, you may notice that some of the email addresses are missing. You will only see
email addresses for connections who have allowed it, using this setting https://www.linkedin.com/psettings/privacy/email."

First Name,Last Name,URL,Email Address,Company,Position,Connected On
Jane,"Doe, PhD",https://www.linkedin.com/in/janedoe,,Acme,Head of Sales,21 Nov 2026
`
  const { rows, columns, ignored } = await read(text)
  expect(rows).toMatchObject([
    {
      line: 6,
      values: {
        firstName: 'Jane',
        linkedinUrl: 'https://www.linkedin.com/in/janedoe',
        jobTitle: 'Head of Sales',
      },
    },
  ])
  expect(columns.map(column => column.name)).toContain('URL')
  expect(ignored).toEqual(['Connected On'])
})

test("Excel's sep line is skipped, and a column named URL is read as a profile only in rows with a LinkedIn URL", async () => {
  expect(await readValues('sep=;\nEmail;URL\na@b.co;https://acme.com\nb@b.co;linkedin.com/in/bo\n')).toEqual([
    { email: 'a@b.co' },
    { email: 'b@b.co', linkedinUrl: 'linkedin.com/in/bo' },
  ])
})

test('a field is read from the most preferred of its columns that has a value', async () => {
  const text = `Corporate Phone,Mobile Phone,Work Direct Phone,Secondary Email,Email
'+1 202 555 0100,+1 202 555 0101,,x@acme.com,
,N/A,'+1 202 555 0102,x@acme.com,a@acme.com
+1 202 555 0100,,,,"Jane <b@acme.com>; c@acme.com"
`
  const { rows, ignored } = await read(text)
  expect(rows.map(row => row.values)).toEqual([
    { phone: '+1 202 555 0101', email: 'x@acme.com' },
    { phone: '+1 202 555 0102', email: 'a@acme.com' },
    { email: 'b@acme.com' },
  ])
  // A switchboard number would merge colleagues into one person.
  expect(ignored).toEqual(['Corporate Phone'])
})

test('a full name is split if there are no columns for first and last name', async () => {
  expect(
    await readValues('Name,Email\n"Dr. Jane M. van der Berg, PhD",a@b.co\n"Doe, John",b@b.co\nCher,c@b.co\n'),
  ).toEqual([
    { firstName: 'Jane', lastName: 'van der Berg', email: 'a@b.co' },
    { firstName: 'John', lastName: 'Doe', email: 'b@b.co' },
    { firstName: 'Cher', email: 'c@b.co' },
  ])
})

test('a map takes precedence over the column names and can ignore columns', async () => {
  const text = 'Mail (work),Email,Company,Nickname\na@b.co,x@b.co,Acme,Jay\n'
  const { rows, ignored } = await read(text, {
    'mail (WORK)': 'email',
    Company: null,
    Nickname: 'First Name',
  })
  expect(rows.map(row => row.values)).toEqual([{ email: 'a@b.co', firstName: 'Jay' }])
  expect(ignored).toEqual(['Email', 'Company'])
})

test.each<[string, Source, string]>([
  ['an empty file', '', 'The file is empty'],
  ['blank lines alone', '\n\r\n  \n', 'The file is empty'],
  [
    'rows without a header',
    'Jane,Doe,jane@acme.com\nJohn,Roe,john@acme.com\n',
    'The file starts with "Jane,Doe',
  ],
  ['columns without contact data', 'City,Country\nUlm,DE\n', 'A person needs an email address'],
  ['10,000 columns', `Email${',x'.repeat(10_000)}\n`, 'The header has 10001 columns'],
  ['a workbook', Buffer.from('504b030414000600', 'hex'), 'Save it as CSV'],
  ['zeros', Buffer.alloc(100_000), 'No line near the top'],
  ['one endless line', 'x'.repeat(3_000_000), 'No line near the top'],
])('%s is rejected with an explanation', async (_, source, message) => {
  await expect(open(source)).rejects.toMatchObject({
    code: 'ValidationError',
    message: expect.stringContaining(message),
  })
})

test('a header without rows yields an empty list', async () => {
  for (const end of ['', '\n', '\r\n', '\r']) expect(await readValues(`Email,First Name${end}`)).toEqual([])
})

test('hostile cells become harmless text or an error', async () => {
  const text = [
    'Email,First Name,__proto__,constructor,Company',
    "a@b.co,'=HYPERLINK(1),x,y,Acme\0Inc",
    'b@b.co,Ja\u202ene\u200b,{"a":1},,\u2066Acme\u2069',
    `c@b.co,${'x'.repeat(201)},,,`,
    `d@b.co,Dee,${'x'.repeat(90_000)},,`,
    `e@b.co,Eve,${'x'.repeat(110_000)},,`,
    `f@b.co${','.repeat(90_000)}`,
    `g@b.co${','.repeat(5_000_000)}`,
    `"h@b.co,${`\n${','.repeat(100)}`.repeat(1_200)}`,
    'i@b.co,Ida,,,Acme',
  ].join('\n')
  const { rows } = await read(text, { __proto__: null })
  const outcomes = rows.map(row => row.error ?? row.values)
  expect(outcomes).toEqual([
    { email: 'a@b.co', firstName: '=HYPERLINK(1)', company: 'Acme Inc' },
    { email: 'b@b.co', firstName: 'Jane', company: 'Acme' },
    'First Name: longer than 200 characters',
    { email: 'd@b.co', firstName: 'Dee' },
    'The line is longer than 100000 characters',
    'The line has more than 10000 cells',
    'The line is longer than 100000 characters',
    'A cell starts with a quote (") that is never closed',
    { email: 'i@b.co', firstName: 'Ida', company: 'Acme' },
  ])
  expect(Object.getPrototypeOf(rows[0]?.values)).toBe(Object.prototype)
})

test('__proto__ is an ordinary name as a column and in a map', async () => {
  const map = JSON.parse('{ "__proto__": "email" }')
  expect(await readValues('__proto__,toString\na@b.co,x\n', map)).toEqual([{ email: 'a@b.co' }])
  await expect(open('Email\na@b.co\n', { Email: '__proto__' })).rejects.toThrow('Unknown field "__proto__"')
})

test('reading keeps pace with the consumer and closes the source when the consumer stops', async () => {
  let bytesRead = 0
  let isClosed = false
  async function* source() {
    try {
      yield Buffer.from(head)
      for (let i = 0; i < 50_000; i++) {
        const row = Buffer.from(`Jane ${i},jane${i}@acme.com\n`)
        bytesRead += row.length
        yield row
      }
    } finally {
      isClosed = true
    }
  }
  const { rows } = await readCsvRows(source())
  let bytesConsumed = 0
  let count = 0
  for await (const row of rows) {
    bytesConsumed += row.raw.join(',').length + 1
    count++
    expect(bytesRead - bytesConsumed).toBeLessThan(2 * 64 * 1024)
    if (count === 30_000) break
  }
  expect(isClosed).toBe(true)
  expect(bytesRead).toBeLessThan(bytesConsumed + 2 * 64 * 1024)
})

test('reading fails when the source fails in the middle', async () => {
  async function* source() {
    yield Buffer.from(head + plainRows(10))
    throw new Error('disk gone')
  }
  await expect(async () => Array.fromAsync((await readCsvRows(source())).rows)).rejects.toThrow('disk gone')
})

test('a written table can be read back in any encoding and chunk size', async () => {
  const cell = fc.stringMatching(/^[ -~äß€漢\n]{0,12}$/)
  const rows = fc.array(fc.tuple(cell, cell), { maxLength: 8 })
  await fc.assert(
    fc.asyncProperty(
      rows,
      fc.constantFrom('utf8', 'utf16le'),
      fc.nat({ max: 40 }),
      async (table, encoding, size) => {
        const written = table.map(([a, b], i) => [`p${i}@acme.com`, a, b])
        const text = `\ufeffEmail,x,y\r\n${written.map(row => writeCsvRow(row)).join('')}`
        const { rows: back } = await read(Buffer.from(text, encoding as BufferEncoding), undefined, size + 1)
        const safe = (value: string) => value.replace(/(^|;)(?=\s*[=+\-@])|^(?=\n)/g, "$1'")
        expect(back.map(row => row.raw)).toEqual(written.map(row => row.map(safe)))
      },
    ),
    { numRuns: 200 },
  )
})

test('arbitrary bytes cause no error except a ValidationError', async () => {
  const piece = fc.constantFrom(
    'Email',
    'a@b.co',
    ',',
    ';',
    '\t',
    '"',
    '""',
    '\n',
    '\r',
    '\r\n',
    '\0',
    'ä',
    '\ufeff',
    'x',
  )
  const bytes = fc.oneof(
    fc.uint8Array({ maxLength: 200 }),
    fc.array(piece, { maxLength: 60 }).map(parts => Buffer.from(`Email,Name\n${parts.join('')}`)),
  )
  await fc.assert(
    fc.asyncProperty(bytes, fc.integer({ min: 1, max: 64 }), async (source, size) => {
      try {
        const whole = await read(source)
        const inPieces = await read(source, undefined, size)
        expect(inPieces.rows).toEqual(whole.rows)
        expect(whole.rows.every((row, i) => i === 0 || row.line > whole.rows[i - 1]!.line)).toBe(true)
      } catch (error) {
        expect(error).toMatchObject({ code: 'ValidationError' })
      }
    }),
    { numRuns: 500 },
  )
})

test('searching for the header yields to other work, even after very long lines', async () => {
  let turns = 0
  const count = () => {
    turns += 1
    next = setImmediate(count)
  }
  let next = setImmediate(count)
  async function* text() {
    yield Buffer.from(`${`${'"'.repeat(90_000)}\n`.repeat(2)}Email\n`)
  }
  const { close, header } = await openCsv(text(), {
    countNames: cells => Number(cells.includes('Email')),
  })
  clearImmediate(next)
  await close()
  expect(header).toEqual(['Email'])
  expect(turns).toBeGreaterThan(0)
})
