import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'

/** docs/specification.md says which test proves which line; here it is held to the tests as they are. */
const root = join(import.meta.dirname, '../..')
const read = (path: string) => readFileSync(join(root, path), 'utf8')

type Row = { id: string; what: string; path: string; title: string }

const rows: Row[] = read('docs/specification.md')
  .split('\n')
  .filter(line => /^\| \d/.test(line))
  .map(line => {
    const [id = '', what = '', test = ''] = line.slice(2, -2).split(' | ')
    const [path = '', title = ''] = test.split(' › ')
    return { id, what, path, title }
  })

/** Titles that begin with a line's id, as they stand in the files of this folder. */
const titles = globSync('test/specification/*.test.ts', { cwd: root })
  .filter(path => !path.endsWith('table.test.ts'))
  .flatMap(path => [...read(path).matchAll(/(['"`])((\d[\w.-]*): (?:(?!\1).)+)\1/g)])
  .map(([, , title, id]) => ({ id: id!, title: title! }))

const duplicatesOf = (ids: string[]) => ids.filter((id, index) => ids.indexOf(id) !== index)

it('names each line once, with what it says and a test', () => {
  expect(duplicatesOf(rows.map(({ id }) => id))).toEqual([])
  const incomplete = rows.filter(({ what, path, title }) => !what.trim() || !path || !title)
  expect(incomplete).toEqual([])
})

it('has every line that a title names, and no title twice', () => {
  expect(duplicatesOf(titles.map(({ id }) => id))).toEqual([])
  const known = new Map(rows.map(({ id, title }) => [id, title]))
  expect(titles.filter(({ id, title }) => known.get(id) !== title)).toEqual([])
})

it('leads to tests that exist', () => {
  const sources = new Map<string, string>()
  const isThere = ({ path, title }: Row) => {
    if (!sources.has(path)) sources.set(path, read(path))
    return ["'", '"', '`'].some(quote => sources.get(path)!.includes(quote + title + quote))
  }
  expect(rows.filter(row => !isThere(row))).toEqual([])
})

it('has lines of every section that it is about', () => {
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
