import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cp, mkdir, mkdtemp, readdir, rm, symlink, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { environment } from '../support/processes/environment.ts'

/** Creates a checkout with the real launchers, nothing to download, and a command line that prints its arguments. */
async function makeCheckout() {
  const root = await mkdtemp(join(tmpdir(), 'overture install '))
  await mkdir(join(root, 'src/cli'), { recursive: true })
  await writeFile(join(root, 'src/cli/main.ts'), 'console.log(...process.argv.slice(2))')
  await cp(join(import.meta.dirname, '../../bin'), join(root, 'bin'), { recursive: true })
  /** Writes a lock file; only `slow`, the URL of a package, requires a download. */
  const writeLock = async (name: string, slow?: string) => {
    const dependencies = slow ? { slow } : {}
    const entry = slow ? { 'node_modules/slow': { version: '1.0.0', resolved: slow } } : {}
    await writeFile(join(root, 'package.json'), JSON.stringify({ name, dependencies }))
    await writeFile(
      join(root, 'package-lock.json'),
      JSON.stringify({ name, lockfileVersion: 3, packages: { '': { name, dependencies }, ...entry } }),
    )
  }
  await writeLock('first')
  return {
    root,
    writeLock,
    overture: join(root, 'bin/overture'),
    listInstalls: async () => (await readdir(root)).filter(name => name.startsWith('.installing')),
    [Symbol.asyncDispose]: () => rm(root, { recursive: true, force: true }),
  }
}

/** Accepts requests and never responds, so that an install hangs. */
async function makeSilentRegistry() {
  const requested = Promise.withResolvers<void>()
  const server = createServer(() => requested.resolve()).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const close = () => {
    server.close()
    server.closeAllConnections()
  }
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requested: requested.promise,
    close,
    [Symbol.asyncDispose]: async () => close(),
  }
}

/** Turns off proxies and retries. */
const direct = { npm_config_fetch_retries: '0', NO_PROXY: '127.0.0.1' }

const start = (program: string, args: string[] = [], settings: NodeJS.ProcessEnv = {}) => {
  const child = spawn('/bin/sh', [program, ...args], { cwd: '/', env: environment(settings), stdio: 'pipe' })
  let [stdout, stderr] = ['', '']
  child.stdout.on('data', data => {
    stdout += data
  })
  child.stderr.on('data', data => {
    stderr += data
  })
  const ended = once(child, 'close').then(([code]) => ({ code: code as number | null, stdout, stderr }))
  return { child, ended }
}

const run = (...args: Parameters<typeof start>) => start(...args).ended

const installing = /Installing the dependencies/

test('dependencies are installed at the first start and when the lock file has changed, and stdout contains only the result', async () => {
  await using checkout = await makeCheckout()
  const first = await run(checkout.overture, ['token', 'create', '--name', 'a b'])
  expect(first).toMatchObject({ code: 0, stdout: 'token create --name a b\n' })
  expect(first.stderr).toMatch(installing)

  expect(await run(checkout.overture)).toEqual({ code: 0, stdout: '\n', stderr: '' })

  await checkout.writeLock('second')
  expect((await run(checkout.overture)).stderr).toMatch(installing)
  expect(await checkout.listInstalls()).toEqual([])
})

test('start passes its flags to serve, from any folder and through a symbolic link', async () => {
  await using checkout = await makeCheckout()
  await mkdir(join(checkout.root, 'elsewhere'))
  const link = join(checkout.root, 'elsewhere/overture-start')
  await symlink('../bin/start', link)
  expect(await run(link, ['--port', '0'])).toMatchObject({ code: 0, stdout: 'serve --port 0\n' })
})

test('several starts at once all succeed and leave one installation', async () => {
  await using checkout = await makeCheckout()
  const runs = await Promise.all(['1', '2', '3'].map(name => run(checkout.overture, [name])))
  expect(runs.map(({ code, stdout }) => [code, stdout])).toEqual([
    [0, '1\n'],
    [0, '2\n'],
    [0, '3\n'],
  ])
  expect(await checkout.listInstalls()).toEqual([])
})

test.each(['SIGINT', 'SIGTERM', 'SIGKILL'] as const)(
  'the next start completes an install interrupted by %s',
  async signal => {
    await using checkout = await makeCheckout()
    await using registry = await makeSilentRegistry()
    await checkout.writeLock('first', `${registry.url}/slow.tgz`)
    const { child, ended } = start(checkout.overture, [], direct)
    await registry.requested
    expect(await checkout.listInstalls()).toHaveLength(1)
    child.kill(signal)
    await once(child, 'exit')

    await checkout.writeLock('first')
    expect(await run(checkout.overture, ['again'])).toMatchObject({ code: 0, stdout: 'again\n' })
    // Closed only now, so that the npm process that survives SIGKILL is still running during the second start.
    registry.close()
    expect((await ended).code).not.toBe(0)
    expect((await readdir(checkout.root)).sort()).toEqual([
      'bin',
      'node_modules',
      'package-lock.json',
      'package.json',
      'src',
    ])
  },
)

test('without npm or with an old Node.js, an error says what to install', async () => {
  await using checkout = await makeCheckout()
  const tools = join(checkout.root, 'tools')
  await mkdir(tools)
  for (const tool of ['dirname', 'readlink', 'uname', 'cksum', 'cat']) {
    await writeFile(join(tools, tool), `#!/bin/sh\nPATH=/usr/bin:/bin exec ${tool} "$@"\n`, { mode: 0o755 })
  }
  const advice = 'Install Node.js 20 or newer, which includes npm: https://nodejs.org/en/download\n'
  expect(await run(checkout.overture, [], { PATH: tools })).toEqual({
    code: 1,
    stdout: '',
    stderr: `overture: npm was not found. ${advice}`,
  })

  await writeFile(join(tools, 'npm'), '#!/bin/sh\n', { mode: 0o755 })
  await writeFile(join(tools, 'node'), '#!/bin/sh\necho 18\n', { mode: 0o755 })
  expect(await run(checkout.overture, [], { PATH: tools })).toEqual({
    code: 1,
    stdout: '',
    stderr: `overture: Node.js was not found or is older than version 20. ${advice}`,
  })
})

test("a failed install shows npm's message and leaves no files behind", async () => {
  await using checkout = await makeCheckout()
  await using registry = await makeSilentRegistry()
  registry.close()
  await checkout.writeLock('first', `${registry.url}/slow.tgz`)
  const failed = await run(checkout.overture, [], direct)
  expect(failed).toMatchObject({ code: 1, stdout: '' })
  expect(failed.stderr).toMatch(/npm error code ECONNREFUSED[\s\S]*It is safe to try again/)
  expect((await readdir(checkout.root)).sort()).toEqual(['bin', 'package-lock.json', 'package.json', 'src'])
})
