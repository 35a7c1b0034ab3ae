import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Redis } from 'ioredis'
import { environment } from './environment.ts'
import { findFreePort } from './ports.ts'

export type RedisServer = AsyncDisposable & {
  url: string
  client: Redis
  /** Sends SIGKILL; `start` restarts the server, empty, on the same port. */
  kill: () => Promise<void>
  start: () => Promise<void>
}

/** Opens a Redis server without persistence. */
export async function openRedis(): Promise<RedisServer> {
  await using opened = new AsyncDisposableStack()
  const dir = await mkdtemp(join(tmpdir(), 'overture-redis-'))
  opened.defer(() => rm(dir, { recursive: true, force: true }))
  const port = await findFreePort()
  let child: ChildProcess
  const start = async () => {
    const options = ['--port', String(port), '--bind', '127.0.0.1', '--dir', dir, '--save', '']
    child = spawn('redis-server', [...options, '--appendonly', 'no'], {
      stdio: 'ignore',
      env: environment(),
    })
    await once(child, 'spawn')
  }
  const kill = async () => {
    if (child.exitCode !== null || child.signalCode !== null) return
    const ended = once(child, 'exit')
    child.kill('SIGKILL')
    await ended
  }
  await start()
  opened.defer(kill)
  const client = new Redis(port, '127.0.0.1', { retryStrategy: () => 50, maxRetriesPerRequest: null })
  client.on('error', () => {})
  opened.defer(() => client.disconnect())
  while ((await client.ping()) !== 'PONG') await sleep(20)
  const all = opened.move()
  return {
    url: `redis://127.0.0.1:${port}`,
    client,
    kill,
    start,
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  }
}
