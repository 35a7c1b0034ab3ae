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

it.each([200, 503])('a response with status %i that breaks off is unreachable', async status => {
  const breakOff = (response: ServerResponse) => {
    response.writeHead(status, { 'content-length': 1_000 }).write('{"data":', () => response.destroy())
  }
  await expect(sendTo(breakOff)).rejects.toMatchObject({ code: 'Unreachable' })
})

it('a response that takes too long throws the error of the signal', async () => {
  const signal = AbortSignal.timeout(200)
  const stall = (response: ServerResponse) => void response.writeHead(200).write('{"data":')
  await expect(sendTo(stall, signal)).rejects.toMatchObject({ name: 'TimeoutError' })
})

it('a complete response that is not JSON is reported with its status', async () => {
  await expect(sendTo(response => response.end('<html>'))).rejects.toThrow('status 200')
})

it('an error says how long the server asks to wait', async () => {
  const refuse = (response: ServerResponse) => {
    const body = { error: 'TooManyRequests', message: 'Rate limit exceeded.' }
    response.writeHead(429, { 'retry-after': '42' }).end(JSON.stringify(body))
  }
  await expect(sendTo(refuse)).rejects.toMatchObject({ code: 'TooManyRequests', retryAfterSeconds: 42 })
})
