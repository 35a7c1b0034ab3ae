import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { toRequest } from '../../../src/client.ts'
import type { OperationName, Output, RawInput } from '../../../src/contract/index.ts'
import { describeSettings } from '../../../src/server/kernel/config.ts'
import { environment } from './environment.ts'

/** A demo process. The URL, the tokens and the commands come from its output. */
export type RunningDemo = {
  child: ChildProcessWithoutNullStreams
  url: string
  /** The curl commands that it prints. */
  commands: string[]
  /** The tokens that it prints, by user. */
  tokens: Record<string, string>
  call: <N extends OperationName>(
    as: string,
    name: N,
    input: RawInput<N>,
    accountId?: string,
  ) => Promise<Output<N>>
  /** Calls an operation and returns the status. */
  status: <N extends OperationName>(
    as: string,
    name: N,
    input: RawInput<N>,
    accountId?: string,
  ) => Promise<number>
  /** Sends SIGINT and returns the exit code. */
  stop: () => Promise<number | null>
}

/** An environment that unsets the developer's own settings. */
const noSettings = Object.fromEntries(describeSettings().map(({ env }) => [env, undefined]))

/** Starts `bin/start --demo` without waiting until it is ready. */
export const startDemo = (dataDir: string): ChildProcessWithoutNullStreams =>
  spawn(
    '/bin/sh',
    [
      join(import.meta.dirname, '../../../bin/start'),
      ...['--demo', '--port', '0', '--data', dataDir, '--rate-limit-per-minute', '0'],
    ],
    { env: environment({ ...noSettings, CHECK_OUTPUT: '1' }), stdio: 'pipe' },
  )

/** Starts a demo and waits for the last line of its startup output. */
export async function openDemoProcess(dataDir: string): Promise<RunningDemo> {
  const child = startDemo(dataDir)
  const errorOutput = text(child.stderr)
  const ended = once(child, 'exit') as Promise<[number | null]>
  let output = ''
  await new Promise<void>((resolve, reject) => {
    child.stdout.on('data', chunk => {
      output += chunk
      if (/^Press Ctrl-C to stop\..*\n/m.test(output)) resolve()
    })
    ended.then(async () => reject(new Error(await errorOutput)))
  })
  const url = /^Overture is ready: (\S+)$/m.exec(output)![1]!
  const tokens = Object.fromEntries(
    [...output.matchAll(/^ {2}(\w+)@demo\.example .*\b(ovt_live_\w+)$/gm)].map(([, user, token]) => [
      user,
      token!,
    ]),
  )
  const request = (as: string, name: OperationName, input: RawInput<OperationName>, accountId?: string) => {
    const { method, path, body } = toRequest(name, input)
    return fetch(`${url}/v1${path}`, {
      method,
      signal: AbortSignal.timeout(30_000),
      headers: {
        authorization: `Bearer ${tokens[as]}`,
        ...(body && { 'content-type': 'application/json' }),
        ...(accountId && { 'x-account-id': accountId }),
      },
      ...(body && { body: JSON.stringify(body) }),
    })
  }
  return {
    child,
    url,
    commands: output.match(/^ {2}curl .*$/gm) ?? [],
    tokens,
    call: async (as, name, input, accountId) => {
      const response = await request(as, name, input, accountId)
      if (!response.ok)
        throw new Error(`${name} returned status ${response.status}: ${await response.text()}`)
      return (await response.json()) as never
    },
    status: async (as, name, input, accountId) => {
      const response = await request(as, name, input, accountId)
      await response.body?.cancel()
      return response.status
    },
    stop: async () => {
      child.kill('SIGINT')
      return (await ended)[0]
    },
  }
}
