import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, it } from 'vitest'
import { send } from './client.ts'

/** Sends one request to a server that answers with `respond`. */
async function sendTo(respond: (response: ServerResponse) => void, signal?: AbortSignal): Promise<unknown> {
  await using server = createServer((_request, response) => respond(response)).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  try {
    return await send(`http://127.0.0.1:${port}`, { method: 'GET', path: '/session' }, { signal })
  } finally {
    server.closeAllConnections()
  }
}

it.each([200, 503])('treats the server as unreachable when a %i response breaks off', async status => {
  const breakOff = (response: ServerResponse) => {
    response.writeHead(status, { 'content-length': 1_000 }).write('{"data":', () => response.destroy())
  }
  await expect(sendTo(breakOff)).rejects.toMatchObject({ code: 'Unreachable' })
})

it('throws the error of the signal when the response takes too long', async () => {
  const signal = AbortSignal.timeout(200)
  const stall = (response: ServerResponse) => void response.writeHead(200).write('{"data":')
  await expect(sendTo(stall, signal)).rejects.toMatchObject({ name: 'TimeoutError' })
})

it('reports the status of a complete response that is not JSON', async () => {
  await expect(sendTo(response => response.end('<html>'))).rejects.toThrow('status 200')
})

it('includes the wait time that the server asks for in the error', async () => {
  const refuse = (response: ServerResponse) => {
    const body = { error: 'TooManyRequests', message: 'Rate limit exceeded.' }
    response.writeHead(429, { 'retry-after': '42' }).end(JSON.stringify(body))
  }
  await expect(sendTo(refuse)).rejects.toMatchObject({ code: 'TooManyRequests', retryAfterSeconds: 42 })
})
