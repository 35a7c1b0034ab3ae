import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import type { DatabaseConnection } from '../../../src/server/kernel/db/database.ts'
import { environment } from './environment.ts'

const root = join(import.meta.dirname, '../../..')
const main = join(root, 'src/cli/main.ts')

/** Returns the database settings for another process; a server on a socket needs libpq's variables. */
export function databaseSettings(connection: DatabaseConnection): Record<string, string> {
  if ('url' in connection) return { DATABASE_URL: connection.url }
  const { host, port, user, password, database } = connection.options
  return {
    DATABASE_URL: `postgres:///${database}`,
    PGHOST: host,
    PGPORT: String(port),
    PGUSER: user,
    PGPASSWORD: password,
  }
}

export type Ended = { code: number | null; stdout: string; stderr: string }
export type Running = {
  child: ChildProcessWithoutNullStreams
  stderr: Promise<string>
  ended: () => Promise<Ended>
}

/** Starts the command line as bin/overture does. With null as the input, standard input stays open. */
export function startCli(
  args: string[],
  settings: Record<string, string>,
  input: string | null = '',
): Running {
  const child = spawn(
    process.execPath,
    [
      '--min-semi-space-size=16',
      '--disable-proto=throw',
      '--disable-warning=ExperimentalWarning',
      main,
      ...args,
    ],
    { env: environment({ LOG_LEVEL: 'info', ...settings }), stdio: 'pipe' },
  )
  // A command that reads no input may exit before its input is written.
  child.stdin.on('error', () => {})
  if (input !== null) child.stdin.end(input)
  const stderr = readText(child.stderr)
  return {
    child,
    stderr,
    ended: async () => {
      const [stdout, [code]] = await Promise.all([readText(child.stdout), once(child, 'close')])
      return { code, stdout, stderr: await stderr }
    },
  }
}

/** Reads all text. Unlike `text` of node:stream/consumers, keeps a byte order mark. */
const readText = async (stream: Readable): Promise<string> => (await buffer(stream)).toString()

export const runCli = (args: string[], settings: Record<string, string>, input = ''): Promise<Ended> =>
  startCli(args, settings, input).ended()
