import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'vitest'
import { environment } from './environment.ts'

const root = join(import.meta.dirname, '../../..')

/** Returns the shell blocks below a heading of a guide in docs/. */
export async function readShellBlocks(guide: string, heading: string): Promise<string[]> {
  const text = await readFile(join(root, 'docs', guide), 'utf8')
  const section = text.split(/^## /m).find(part => part.startsWith(`${heading}\n`))
  return [...section!.matchAll(/^```sh\n([\s\S]*?)^```$/gm)].map(block => block[1]!)
}

/** Runs a block in the checkout as printed, with `overture api` calling this server. Returns the JSON of each line. */
export async function runPrinted<T = Record<string, unknown>>(
  block: string,
  url: string,
  { token, ...variables }: Record<string, string>,
): Promise<T[]> {
  const shell = spawn('/bin/sh', ['-eu', '-c', block], {
    cwd: root,
    env: environment({ ...variables, OVERTURE_URL: url, OVERTURE_TOKEN: token }),
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const output = Buffer.concat(await Array.fromAsync(shell.stdout)).toString('utf8')
  const [code] = shell.exitCode === null ? await once(shell, 'exit') : [shell.exitCode]
  expect(code, output).toBe(0)
  return output
    .trim()
    .split('\n')
    .map(line => JSON.parse(line))
}

/** A shell that runs a guide's blocks one after the other in its own folder, and keeps variables and files. */
export type Terminal = AsyncDisposable & {
  /** Runs a block as printed. Returns the lines of its output, each parsed if it is JSON. */
  run: (block: string) => Promise<unknown[]>
}

/** Opens a shell whose `overture api` calls this server; `settings` let the other commands open its database. */
export async function openTerminal(
  url: string,
  token: string,
  settings: Record<string, string> = {},
): Promise<Terminal> {
  const dir = await mkdtemp(join(tmpdir(), 'overture-guide-'))
  await symlink(join(root, 'bin'), join(dir, 'bin'))
  const shell = spawn('/bin/sh', ['-eu'], {
    cwd: dir,
    env: environment({ ...settings, OVERTURE_URL: url, OVERTURE_TOKEN: token }),
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  const closed = once(shell, 'close')
  const end = '-- end of the block --'
  let [output, errorOutput] = ['', '']
  shell.stderr.setEncoding('utf8').on('data', chunk => {
    errorOutput += chunk
  })
  shell.stdout.setEncoding('utf8')
  return {
    run: async block => {
      output = ''
      // Without the redirection, a program could read the commands that follow as its input.
      shell.stdin.write(`{\n${block}\n} < /dev/null\necho '${end}'\n`)
      for await (const chunk of shell.stdout.iterator({ destroyOnReturn: false })) {
        output += chunk
        if (output.endsWith(`${end}\n`)) break
      }
      expect(output, errorOutput).toContain(end)
      const lines = output
        .slice(0, -end.length - 1)
        .trim()
        .split('\n')
      return lines.map(line => (/^[{[]/.test(line) ? JSON.parse(line) : line))
    },
    [Symbol.asyncDispose]: async () => {
      shell.stdin.end()
      await closed
      await rm(dir, { recursive: true, force: true })
    },
  }
}
