import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { environment, isMissing } from '../../../../test/support/processes/environment.ts'
import { type Language, type SampleRequest, toSample } from './samples.ts'

type Received = Pick<IncomingMessage, 'method' | 'url' | 'headers'> & { body: string }

let server: Server
const received: Received[] = []
beforeAll(async () => {
  server = createServer(async (request, response) => {
    const { method, url, headers } = request
    received.push({ method, url, headers, body: await text(request) })
    response.setHeader('content-type', 'application/json').end('{"ok":true}')
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
})
afterAll(() => new Promise(resolve => server.close(resolve)))

const programs: Record<Language, (code: string) => [program: string, args: string[]]> = {
  curl: code => ['/bin/sh', ['-c', code]],
  TypeScript: code => [process.execPath, ['--input-type=module-typescript', '-e', code]],
  Python: code => ['python3', ['-c', code]],
}

const body = {
  name: 'It’s "Ada\'s" $HOME `x` \\n',
  lines: 'one\ntwo 😀',
  isEvergreen: true,
  description: null,
  steps: [{ delay: { amount: 1.5, unit: 'days' }, tags: [], settings: {} }],
}
const requests: SampleRequest[] = [
  { method: 'GET', path: '/campaigns?limit=5&status=active%2Cpaused', headers: {} },
  { method: 'POST', path: '/campaigns', body, headers: { 'idempotency-key': "Ada's 1" } },
  { method: 'DELETE', path: '/webhooks/01980000-0000-7000-8000-000000000001', headers: {} },
]
const cases = Object.keys(toSample).flatMap(language =>
  requests.map(request => ({ language: language as Language, ...request })),
)

it.for(cases)('the $language sample sends $method $path', async ({ language, ...request }, { skip }) => {
  const [program, args] = programs[language](toSample[language](request))
  if (!program.startsWith('/') && isMissing(program)) skip()
  const { port } = server.address() as AddressInfo
  await promisify(execFile)(program, args, {
    env: environment({ OVERTURE_URL: `http://127.0.0.1:${port}`, OVERTURE_TOKEN: 'ovt_test' }),
    timeout: 60_000,
  })
  const { headers, body: sent, ...line } = received.pop()!
  expect(line).toEqual({ method: request.method, url: `/v1${request.path}` })
  expect(headers).toMatchObject({ authorization: 'Bearer ovt_test', ...request.headers })
  expect(sent === '' ? undefined : JSON.parse(sent)).toEqual(request.body)
  if (request.body) expect(headers['content-type']).toBe('application/json')
})
