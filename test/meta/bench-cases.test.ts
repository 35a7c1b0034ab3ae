import { expect, it } from 'vitest'
import { needsPeopleSeed, needsSeed, selectCases } from '../../bench/select-cases.ts'

it('the benchmark selects cases by name and by prefix', () => {
  expect(selectCases('claim')).toEqual(['claim'])
  expect(selectCases('list-persons*')).toEqual(['list-persons', 'list-persons:company', 'list-persons:email'])
})

it('the benchmark rejects an unknown case and lists all cases', () => {
  expect(() => selectCases('x')).toThrow(/Unknown case[\s\S]*list-email:tag[\s\S]*mcp-call[\s\S]*webhooks/)
})

it('the benchmark seeds data only for cases that need it', () => {
  expect(needsSeed(new Set(['send', 'web']))).toBe(false)
  expect(needsSeed(new Set(['send', 'start']))).toBe(true)
  expect(needsPeopleSeed(new Set(['import-csv']))).toBe(false)
  expect(needsPeopleSeed(new Set(selectCases('search:*')))).toBe(true)
})
