import { accessSync, constants } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'

/** The Node that runs this first; and mail servers live in sbin, which is not on everyone's path. */
const path = [dirname(process.execPath), process.env.PATH, '/usr/sbin', '/sbin'].join(delimiter)

/** As bin/test sets it, for runs without it too. */
const compileCache = join(import.meta.dirname, '../../../node_modules/.cache/overture')

/** For the programs that a test starts. */
export const environment = (settings: NodeJS.ProcessEnv = {}): NodeJS.ProcessEnv => ({
  ...process.env,
  NODE_COMPILE_CACHE: compileCache,
  PATH: path,
  ...settings,
})

/**
 * For `test.skipIf(isMissing('smtp-sink'))`: a developer without the program sees the test skipped. CI has to have
 * it, so there the test runs and fails.
 */
export const isMissing = (program: string): boolean =>
  process.env.CI !== 'true' && !path.split(delimiter).some(folder => isExecutable(join(folder, program)))

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK)
    return true
  } catch {
    return false
  }
}

/** Returns how much a random test does: the usual number, or the environment variable's. */
export const amount = (variable: string, usual: number): number => Number(process.env[variable] ?? usual)
