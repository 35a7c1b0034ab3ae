import { existsSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { openImportResult } from './import-result.ts'

describe.runIf(existsSync('/dev/full'))('a result file on a full disk', () => {
  const file = { header: ['email'], columns: [], ignored: [], custom: new Map() }

  it.each([
    ['from the beginning', 0],
    ['after many rows', 10_000],
  ])('ends the import with the reason when the disk is full %s', (_when, rows) => {
    const write = () => {
      using result = openImportResult('/dev/full')
      result.begin(file)
      for (let line = 2; line < rows; line++)
        result.add({ line, raw: ['ada@acme.example'], element: {} }, { outcome: 'added' })
    }
    expect(write).toThrow(expect.objectContaining({ code: 'ENOSPC' }))
  })
})
