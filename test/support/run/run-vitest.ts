import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, rmSync, watch } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/**
 * Returns the last line of `bin/test`: `N passed, N failed`, and `, N skipped` if there are any.
 * A file that didn't load counts as one failure, as does a failed run without a failed test.
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
  // The report is empty if Vitest crashed before writing it.
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

/** Maximum time from Vitest's report to its exit. */
const CLOSING_MS = 60_000

/**
 * Runs Vitest with these arguments and returns its exit code. Vitest has its own process group, which is killed at the
 * end: otherwise Vitest, and readers of its output, would wait forever for a process that a test left running.
 */
async function runVitest(args: string[]): Promise<number> {
  const dir = mkdtempSync(join(tmpdir(), 'overture-report-'))
  const report = join(dir, 'report.json')
  const options = ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`]
  try {
    const child = spawn('vitest', ['run', ...options, ...args], { stdio: 'inherit', detached: true })
    const signalGroup = (signal: NodeJS.Signals): void => {
      try {
        process.kill(-child.pid!, signal)
      } catch {
        // The group has no processes left.
      }
    }
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => signalGroup(signal))
    watch(dir, { persistent: false }).once('change', () => {
      setTimeout(() => {
        const running = spawnSync('ps', ['-eo', 'pgid,pid,etime,args'], { encoding: 'utf8' }).stdout ?? ''
        const left = running.split('\n').filter(line => Number.parseInt(line, 10) === child.pid)
        console.error(`test: a process that a test started is still running:\n${left.join('\n')}`)
        signalGroup('SIGKILL')
      }, CLOSING_MS).unref()
    })
    const [code] = (await once(child, 'exit')) as [number | null]
    signalGroup('SIGKILL')
    const exitCode = code ?? 1
    console.log(summarize(existsSync(report) ? readFileSync(report, 'utf8') : '', exitCode))
    return exitCode
  } finally {
    rmSync(dir, { recursive: true, force: true })
  }
}

if (import.meta.main) process.exitCode = await runVitest(process.argv.slice(2))
