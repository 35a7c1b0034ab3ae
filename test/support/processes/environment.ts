import { accessSync, constants } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'

/** Starts with the folder of the running Node, and ends with the mail servers' sbin folders, which PATH may lack. */
const path = [dirname(process.execPath), process.env.PATH, '/usr/sbin', '/sbin'].join(delimiter)

/** The compile cache of bin/test. Tests that run without bin/test use it, too. */
const compileCache = join(import.meta.dirname, '../../../node_modules/.cache/overture')

/** Returns the environment for programs that a test starts. */
export const environment = (settings: NodeJS.ProcessEnv = {}): NodeJS.ProcessEnv => ({
  ...process.env,
  NODE_COMPILE_CACHE: compileCache,
  PATH: path,
  ...settings,
})

/**
 * Returns true if the program isn't installed, for `test.skipIf(isMissing('smtp-sink'))`. Always false in CI, where the
 * test must run.
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

/** Returns the number in an environment variable, such as the seed of a random test, or the default. */
export const readNumber = (variable: string, defaultNumber: number): number =>
  Number(process.env[variable] ?? defaultNumber)
