import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { makeCaller } from '../support/app.ts'
import { Browser } from '../support/http/browser.ts'
import { connectAs } from '../support/http/connection.ts'
import { openFixtures } from '../support/http/mcp-fixtures.ts'
import { openTestServer, type TestServer } from '../support/http/server.ts'
import { findFreePort } from '../support/processes/ports.ts'

/** MCP's own conformance suite, run against our server and against the suite's fixtures behind the same adapter. */
const suite = join(import.meta.dirname, '../../node_modules/@modelcontextprotocol/conformance/dist/index.js')

let server: TestServer
let origin: string
let browser: Browser
let token: string
beforeAll(async () => {
  origin = `http://localhost:${await findFreePort()}`
  server = await openTestServer({ PUBLIC_URL: origin })
  const owner = await makeCaller(server.app)
  browser = new Browser(origin, await server.createCookie(owner))
  token = (await connectAs(server.app, owner)).token
})
afterAll(() => server[Symbol.asyncDispose]())

/** Runs the suite and returns its output; `onOutput` is called with the output so far. */
async function run(args: string[], onOutput: (printed: string) => void = () => {}): Promise<string> {
  const child = spawn(process.execPath, [suite, ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: 60_000,
  })
  let printed = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk: Buffer) => {
      printed += chunk
      onOutput(printed)
    })
  }
  await once(child, 'close')
  return printed
}

it('the authorization server passes every scenario of the conformance suite', async () => {
  const port = await findFreePort()
  const redirectUri = `http://127.0.0.1:${port}/callback`
  const registered = await fetch(`${origin}/v1/register`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ redirect_uris: [redirectUri] }),
  })
  const { client_id } = (await registered.json()) as { client_id: string }
  let visit: Promise<unknown> | undefined
  const printed = await run(
    [
      'authorization',
      '--url',
      `${origin}/v1`,
      '--client-id',
      client_id,
      '--resource',
      `${origin}/v1/mcp`,
      '-p',
      `${port}`,
    ],
    text => {
      const url = /http:\/\/localhost:\d+\/v1\/authorize\?\S+(?=\s)/.exec(text)?.[0]
      // The suite may open its callback server shortly after it prints the URL.
      if (url && text.includes('Callback server started'))
        visit ??= browser.decide(url).then(back => fetch(back))
    },
  )
  await visit
  expect(printed).toMatch(/Total: 3 passed, 0 failed/)
})

/** Opens a proxy that adds the token, because the suite has no option for it. */
async function openProxy(origin: string, token: string): Promise<AsyncDisposable & { url: string }> {
  const { host, port } = new URL(origin)
  const pass = (incoming: IncomingMessage, outgoing: ServerResponse) => {
    const toTarget = (header = '') => header.replace(`localhost:${proxyPort()}`, host)
    const headers = {
      ...incoming.headers,
      host: toTarget(incoming.headers.host),
      ...(incoming.headers.origin && { origin: toTarget(incoming.headers.origin) }),
      authorization: `Bearer ${token}`,
    }
    const sent = request(
      { host: '127.0.0.1', port, path: '/v1/mcp', method: incoming.method, headers },
      response => {
        outgoing.writeHead(response.statusCode!, response.headers)
        response.pipe(outgoing)
      },
    )
    incoming.pipe(sent)
  }
  const proxyPort = () => (proxy.address() as AddressInfo).port
  const proxy = createServer(pass).listen(0, '127.0.0.1')
  await once(proxy, 'listening')
  return {
    url: `http://localhost:${proxyPort()}/mcp`,
    [Symbol.asyncDispose]: async () => {
      proxy.closeAllConnections()
      proxy.close()
    },
  }
}

it.each([
  ['server-initialize', '2025-11-25'],
  ['ping', '2025-11-25'],
  ['tools-list', '2025-11-25'],
  ['tools-list', '2026-07-28'],
  ['prompts-list', '2025-11-25'],
  ['prompts-list', '2026-07-28'],
  ['resources-list', '2025-11-25'],
  ['resources-list', '2026-07-28'],
  ['sep-2164-resource-not-found', '2026-07-28'],
  ['caching', '2026-07-28'],
  ['http-header-validation', '2026-07-28'],
])('the MCP server passes the scenario %s of revision %s', async (scenario, version) => {
  await using proxy = await openProxy(origin, token)
  const printed = await run(['server', '--url', proxy.url, '--scenario', scenario, '--spec-version', version])
  expect(printed).toMatch(/Passed: (\d+)\/\1, 0 failed, 0 warnings/)
})

/** Parses the scored and the failed scenarios from the output of a full run. */
function parseScores(printed: string): { scored: string[]; failed: string[] } {
  const [summary, others = ''] = printed.split('=== SUMMARY ===').at(-1)!.split('Not scored')
  const unscored = new Set([...others.matchAll(/^ +\S ([\w-]+) \(/gm)].map(([, name]) => name))
  const scored = [...summary!.matchAll(/^\S ([\w-]+): \d+ passed, (\d+) failed/gm)].filter(
    ([, name]) => !unscored.has(name),
  )
  return {
    scored: scored.map(([, name]) => name!),
    failed: scored.filter(([, , failures]) => failures !== '0').map(([, name]) => name!),
  }
}

/**
 * Scenarios that we don't support: in the older revision, a server may send requests to the client during a call, which
 * needs a session.
 */
const sessionScenarios = [
  'tools-call-sampling',
  'tools-call-elicitation',
  'elicitation-sep1034-defaults',
  'elicitation-sep1330-enums',
]

it.each([
  ['2026-07-28', 37, []],
  ['2025-11-25', 30, sessionScenarios],
])('the MCP server passes every supported scenario of revision %s', async (revision, count, unsupported) => {
  const origin = `http://localhost:${await findFreePort()}`
  // Most scenarios use the suite's own fixtures by name, so our transport and authentication serve these fixtures.
  await using server = await openTestServer({ PUBLIC_URL: origin }, openFixtures())
  const { token } = await connectAs(server.app, await makeCaller(server.app))
  await using proxy = await openProxy(origin, token)
  const printed = await run(['server', '--url', proxy.url, '--requirements', revision])
  const { scored, failed } = parseScores(printed)
  expect(scored).toHaveLength(count)
  expect(failed.sort()).toEqual(unsupported.toSorted())
})
