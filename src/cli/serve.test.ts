import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { aCaller, openTestApp, type TestApp } from '../../test/support/app.ts'
import { databaseSettings, runCli, startCli } from '../../test/support/processes/command-line.ts'
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

/** A server as a process of its own, once it has said where it listens. */
const startServer = async (...args: string[]) => {
  const running = startCli(['serve', '--port', '0', ...args], settings)
  const ended = running.ended()
  const url = await new Promise<string>((resolve, reject) => {
    let said = ''
    running.child.stdout.on('data', chunk => {
      said += chunk
      const ready = /http:\/\/[\w.:]+/.exec(said)
      if (ready && said.includes('\n')) resolve(ready[0])
    })
    running.child.once('exit', async () => reject(new Error(await running.stderr)))
  })
  return { child: running.child, url, ended }
}

it('serves until told to stop, and ends well', async () => {
  const { child, url, ended } = await startServer()
  expect((await fetch(`${url}/readyz`)).status).toBe(200)
  child.kill('SIGTERM')
  expect(await ended).toMatchObject({ code: 0, stderr: 'Stopping…\n' })
})

it('gives out links with the port that it got', async () => {
  const { child, url, ended } = await startServer('--role', 'web')
  const metadata = await fetch(`${url}/.well-known/oauth-authorization-server/v1`)
  expect(await metadata.json()).toMatchObject({ issuer: `${url}/v1` })
  child.kill('SIGTERM')
  expect(await ended).toMatchObject({ code: 0 })
})

it('refuses a token with the next request after the command line revoked it', async () => {
  const { userId } = await aCaller(app)
  const { id, token } = await createApiToken(app.db.auth, { userId, name: 'x' })
  const { child, url, ended } = await startServer('--role', 'web')
  const ask = async () =>
    (await fetch(`${url}/v1/campaigns`, { headers: { authorization: `Bearer ${token}` } })).status
  expect(await ask()).toBe(200)
  expect(await runCli(['token', 'revoke', id], settings)).toMatchObject({ code: 0 })
  await vi.waitFor(async () => expect(await ask()).toBe(401), 10_000)
  child.kill('SIGINT')
  expect(await ended).toMatchObject({ code: 0 })
})

it('says which port is taken, and what to do', async () => {
  const first = await startServer('--role', 'web')
  const { port } = new URL(first.url)
  const second = await runCli(['serve', '--port', port, '--role', 'web'], settings)
  expect(second).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining(`port ${port}`) })
  first.child.kill('SIGTERM')
  await first.ended
})

it('prints its address as JSON when asked for', async () => {
  const { child, ended } = await startServer('--role', 'web', '--json', '--log-level', 'silent')
  child.kill('SIGTERM')
  expect(JSON.parse((await ended).stdout)).toEqual({
    url: expect.stringMatching(/^http:\/\/localhost:\d+$/),
  })
})
