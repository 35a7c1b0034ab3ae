import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { describeSettings } from '../../src/server/kernel/config.ts'

const root = join(import.meta.dirname, '../..')
const read = (path: string) => readFileSync(join(root, path), 'utf8')
const guide = read('docs/operating.md')

it('the settings table of the operating guide matches the server', () => {
  const code = (text: string) => (text ? `\`${text.replaceAll(',', ', ')}\`` : '')
  const rows = describeSettings().map(({ env, flag = '', help, defaultValue }) =>
    `| ${code(flag)} | ${code(env)} | ${code(String(defaultValue || ''))} | ${help} |`.replaceAll(
      '|  |',
      '| |',
    ),
  )
  const [, table = ''] = guide.split('|---|---|---|---|\n')
  expect(table.split('\n').slice(0, rows.length + 1)).toEqual([...rows, ''])
})

it('the operating guide restores the owner of every search function after a database restore', () => {
  const listCalls = (text: string) => text.match(/^call make_search_function\(.*\);$/gm)
  const migrations = globSync('db/migrations/*.sql', { cwd: root }).sort().map(read)
  expect(listCalls(guide)).toEqual(listCalls(migrations.join('\n')))
})
