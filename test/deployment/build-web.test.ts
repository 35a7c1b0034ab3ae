import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { cp, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { environment } from '../support/processes/environment.ts'

/** A stand-in for vite that copies the page, or hangs if the file `slow` exists. */
const vite = `#!/bin/sh
while [ "$1" != --outDir ]; do shift; done
mkdir -p "$2"
[ ! -e slow ] || { echo $$ >begun; exec sleep 60; }
cp src/web/index.html "$2"
`

/** Creates a checkout with the real script and a fake, fast builder. */
async function makeCheckout() {
  const root = await mkdtemp(join(tmpdir(), 'overture build '))
  const write = (path: string, text: string, mode = 0o644) => writeFile(join(root, path), text, { mode })
  await cp(join(import.meta.dirname, '../../bin'), join(root, 'bin'), { recursive: true })
  for (const folder of ['src/web', 'src/contract', 'node_modules/.bin']) {
    await mkdir(join(root, folder), { recursive: true })
  }
  // The stamp matches the lock file, so nothing is installed.
  await write('package-lock.json', '')
  const stamp = spawnSync('/bin/sh', ['-c', 'echo "$(uname -sm) $(cksum </dev/null)"'], { encoding: 'utf8' })
  await write('node_modules/.installed', stamp.stdout)
  await symlink(process.execPath, join(root, 'node_modules/.bin/node'))
  await write('node_modules/.bin/vite', vite, 0o755)
  for (const file of ['src/client.ts', 'vite.config.ts', 'src/web/index.html']) await write(file, 'first')
  return {
    root,
    write,
    build: () => {
      const child = spawn('/bin/sh', [join(root, 'bin/build-web')], { env: environment(), stdio: 'pipe' })
      let stderr = ''
      child.stderr.on('data', data => {
        stderr += data
      })
      return { child, ended: once(child, 'close').then(([code]) => ({ code, stderr })) }
    },
    read: (path: string) => readFile(join(root, path), 'utf8'),
    list: () => readdir(join(root, 'dist')),
    [Symbol.asyncDispose]: () => rm(root, { recursive: true, force: true }),
  }
}

test('the web app is built only when a source is newer than the last build', async () => {
  await using checkout = await makeCheckout()
  expect((await checkout.build().ended).stderr).toMatch(/^Building the web app/)
  expect(await checkout.build().ended).toEqual({ code: 0, stderr: '' })
  await checkout.write('src/web/index.html', 'second')
  expect(await checkout.build().ended).toMatchObject({ code: 0, stderr: expect.stringMatching(/^Building/) })
  expect(await checkout.read('dist/web/index.html')).toBe('second')
  expect(await checkout.list()).toEqual(['web'])
})

test('a web app that was not built by the build script is rebuilt without an error', async () => {
  await using checkout = await makeCheckout()
  await mkdir(join(checkout.root, 'dist/web'), { recursive: true })
  await checkout.write('dist/web/index.html', 'by hand')
  expect((await checkout.build().ended).stderr).toMatch(/^Building the web app.*\n$/)
  expect(await checkout.read('dist/web/index.html')).toBe('first')
})

test.each(['SIGINT', 'SIGTERM', 'SIGKILL'] as const)(
  'an interrupted build (%s) keeps the previous build, and the next run rebuilds',
  async signal => {
    await using checkout = await makeCheckout()
    await checkout.build().ended
    await checkout.write('src/web/index.html', 'second')
    await checkout.write('slow', '')
    const { child, ended } = checkout.build()
    const builder = () => checkout.read('begun').then(Number, () => 0)
    await expect.poll(builder).toBeGreaterThan(0)
    child.kill(signal)
    await once(child, 'exit')
    expect(await checkout.read('dist/web/index.html')).toBe('first')

    await rm(join(checkout.root, 'slow'))
    expect(await checkout.build().ended).toMatchObject({
      code: 0,
      stderr: expect.stringMatching(/^Building/),
    })
    expect(await checkout.read('dist/web/index.html')).toBe('second')
    expect(await checkout.list()).toEqual(['web'])
    // Only SIGKILL leaves the builder running.
    if (signal === 'SIGKILL') process.kill(await builder())
    expect((await ended).code).not.toBe(0)
  },
)
