import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { pageStyle } from './page-style.ts'

const readTokens = (css: string, prefix: string) =>
  new Map(
    [...css.matchAll(new RegExp(`--${prefix}([a-z-]+): (light-dark\\([^)]*\\)|#\\w+)`, 'g'))].map(
      ([, ...t]) => t as [string, string],
    ),
  )

it('pages without scripts have the colors of the web app', () => {
  const styles = readFileSync(join(import.meta.dirname, '../../../web/styles.css'), 'utf8')
  const tokens = readTokens(styles, 'color-')
  const used = readTokens(pageStyle, '')
  expect(used.size).toBeGreaterThan(10)
  for (const [name, value] of used) expect([name, value]).toEqual([name, tokens.get(name)])
})
