import { once } from 'node:events'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { setImmediate as turn } from 'node:timers/promises'
import fastify from 'fastify'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { limitConcurrency } from './concurrency-limit.ts'

const LIMIT = 3
const server = fastify({ forceCloseConnections: true })
const acquire = limitConcurrency(LIMIT, 'full')
const acquireForKey = limitConcurrency(LIMIT, 'full', LIMIT - 1)
let gate = Promise.withResolvers<void>()
let started = 0
/** Ports of the clients connected to the server. */
const connected = new Set<number | undefined>()
let port: number
beforeAll(async () => {
  server.post(
    '/delayed',
    { onRequest: async (_request, reply) => waitAtGate().then(() => acquire(reply)) },
    respond,
  )
  server.post('/immediate', { onRequest: async (_request, reply) => acquire(reply) }, respond)
  server.post<{ Params: { key: string } }>(
    '/by-key/:key',
    { onRequest: async (request, reply) => acquireForKey(reply, request.params.key) },
    respond,
  )
  server.get('/waiting', waitAtGate)
  server.setErrorHandler((_error, _request, reply) => reply.code(503).send())
  server.server.on('connection', (socket: Socket) => {
    const { remotePort } = socket
    connected.add(remotePort)
    socket.once('close', () => connected.delete(remotePort))
  })
  await server.listen({ port: 0, host: '127.0.0.1' })
  port = (server.server.address() as AddressInfo).port
})
afterAll(() => server.close())

const respond = async (): Promise<string> => 'done'
const waitAtGate = async (): Promise<string> => {
  started += 1
  await gate.promise
  return 'done'
}
const openGate = async () => {
  gate.resolve()
  await turn()
  gate = Promise.withResolvers<void>()
}
const post = (path: string) =>
  fetch(`http://127.0.0.1:${port}${path}`, { method: 'POST' }).then(({ status }) => status)
const head = (path: string, method = 'POST', length = 0) =>
  `${method} ${path} HTTP/1.1\r\nHost: x\r\nContent-Type: text/plain\r\nContent-Length: ${length}\r\n\r\n`
const send = async (text: string) => {
  const socket = connect(port, '127.0.0.1').on('error', () => {})
  await once(socket, 'connect')
  socket.write(text)
  return socket
}
/** Disconnects clients and waits until the server has noticed. */
const hangUp = async (sockets: Socket[]) => {
  const ports = sockets.map(({ localPort }) => localPort)
  for (const socket of sockets) socket.destroy()
  await expect.poll(() => ports.some(each => connected.has(each))).toBe(false)
}

it('frees the slot of a client that disconnected before its request acquired one', async () => {
  started = 0
  const sockets = await Promise.all(Array.from({ length: 2 * LIMIT }, () => send(head('/delayed'))))
  await expect.poll(() => started).toBe(2 * LIMIT)
  await hangUp(sockets)
  await openGate()
  expect(await post('/immediate')).toBe(200)
})

it('frees the slots of pipelined requests when their client disconnects', async () => {
  started = 0
  const sockets = await Promise.all(
    Array.from({ length: LIMIT }, () =>
      send(head('/waiting', 'GET') + head('/immediate') + head('/immediate')),
    ),
  )
  await expect.poll(() => started).toBe(LIMIT)
  await hangUp(sockets)
  expect(await post('/immediate')).toBe(200)
  await openGate()
})

it('holds a slot while a body is received and frees it with the response', async () => {
  const slow = await Promise.all(Array.from({ length: LIMIT }, () => send(head('/immediate', 'POST', 4))))
  await expect.poll(() => post('/immediate')).toBe(503)
  for (const socket of slow) socket.write('body')
  await Promise.all(slow.map(socket => once(socket, 'data')))
  for (let n = 0; n < 3 * LIMIT; n += 1) expect(await post('/immediate')).toBe(200)
  for (const socket of slow) socket.destroy()
})

it('leaves slots for other keys when one key uses up its share', async () => {
  const slow = await Promise.all(Array.from({ length: LIMIT }, () => send(head('/by-key/greedy', 'POST', 4))))
  await expect.poll(() => post('/by-key/greedy')).toBe(503)
  expect(await post('/by-key/other')).toBe(200)
  for (const socket of slow) socket.destroy()
})
