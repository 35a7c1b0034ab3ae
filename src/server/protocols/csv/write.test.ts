import { expect, test } from 'vitest'
import { writeCsv, writeCsvRow } from './write.ts'

test.each([
  ['=1+1', "'=1+1"],
  ['+4930123456', "'+4930123456"],
  ['-2+3+cmd|calc', "'-2+3+cmd|calc"],
  ['@SUM(A1)', "'@SUM(A1)"],
  ['\t=1', "'\t=1"],
  [' =1', "' =1"],
  ['\u200b=1', "'\u200b=1"],
  ['＝1', "'＝1"],
  ['\0=1', "'\0=1"],
  ['Berlin;=1+1', "Berlin;'=1+1"],
  ['\r\n=1', '"\'\r\n=1"'],
  ['jane+news@acme.com', 'jane+news@acme.com'],
  ['a - b = c', 'a - b = c'],
  ['Acme, "Inc"', '"Acme, ""Inc"""'],
  ['two\nlines', '"two\nlines"'],
  ['', ''],
])('writes the cell %j so that a spreadsheet does not run it', (cell, written) => {
  expect(writeCsvRow([cell, 'x'])).toBe(`${written},x\r\n`)
})

test('writes numbers unchanged and missing values as empty cells', () => {
  expect(writeCsvRow([-5, 0, null, undefined, 'x'])).toBe('-5,0,,,x\r\n')
})

test('starts a file with a byte order mark and the header', async () => {
  const pieces = await Array.fromAsync(writeCsv(['Name', '=x'], [['Jörg', 1]]))
  expect(pieces.join('')).toBe("\ufeffName,'=x\r\nJörg,1\r\n")
})

test('writes a cell of a million spaces in linear time', () => {
  for (const blank of [' ', '\t', ';', '\u200b']) writeCsvRow([blank.repeat(1_000_000)])
})
