import { expect, test } from 'vitest'
import { rejectUnsafeText } from './reject-unsafe-text.ts'

const marks = '\u0301\u0323'

test.each([
  ['must not contain NUL characters', 'a\0'],
  ['must not contain lone surrogates', 'a\ud800'],
  ['more than 30 combining marks in a row', `a${marks.repeat(16)}`],
  ['nested deeper than 32 levels', JSON.parse(`${'['.repeat(40)}${']'.repeat(40)}`)],
])('rejects a value that breaks the rule "%s" and names its path', (reason, value) => {
  expect(() => rejectUnsafeText({ person: { name: value } })).toThrow(reason)
  expect(() => rejectUnsafeText({ person: { name: value } })).toThrow(/^person\.name/)
})

test.each(['Ngũgĩ', 'Vũ Ngọc', 'กำลังใจ', 'ด้้้้้', 'नमस्ते', '👩‍👩‍👧‍👦', `${`a${marks}`.repeat(100)}`])(
  'accepts %j',
  text => {
    expect(() => rejectUnsafeText({ text: text.normalize('NFD') })).not.toThrow()
  },
)
