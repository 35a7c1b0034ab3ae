import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { describeSettings } from '../../src/server/kernel/config.ts'

it('the settings table of the operating guide matches the server', () => {
  const guide = readFileSync(join(import.meta.dirname, '../../docs/operating.md'), 'utf8')
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
