import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { type ServerAccount, toSpawnIdentity } from './server-account.ts'

/** Nothing of our own environment: PGPORT, PGDATA or LC_ALL would change what PostgreSQL does. */
export const SERVER_ENVIRONMENT = { PATH: '/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC' }

/** Runs a program as the given account to its end; throws with what it wrote to stderr. */
export const runProgram = async (
  account: ServerAccount,
  file: string,
  args: string[],
  timeoutMs: number,
): Promise<string> => {
  try {
    const { stdout } = await promisify(execFile)(file, args, {
      ...toSpawnIdentity(account),
      // Our own folder may be closed to that account, and PostgreSQL's programs want to know where they are.
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
