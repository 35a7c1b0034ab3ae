import { fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { type TestApp, testSecret } from '../app.ts'

export type ServerProcess = AsyncDisposable & {
  url: string
  /** Sends SIGKILL. */
  kill: () => Promise<void>
  /**
   * Returns the CPU milliseconds of the longest event-loop turn since the last call. The first call starts the
   * measurement.
   */
  takeLongestTurn: () => Promise<number>
  /** Returns how many times longer a fixed amount of work takes now than on an idle machine, at least 1. */
  measureSlowness: () => Promise<number>
  /** Blocks the process's event loop for this much CPU time. */
  burn: (ms: number) => void
}

/** Starts a server process on the test's database with the same secret. By default it has no engine. */
export async function startServer(
  app: TestApp,
  settings: Record<string, string> = {},
): Promise<ServerProcess> {
  const environment = {
    PORT: '0',
    OVERTURE_DATA: app.dataDir,
    OVERTURE_SECRET: testSecret,
    OVERTURE_ROLE: 'web',
    RATE_LIMIT_PER_MINUTE: '0',
    LOG_LEVEL: 'silent',
    ...settings,
  }
  const child = fork(
    join(import.meta.dirname, 'server-child.ts'),
    [JSON.stringify([app.connection, environment])],
    { execArgv: [] },
  )
  const ended = once(child, 'exit')
  const [url] = await Promise.race([
    once(child, 'message') as Promise<[string]>,
    ended.then((): never => {
      throw new Error('The server process exited before it listened; see its output above.')
    }),
  ])
  const request = async (command: 'takeLongestTurn' | 'measureSlowness'): Promise<number> => {
    const response = once(child, 'message') as Promise<[number]>
    child.send(command)
    const [number] = await Promise.race([
      response,
      ended.then((): never => {
        throw new Error('The server process has exited.')
      }),
    ])
    return number
  }
  return {
    url,
    kill: async () => {
      child.kill('SIGKILL')
      await ended
    },
    takeLongestTurn: () => request('takeLongestTurn'),
    measureSlowness: () => request('measureSlowness'),
    burn: ms => void child.send({ burn: ms }),
    [Symbol.asyncDispose]: async () => {
      if (child.connected) child.disconnect()
      await ended
    },
  }
}
