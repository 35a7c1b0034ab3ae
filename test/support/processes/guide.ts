import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'vitest'
import { environment } from './environment.ts'

const root = join(import.meta.dirname, '../../..')

/** Returns the shell blocks below a heading of a guide in docs/. */
export async function printedBelow(guide: string, heading: string): Promise<string[]> {
  const text = await readFile(join(root, 'docs', guide), 'utf8')
  const section = text.split(/^## /m).find(part => part.startsWith(`${heading}\n`))
  return [...section!.matchAll(/^```sh\n([\s\S]*?)^```$/gm)].map(block => block[1]!)
}

/** Runs a block in the checkout as printed, with `overture api` calling this server. Returns the answers, one per line. */
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
  const said = Buffer.concat(await Array.fromAsync(shell.stdout)).toString('utf8')
  const [code] = shell.exitCode === null ? await once(shell, 'exit') : [shell.exitCode]
  expect(code, said).toBe(0)
  return said
    .trim()
    .split('\n')
    .map(answer => JSON.parse(answer))
}
