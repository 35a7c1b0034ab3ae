import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdir, readFile, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it, vi } from 'vitest'
import { apiOf, environmentOfNewcomer } from '../support/installed.ts'
import { freePort } from '../support/ports.ts'
import { makeScratch } from '../support/postgres-processes.ts'

const root = join(import.meta.dirname, '../..')

/** The commands below a heading of README.md, as they are printed there. */
async function commandsBelow(heading: string): Promise<string> {
  const readme = await readFile(join(root, 'README.md'), 'utf8')
  const section = readme.split(/^## /m).find(text => text.startsWith(`${heading}\n`))
  const blocks = [...section!.matchAll(/^```sh\n([\s\S]*?)^```$/gm)].map(block => block[1])
  expect(blocks.length).toBeGreaterThan(2)
  return blocks.join('\n')
}

it('the commands of the README lead from nothing to a first campaign whose mails show', async () => {
  await using scratch = await makeScratch()
  const port = await freePort()
  const dataDir = join(scratch.dir, 'data')
  // Files that the commands write stay out of the checkout; the commands themselves are its own.
  await symlink(join(root, 'bin'), join(scratch.dir, 'bin'))
  const printed = await commandsBelow('Use it')
  expect(printed).toContain(':4400/')
  const script = `${printed.replaceAll(':4400/', `:${port}/`)}\necho "TOKEN=$TOKEN CAMPAIGN=$CAMPAIGN"\n`
  const shell = spawn('/bin/sh', ['-eu', '-c', script], {
    cwd: scratch.dir,
    env: environmentOfNewcomer({ PORT: String(port), OVERTURE_DATA: dataDir }),
    stdio: ['ignore', 'pipe', 'pipe'],
    // With the server that it leaves in the background.
    detached: true,
  })
  let [said, complaints] = ['', '']
  shell.stdout.on('data', chunk => {
    said += chunk
  })
  shell.stderr.on('data', chunk => {
    complaints += chunk
  })
  const closed = once(shell, 'close')
  try {
    const [code] = await once(shell, 'exit')
    expect(code, said + complaints).toBe(0)
    const [, token, campaignId] = /^TOKEN=(\S+) CAMPAIGN=(\S+)$/m.exec(said)!
    const pages = said.split('\n').filter(line => line.startsWith('{"data":'))
    expect(JSON.parse(pages[0]!).data).toEqual([])
    // The last command shows what has left by then; on a slow machine that may be nothing yet.
    expect(JSON.parse(pages[1]!).data).toBeInstanceOf(Array)
    const api = apiOf(() => `http://localhost:${port}`, token!)
    await vi.waitFor(
      async () => {
        const { data } = await api('listEmailMessages', { campaignId: campaignId!, status: 'sent' })
        expect(data.map(message => message.subject).sort()).toEqual(['Hello Alan', 'Hello Grace'])
      },
      { timeout: 30_000, interval: 200 },
    )
    const caught = await readdir(join(dataDir, 'sandbox/ada@acme.example'))
    expect(caught.filter(name => name.endsWith('.eml'))).toHaveLength(2)
  } finally {
    process.kill(-shell.pid!, 'SIGTERM')
    await closed
  }
})
