import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'

// Tests that docs/security.md addresses every requirement of OWASP ASVS 5.0, levels 1 and 2.

const root = join(import.meta.dirname, '../..')

/** Each section with the number of its last requirement of level 1 or 2. Higher numbers belong to level 3. */
const sections: [section: string, last: number][] = [
  ['1.1', 2],
  ['1.2', 9],
  ['1.3', 11],
  ['1.4', 3],
  ['1.5', 2],
  ['2.1', 3],
  ['2.2', 3],
  ['2.3', 4],
  ['2.4', 1],
  ['3.2', 2],
  ['3.3', 4],
  ['3.4', 6],
  ['3.5', 5],
  ['3.7', 2],
  ['4.1', 3],
  ['4.2', 1],
  ['4.3', 2],
  ['4.4', 4],
  ['5.1', 1],
  ['5.2', 3],
  ['5.3', 2],
  ['5.4', 3],
  ['6.1', 3],
  ['6.2', 12],
  ['6.3', 4],
  ['6.4', 4],
  ['6.5', 5],
  ['6.6', 3],
  ['6.8', 4],
  ['7.1', 3],
  ['7.2', 4],
  ['7.3', 2],
  ['7.4', 5],
  ['7.5', 2],
  ['7.6', 2],
  ['8.1', 2],
  ['8.2', 3],
  ['8.3', 1],
  ['8.4', 1],
  ['9.1', 3],
  ['9.2', 4],
  ['10.1', 2],
  ['10.2', 2],
  ['10.3', 4],
  ['10.4', 11],
  ['10.5', 5],
  ['10.6', 2],
  ['10.7', 3],
  ['11.1', 2],
  ['11.2', 3],
  ['11.3', 3],
  ['11.4', 4],
  ['11.5', 1],
  ['11.6', 1],
  ['12.1', 3],
  ['12.2', 2],
  ['12.3', 4],
  ['13.1', 1],
  ['13.2', 5],
  ['13.3', 2],
  ['13.4', 5],
  ['14.1', 2],
  ['14.2', 4],
  ['14.3', 3],
  ['15.1', 3],
  ['15.2', 3],
  ['15.3', 7],
  ['16.1', 1],
  ['16.2', 5],
  ['16.3', 4],
  ['16.4', 3],
  ['16.5', 3],
  ['17.1', 1],
  ['17.2', 4],
  ['17.3', 2],
]

const required = sections.flatMap(([section, last]) =>
  Array.from({ length: last }, (_, index) => `${section}.${index + 1}`),
)

const rows = readFileSync(join(root, 'docs/security.md'), 'utf8')
  .split('\n')
  .filter(line => /^\| \d/.test(line))
  .map(line => {
    const [ids = '', state = '', how = ''] = line.slice(2, -2).split(' | ')
    return { ids: ids.split(', ').flatMap(expandRange), state, how }
  })

/** Expands a range: `1.2.6–1.2.8` means three requirements. */
function expandRange(text: string): string[] {
  const [first = '', last = first] = text.split('–')
  const section = first.slice(0, first.lastIndexOf('.'))
  const parseNumber = (id: string) => Number(id.slice(id.lastIndexOf('.') + 1))
  const from = parseNumber(first)
  return Array.from({ length: parseNumber(last) - from + 1 }, (_, index) => `${section}.${from + index}`)
}

it('the security table covers each requirement of levels 1 and 2 once', () => {
  expect(rows.flatMap(({ ids }) => ids).toSorted()).toEqual(required.toSorted())
})

it('each row of the security table has a state and a reason', () => {
  const states = ['met', 'operator', 'not applicable', 'open']
  expect(rows.filter(({ state, how }) => !states.includes(state) || !how.trim())).toEqual([])
})

it('the security table names only files that exist', () => {
  const paths = rows.flatMap(({ how }) =>
    [...how.matchAll(/`((?:src|test|docs|db|bin|\.)[\w./-]*)`/g)].map(([, path]) => path!),
  )
  expect(paths.length).toBeGreaterThan(50)
  expect(paths.filter(path => !existsSync(join(root, path)))).toEqual([])
})
