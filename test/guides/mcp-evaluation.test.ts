import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { type OperationName, operations } from '../../src/contract/index.ts'
import { tools } from '../../src/server/adapters/mcp/tools.ts'

const guide = await readFile(join(import.meta.dirname, '../../docs/mcp-evaluation.md'), 'utf8')
const rows = guide
  .split('\n')
  .filter(line => /^\| \d/.test(line))
  .map(
    line => line.split(' | ').map(cell => cell.replace(/^\| | \|$/g, '')) as [string, string, string, string],
  )
const matchNames = (text: string, pattern: RegExp) => [...text.matchAll(pattern)].map(([, name]) => name!)

it('the MCP evaluation has thirty tasks', () => {
  expect(rows).toHaveLength(30)
})

describe.each(rows)('task %s, “%s”', (_number, _say, calls, check) => {
  it('is possible with the existing tools', () => {
    const used = matchNames(calls, /`([a-z]+(?:_[a-z]+)*)`/g)
    expect(used.length).toBeGreaterThan(0)
    for (const tool of used) expect(tools.has(tool), tool).toBe(true)
  })

  it('is verified with read operations', () => {
    const reads = matchNames(check, /`((?:get|list)[A-Z]\w+)`/g)
    expect(reads.length).toBeGreaterThan(0)
    for (const name of reads) expect(operations[name as OperationName]?.method, name).toBe('GET')
  })
})
