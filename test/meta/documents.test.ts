import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const root = join(import.meta.dirname, '../..')
const documents = [
  ...readdirSync(root).filter(name => name.endsWith('.md')),
  ...readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter(name => name.endsWith('.md'))
    .map(name => join('docs', name)),
]

/** Short paths in documents are relative to one of these. */
const bases = ['', 'src', 'src/server', 'docs', 'test']

const findNamedPaths = (text: string): string[] =>
  [...text.matchAll(/`(?!\S*NNNN)([\w./-]+\/[\w./-]*\.(?:tsx?|sql|md))`/g)].flatMap(([, path]) => path ?? [])

const isFile = (path: string): boolean => bases.some(base => existsSync(join(root, base, path)))

test.each(documents)('%s names only files that exist', document => {
  const text = readFileSync(join(root, document), 'utf8')
  expect(findNamedPaths(text).filter(path => !isFile(path))).toEqual([])
})

test('the check detects a missing file named in a document', () => {
  expect(
    findNamedPaths('see `engine/no-such-file.ts`, `src/contract/index.ts`').filter(path => !isFile(path)),
  ).toEqual(['engine/no-such-file.ts'])
})
