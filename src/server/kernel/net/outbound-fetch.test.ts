import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { expect, it } from 'vitest'
import { fetchOutbound } from './outbound-fetch.ts'

/** Fetches from a server that answers with these bytes, or passes its socket to the function. */
async function fetchFrom(
  response: string | ((socket: Socket) => void),
  timeoutMs = 10_000,
): Promise<Response> {
  const server = createServer(socket => {
    socket.on('error', () => {})
    socket.once('data', () => (typeof response === 'string' ? socket.write(response) : response(socket)))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  try {
    return await fetchOutbound(new URL(`http://127.0.0.1:${port}/`), true, { allowHttp: true, timeoutMs })
  } finally {
    server.close()
  }
}

const EARLY_HINTS = 'HTTP/1.1 103 Early Hints\r\nLink: </style.css>\r\n\r\n'

it.each([
  'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n',
  'HTTP/1.1 101 Switching Protocols\r\n\r\n',
])('rejects a response that switches the protocol: %j', async response => {
  await expect(fetchFrom(response)).rejects.toThrow(/another protocol|status/)
})

it('accepts a response that offers an upgrade', async () => {
  const offer = 'HTTP/1.1 200 OK\r\nConnection: Upgrade\r\nUpgrade: h2c\r\nContent-Length: 0\r\n\r\n'
  expect((await fetchFrom(offer)).status).toBe(200)
})

it('rejects when the connection is closed without a response', async () => {
  await expect(fetchFrom(socket => socket.end())).rejects.toThrow('hang up')
  await expect(fetchFrom(socket => socket.end(EARLY_HINTS))).rejects.toThrow(/hang up|closed/)
})

it('ignores informational responses up to a limit', async () => {
  expect((await fetchFrom(`${EARLY_HINTS}${EARLY_HINTS}HTTP/1.1 204 No Content\r\n\r\n`)).status).toBe(204)
  const sendEndlessHints = (socket: Socket) => {
    while (socket.writable && socket.write(EARLY_HINTS.repeat(100)));
    socket.once('drain', () => sendEndlessHints(socket))
  }
  await expect(fetchFrom(sendEndlessHints)).rejects.toThrow('informational responses')
})

it('rejects a response that arrives too slowly', async () => {
  const drip = (socket: Socket) => {
    socket.write('HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n')
    const timer = setInterval(() => socket.write('x'), 20)
    socket.once('close', () => clearInterval(timer))
  }
  await expect(fetchFrom(drip, 300)).rejects.toThrow(/abort|timeout/)
  const dripHead = (socket: Socket) => {
    socket.write('HTTP/1.1 200 OK\r\nX-Slow: ')
    const timer = setInterval(() => socket.write('x'), 20)
    socket.once('close', () => clearInterval(timer))
  }
  await expect(fetchFrom(dripHead, 300)).rejects.toThrow(/abort|timeout/)
})
