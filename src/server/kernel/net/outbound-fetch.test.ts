import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { expect, it } from 'vitest'
import { fetchOutbound } from './outbound-fetch.ts'

/** Asks a server that answers these bytes, or whatever else it does with the connection. */
async function ask(answer: string | ((socket: Socket) => void), timeoutMs = 10_000): Promise<Response> {
  const server = createServer(socket => {
    socket.on('error', () => {})
    socket.once('data', () => (typeof answer === 'string' ? socket.write(answer) : answer(socket)))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  try {
    return await fetchOutbound(new URL(`http://127.0.0.1:${port}/`), true, { allowHttp: true, timeoutMs })
  } finally {
    server.close()
  }
}

const HINT = 'HTTP/1.1 103 Early Hints\r\nLink: </style.css>\r\n\r\n'

it.each([
  'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n',
  'HTTP/1.1 101 Switching Protocols\r\n\r\n',
])('an answer that changes the protocol ends the request: %j', async answer => {
  await expect(ask(answer)).rejects.toThrow(/another protocol|status/)
})

it('an answer that offers another protocol is one like others', async () => {
  const offer = 'HTTP/1.1 200 OK\r\nConnection: Upgrade\r\nUpgrade: h2c\r\nContent-Length: 0\r\n\r\n'
  expect((await ask(offer)).status).toBe(200)
})

it('a connection that is closed without an answer ends the request', async () => {
  await expect(ask(socket => socket.end())).rejects.toThrow('hang up')
  await expect(ask(socket => socket.end(HINT))).rejects.toThrow(/hang up|closed/)
})

it('hints before the answer are passed over, an endless row of them is not', async () => {
  expect((await ask(`${HINT}${HINT}HTTP/1.1 204 No Content\r\n\r\n`)).status).toBe(204)
  const flood = (socket: Socket) => {
    while (socket.writable && socket.write(HINT.repeat(100)));
    socket.once('drain', () => flood(socket))
  }
  await expect(ask(flood)).rejects.toThrow('hints')
})

it('an answer that comes drop by drop ends with its time', async () => {
  const drip = (socket: Socket) => {
    socket.write('HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n')
    const timer = setInterval(() => socket.write('x'), 20)
    socket.once('close', () => clearInterval(timer))
  }
  await expect(ask(drip, 300)).rejects.toThrow(/abort|timeout/)
  const dripHead = (socket: Socket) => {
    socket.write('HTTP/1.1 200 OK\r\nX-Slow: ')
    const timer = setInterval(() => socket.write('x'), 20)
    socket.once('close', () => clearInterval(timer))
  }
  await expect(ask(dripHead, 300)).rejects.toThrow(/abort|timeout/)
})
