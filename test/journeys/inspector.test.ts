import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { expect, it } from 'vitest'
import { makeScratch } from '../support/db/postgres-processes.ts'
import { Browser } from '../support/http/browser.ts'
import { hasInspector, npmCache } from '../support/processes/inspector.ts'
import { cleanEnvironment } from '../support/processes/installed.ts'
import { findFreePort } from '../support/processes/ports.ts'

const root = join(import.meta.dirname, '../..')
const guide = await readFile(join(root, 'docs/mcp.md'), 'utf8')
const [start, connect] = [...guide.matchAll(/^```sh\n([\s\S]*?)^```$/gm)].map(([, commands]) => commands!)

/** Runs commands as printed, except for the port. */
const run = (commands: string, port: number, settings: Record<string, string>, cwd: string) =>
  spawn('/bin/sh', ['-euc', commands.replaceAll(':4400/', `:${port}/`)], {
    cwd,
    env: cleanEnvironment({ PORT: `${port}`, ...settings }),
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  })

const [name] = /@modelcontextprotocol\/inspector@[\d.]+/.exec(connect!)!

it.skipIf(!hasInspector(name))(
  "the MCP guide's commands start a demo and let MCP Inspector list campaigns after sign-in and consent",
  async () => {
    await using scratch = await makeScratch()
    const port = await findFreePort()
    const demo = run(start!, port, { OVERTURE_DATA: join(scratch.dir, 'data') }, root)
    const ended = once(demo, 'close')
    try {
      for await (const chunk of demo.stdout) if (/^Press Ctrl-C to stop/m.test(String(chunk))) break
      // Makes Inspector open the browser itself, as it does at a terminal.
      const settings = { MCP_AUTO_OPEN_ENABLED: 'true', HOME: scratch.dir, npm_config_cache: npmCache() }
      const inspector = run(connect!, port, settings, scratch.dir)
      const output = text(inspector.stdout)
      let stderr = ''
      for await (const chunk of inspector.stderr) {
        stderr += chunk
        const url = /http:\/\/localhost:\d+\/v1\/authorize\?\S+(?=\s)/.exec(stderr)?.[0]
        if (!url) continue
        stderr = ''
        await fetch(await (await signIn(`http://localhost:${port}`)).decide(url))
      }
      expect(JSON.parse(await output).structuredContent.data).toContainEqual(
        expect.objectContaining({ name: 'Two-week logger trial' }),
      )
    } finally {
      process.kill(-demo.pid!, 'SIGTERM')
      await ended
    }
  },
  480_000,
)

async function signIn(origin: string): Promise<Browser> {
  const [, email, password] = /Sign in as `(\S+)` with the password `(\S+)`/.exec(guide)!
  const response = await fetch(`${origin}/v1/session`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin },
    body: JSON.stringify({ email, password }),
  })
  return new Browser(origin, response.headers.getSetCookie()[0]!.split(';')[0])
}
