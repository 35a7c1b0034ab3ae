import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'

type ServerProcess = AsyncDisposable & { url: string; pid: number }

export const overture = '../bin/overture'

/** Spawns a command in the bench folder; its standard error is inherited. */
export const spawnCommand = ([program, ...args]: string[], env: Record<string, string> = {}): ChildProcess =>
  spawn(program!, args, {
    cwd: import.meta.dirname,
    env: { ...process.env, ...env },
    stdio: ['pipe', 'pipe', 'inherit'],
  })

/** Starts a server process and waits for the URL it prints. */
export async function startServer(
  command: string[],
  env: Record<string, string>,
  input?: string,
): Promise<ServerProcess> {
  const child = spawnCommand(command, env)
  child.stdin!.end(input)
  const url = await readUrl(child.stdout!)
  if (!url) throw new Error(`${command[0]} exited before it printed a URL`)
  // Keeps reading the log, as a supervisor does.
  child.stdout!.resume()
  return {
    url,
    pid: child.pid!,
    [Symbol.asyncDispose]: async () => {
      const ended = once(child, 'exit')
      child.kill()
      await ended
    },
  }
}

/** Returns the first URL a process prints. */
async function readUrl(output: Readable): Promise<string | undefined> {
  for await (const line of createInterface({ input: output })) {
    const url = /http:\/\/[^"\s]+/.exec(line)?.[0]
    if (url) return url
  }
  return undefined
}
