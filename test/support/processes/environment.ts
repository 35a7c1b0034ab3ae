import { accessSync, constants } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'

/** Starts with the running Node, and ends with the sbin folders of mail servers, which may not be on the path. */
const path = [dirname(process.execPath), process.env.PATH, '/usr/sbin', '/sbin'].join(delimiter)

/** Same as in bin/test, for runs without it. */
const compileCache = join(import.meta.dirname, '../../../node_modules/.cache/overture')

/** The environment for programs that a test starts. */
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

/** Returns how much a random test does: the usual number, or the environment variable's. */
export const amount = (variable: string, usual: number): number => Number(process.env[variable] ?? usual)
