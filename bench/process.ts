import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'

type Started = AsyncDisposable & { url: string; pid: number }

export const overture = '../bin/overture'

/** A command of this folder as a process. Its standard error is ours. */
export const spawnHere = ([program, ...args]: string[], env: Record<string, string> = {}): ChildProcess =>
  spawn(program!, args, {
    cwd: import.meta.dirname,
    env: { ...process.env, ...env },
    stdio: ['pipe', 'pipe', 'inherit'],
  })

/** A server as a process; its first line tells where it listens. */
export async function startServer(
  command: string[],
  env: Record<string, string>,
  input?: string,
): Promise<Started> {
  const child = spawnHere(command, env)
  child.stdin!.end(input)
  const url = await addressIn(child.stdout!)
  if (!url) throw new Error(`${command[0]} ended before it listened`)
  // The log goes on being written and read, as by a supervisor.
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

/** The first address a process prints. */
async function addressIn(output: Readable): Promise<string | undefined> {
  for await (const line of createInterface({ input: output })) {
    const url = /http:\/\/[^"\s]+/.exec(line)?.[0]
    if (url) return url
  }
  return undefined
}
