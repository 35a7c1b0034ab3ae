import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'

// Tests that the table in docs/specification.md, which names a test for each line of the specification, is complete.

const root = join(import.meta.dirname, '../..')
const read = (path: string) => readFileSync(join(root, path), 'utf8')

type Row = { id: string; statement: string; path: string; title: string }

const rows: Row[] = read('docs/specification.md')
  .split('\n')
  .filter(line => /^\| \d/.test(line))
  .map(line => {
    const [id = '', statement = '', test = ''] = line.slice(2, -2).split(' | ')
    const [path = '', title = ''] = test.split(' › ')
    return { id, statement, path, title }
  })

/** Titles in this folder that begin with a line's ID. */
const titles = globSync('test/specification/*.test.ts', { cwd: root })
  .filter(path => !path.endsWith('table.test.ts'))
  .flatMap(path => [...read(path).matchAll(/(['"`])((\d[\w.-]*): (?:(?!\1).)+)\1/g)])
  .map(([, , title, id]) => ({ id: id!, title: title! }))

const findDuplicates = (ids: string[]) => ids.filter((id, index) => ids.indexOf(id) !== index)

it('the specification table lists each line once with its statement and a test', () => {
  expect(findDuplicates(rows.map(({ id }) => id))).toEqual([])
  const incomplete = rows.filter(({ statement, path, title }) => !statement.trim() || !path || !title)
  expect(incomplete).toEqual([])
})

it('the specification table has a line for every title, and no title occurs twice', () => {
  expect(findDuplicates(titles.map(({ id }) => id))).toEqual([])
  const titleById = new Map(rows.map(({ id, title }) => [id, title]))
  expect(titles.filter(({ id, title }) => titleById.get(id) !== title)).toEqual([])
})

it('the specification table names only tests that exist', () => {
  const sources = new Map<string, string>()
  const isPresent = ({ path, title }: Row) => {
    if (!sources.has(path)) sources.set(path, read(path))
    return ["'", '"', '`'].some(quote => sources.get(path)!.includes(quote + title + quote))
  }
  expect(rows.filter(row => !isPresent(row))).toEqual([])
})

it('the specification table covers every section', () => {
  const sections = [
    '2',
    '4.1',
    '4.2',
    '4.3',
    '4.4',
    '4.5',
    '4.6',
    '4.7',
    '4.8',
    '4.9',
    '4.10',
    '4.11',
    '4.12',
    '5.1',
    '5.2',
    '5.3',
    '5.4',
    '5.5',
    '7',
    '8',
  ]
  const missing = sections.filter(section => !rows.some(({ id }) => id.startsWith(`${section}.`)))
  expect(missing).toEqual([])
})
