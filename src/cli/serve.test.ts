import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { makeCaller, openTestApp, type TestApp } from '../../test/support/app.ts'
import { makeScratch, readServerPid, waitForExit } from '../../test/support/db/postgres-processes.ts'
import { databaseSettings, runCli, startCli } from '../../test/support/processes/command-line.ts'
import { environment } from '../../test/support/processes/environment.ts'
import { createApiToken } from '../server/domain/auth/stored-api-tokens.ts'

let app: TestApp
let dir: string
let settings: Record<string, string>
beforeAll(async () => {
  app = await openTestApp()
  dir = await mkdtemp(join(tmpdir(), 'overture-serve-'))
  settings = {
    ...databaseSettings(app.connection),
    OVERTURE_DATA: join(dir, 'data'),
    RATE_LIMIT_PER_MINUTE: '0',
  }
})
afterAll(async () => {
  await app[Symbol.asyncDispose]()
  await rm(dir, { recursive: true, force: true })
})

/** Starts a server process and waits until it prints its URL. */
const startServer = async (...args: string[]) => {
  const running = startCli(['serve', '--port', '0', ...args], settings)
  const ended = running.ended()
  const url = await new Promise<string>((resolve, reject) => {
    let printed = ''
    running.child.stdout.on('data', chunk => {
      printed += chunk
      const ready = /https?:\/\/[\w.:]+/.exec(printed)
      if (ready && printed.includes('\n')) resolve(ready[0])
    })
    running.child.once('exit', async () => reject(new Error(await running.stderr)))
  })
  return { child: running.child, url, ended }
}

it('serve runs until SIGTERM and exits with code 0', async () => {
  const { child, url, ended } = await startServer()
  expect((await fetch(`${url}/readyz`)).status).toBe(200)
  child.kill('SIGTERM')
  expect(await ended).toMatchObject({ code: 0, stderr: 'Stopping…\n' })
})

it('serve without a terminal, as under nohup, continues after SIGHUP', async () => {
  const { child, url, ended } = await startServer('--role', 'web')
  child.kill('SIGHUP')
  expect((await fetch(`${url}/readyz`)).status).toBe(200)
  child.kill('SIGTERM')
  expect(await ended).toMatchObject({ code: 0 })
})

describe('the embedded database', () => {
  let scratch: Awaited<ReturnType<typeof makeScratch>>
  beforeAll(async () => {
    scratch = await makeScratch()
  })
  afterAll(() => scratch[Symbol.asyncDispose]())

  it.each([
    ['serve', 'SIGTERM', 0],
    ['migrate', 'SIGINT', 130],
  ] as const)('stops when `%s` gets %s while PostgreSQL starts', async (command, signal, code) => {
    const data = join(scratch.dir, command)
    const { child, ended } = startCli([command], { ...environment(), OVERTURE_DATA: data, PORT: '0' })
    child.stderr.on('data', chunk => String(chunk).includes('Starting PostgreSQL') && child.kill(signal))
    expect(await ended()).toMatchObject({ code, stdout: '', stderr: expect.stringContaining('Stopping…\n') })
    expect(existsSync(join(data, 'postgres/cluster/postmaster.pid'))).toBe(false)
  })

  // On other systems, `script` takes different options.
  it.runIf(process.platform === 'linux')('stops when the terminal that runs `serve` closes', async () => {
    const data = join(scratch.dir, 'terminal')
    const command = `exec "${process.execPath}" "${join(import.meta.dirname, 'main.ts')}" serve`
    const terminal = spawn('script', ['-qec', command, '/dev/null'], {
      env: environment({ OVERTURE_DATA: data, PORT: '0' }),
      stdio: ['pipe', 'pipe', 'inherit'],
    })
    for await (const chunk of terminal.stdout) if (String(chunk).includes('Overture is ready')) break
    const pid = readServerPid(data)
    terminal.kill('SIGKILL')
    await waitForExit(pid)
  })
})

it('serve keeps running when the disk that its output goes to is full', async () => {
  const data = join(dir, 'full')
  const command = [process.execPath, join(import.meta.dirname, 'main.ts'), 'serve', '--port', '0']
  const child = spawn('/bin/sh', ['-c', 'exec "$0" "$@" >/dev/full 2>&1', ...command], {
    env: environment({ ...settings, OVERTURE_DATA: data, LOG_LEVEL: 'info' }),
  })
  const ended = once(child, 'exit')
  const getUrl = () => readFile(join(data, 'url'), 'utf8')
  await vi.waitFor(async () => expect(await getUrl()).toMatch(/\d$/), 180_000)
  const url = await getUrl()
  for (const _request of Array(50)) expect((await fetch(`${url}/readyz`)).status).toBe(200)
  child.kill('SIGTERM')
  expect(await ended).toEqual([1, null])
})

it('serve --port 0 publishes links with the assigned port', async () => {
  const { child, url, ended } = await startServer('--role', 'web')
  const metadata = await fetch(`${url}/.well-known/oauth-authorization-server/v1`)
  expect(await metadata.json()).toMatchObject({ issuer: `${url}/v1` })
  child.kill('SIGTERM')
  expect(await ended).toMatchObject({ code: 0 })
})

it.each([
  ['the port that it chose', []],
  ['its public URL', ['--public-url', 'https://outreach.acme.example']],
  ['an address other than localhost', ['--host', '127.0.0.2']],
])('commands print links to the running server, with %s', async (_case, flags) => {
  const { userId } = await makeCaller(app)
  const email = `owner-${userId}@acme.example`
  const { child, url, ended } = await startServer('--role', 'web', ...flags)
  const reset = await runCli(['user', 'reset-password', '--email', email], settings)
  expect(reset.stdout).toMatch(`${url}/reset?token=`)
  child.kill('SIGTERM')
  await ended
})

it('a running server rejects a token right after `token revoke`', async () => {
  const { userId } = await makeCaller(app)
  const { id, token } = await createApiToken(app.db.auth, { userId, name: 'x' })
  const { child, url, ended } = await startServer('--role', 'web')
  const getStatus = async () =>
    (await fetch(`${url}/v1/campaigns`, { headers: { authorization: `Bearer ${token}` } })).status
  expect(await getStatus()).toBe(200)
  expect(await runCli(['token', 'revoke', id], settings)).toMatchObject({ code: 0 })
  await vi.waitFor(async () => expect(await getStatus()).toBe(401), 10_000)
  child.kill('SIGINT')
  expect(await ended).toMatchObject({ code: 0 })
})

it('serve names the port when it is already in use', async () => {
  const first = await startServer('--role', 'web')
  const { port } = new URL(first.url)
  const second = await runCli(['serve', '--port', port, '--role', 'web'], settings)
  expect(second).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining(`Port ${port} `) })
  first.child.kill('SIGTERM')
  await first.ended
})

it('serve names --health-port when another server already uses that port', async () => {
  const first = await startServer('--role', 'web')
  const { port } = new URL(first.url)
  const second = await runCli(['serve', '--port', '0', '--health-port', port, '--role', 'web'], settings)
  expect(second).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(`Port ${port} on .*--health-port`),
  })
  first.child.kill('SIGTERM')
  await first.ended
})

it('serve --json prints its URL as JSON', async () => {
  const { child, ended } = await startServer('--role', 'web', '--json', '--log-level', 'silent')
  child.kill('SIGTERM')
  expect(JSON.parse((await ended).stdout)).toEqual({
    url: expect.stringMatching(/^http:\/\/localhost:\d+$/),
  })
})
