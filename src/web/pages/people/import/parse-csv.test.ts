import { expect, it } from 'vitest'
import { parseCsv } from './parse-csv.ts'

it.each([
  ['commas', 'Name,Email\nAda,ada@analytical.example\n'],
  ['semicolons', 'Name;Email\r\nAda;ada@analytical.example\r\n'],
  ['tabs', 'Name\tEmail\nAda\tada@analytical.example'],
  ['quotes', '"Name","Email"\n"Ada","ada@analytical.example"\n'],
  [
    'lines above the header',
    'Notes:\n"When exporting, some are missing"\n\nName,Email\nAda,ada@analytical.example\n',
  ],
])('reads a file with %s', async (_, text) => {
  const { header, rows } = await parseCsv(text)
  expect(header).toEqual(['Name', 'Email'])
  expect(rows.map(({ cells }) => cells)).toEqual([['Ada', 'ada@analytical.example']])
})

it('returns the line of each row, and an error for rows that can’t be read', async () => {
  const { rows } = await parseCsv(
    'Email,Notes\na@x.example,"two\nlines"\n\nb@x.example,5" pipe\nc@x.example,x,y\nd@x.example,ok\n',
  )
  expect(rows).toEqual([
    { line: 2, cells: ['a@x.example', 'two\nlines'] },
    { line: 5, cells: ['b@x.example', '5" pipe'] },
    { line: 6, cells: ['c@x.example', 'x', 'y'], error: expect.stringContaining('3 cells') },
    { line: 7, cells: ['d@x.example', 'ok'] },
  ])
})

it('gives each column a unique name', async () => {
  expect((await parseCsv('Email,Note,,note\na@x.example,1,2,3\n')).header).toEqual([
    'Email',
    'Note',
    'Column 3',
    'note (2)',
  ])
  expect(await parseCsv('ada@analytical.example;Ada\ngrace@navy.example;Grace\n')).toMatchObject({
    header: ['Column 1', 'Column 2'],
    rows: [{ line: 1 }, { line: 2 }],
  })
})

it.each([
  ['an empty file', ' \n', 'is empty'],
  ['a binary file', 'GIF89a\0\u0001', 'not a CSV file'],
  ['a web page', '<html></html>', 'not a CSV file'],
  ['a JSON file', '{"people":[]}', 'not a CSV file'],
  ['a file with one unknown column', 'Stuff\nx\ny\n', 'only one column'],
  ['a header without rows', 'Name,Email\n', 'no rows'],
])('rejects %s with an error that says what is wrong', async (_, text, message) => {
  await expect(parseCsv(text)).rejects.toThrow(message)
})
