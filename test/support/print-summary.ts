import { readFileSync } from 'node:fs'

/**
 * `bin/test` ends with this line: `N passed, N failed`, and `, N skipped` when some were.
 * A file that didn't load counts as one failure, and so does a run that failed without naming a test.
 */
export const summarize = (report: string, exitCode: number): string => {
  const { passed, failed, skipped } = countTests(report)
  const total = failed === 0 && exitCode !== 0 ? 1 : failed
  return `${passed} passed, ${total} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`
}

type JsonReport = {
  numTotalTests: number
  numPassedTests: number
  numFailedTests: number
  testResults: { status: string; assertionResults: { status: string }[] }[]
}

const countTests = (report: string) => {
  // Empty when Vitest itself fell over before it wrote one.
  if (report === '') return { passed: 0, failed: 0, skipped: 0 }
  const json = JSON.parse(report) as JsonReport
  const unloaded = json.testResults.filter(
    file => file.status === 'failed' && file.assertionResults.every(test => test.status !== 'failed'),
  ).length
  return {
    passed: json.numPassedTests,
    failed: json.numFailedTests + unloaded,
    skipped: json.numTotalTests - json.numPassedTests - json.numFailedTests,
  }
}

if (import.meta.main) {
  const [reportFile = '', exitCode = '1'] = process.argv.slice(2)
  console.log(summarize(readFileSync(reportFile, 'utf8'), Number(exitCode)))
}
