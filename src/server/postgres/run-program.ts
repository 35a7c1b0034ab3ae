import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { type ServerAccount, toSpawnIdentity } from './server-account.ts'

/**
 * The environment of PostgreSQL's programs. They don't inherit ours: PGPORT, PGDATA or LC_ALL would change their
 * behavior.
 */
export const SERVER_ENVIRONMENT = { PATH: '/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC' }

/** Runs a program as the account and returns its stdout; throws with its stderr. */
export const runProgram = async (
  account: ServerAccount,
  file: string,
  args: string[],
  timeoutMs: number,
): Promise<string> => {
  try {
    const { stdout } = await promisify(execFile)(file, args, {
      ...toSpawnIdentity(account),
      // The account may not be able to enter our working directory, which PostgreSQL's programs resolve.
      cwd: '/',
      env: SERVER_ENVIRONMENT,
      timeout: timeoutMs,
      killSignal: 'SIGKILL',
    })
    return stdout
  } catch (error) {
    const { stderr, message } = error as Error & { stderr?: string }
    throw new Error(stderr?.trim() || message, { cause: error })
  }
}
