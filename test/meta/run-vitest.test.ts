import { expect, test } from 'vitest'
import { summarize } from '../support/run/run-vitest.ts'

const report = (counts: [total: number, passed: number, failed: number], files: [string, string[]][] = []) =>
  JSON.stringify({
    numTotalTests: counts[0],
    numPassedTests: counts[1],
    numFailedTests: counts[2],
    testResults: files.map(([status, tests]) => ({
      status,
      assertionResults: tests.map(test => ({ status: test })),
    })),
  })

test.each([
  ['all passed', report([3, 3, 0]), 0, '3 passed, 0 failed'],
  ['some failed', report([5, 3, 2], [['failed', ['failed', 'failed']]]), 1, '3 passed, 2 failed'],
  ['some were skipped', report([5, 3, 1]), 1, '3 passed, 1 failed, 1 skipped'],
  ['a file did not load', report([3, 3, 0], [['failed', []]]), 1, '3 passed, 1 failed'],
  [
    'an error occurred outside of any test',
    report([3, 3, 0], [['passed', ['passed']]]),
    1,
    '3 passed, 1 failed',
  ],
  ['Vitest crashed', '', 1, '0 passed, 1 failed'],
])('the summary is correct when %s', (_case, text, exitCode, line) => {
  expect(summarize(text, exitCode)).toBe(line)
})
