import { once } from 'node:events'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { setImmediate as turn } from 'node:timers/promises'
import fastify from 'fastify'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { limitConcurrency } from './concurrency-limit.ts'

const MOST = 3
const server = fastify({ forceCloseConnections: true })
const acquire = limitConcurrency(MOST, 'full')
const takePlaceOfKey = limitConcurrency(MOST, 'full', MOST - 1)
let gate = Promise.withResolvers<void>()
let begun = 0
/** Ports of the clients that the server knows of. */
const connected = new Set<number | undefined>()
let port: number
beforeAll(async () => {
  server.post(
    '/late',
    { onRequest: async (_request, reply) => waitAtGate().then(() => acquire(reply)) },
    answer,
  )
  server.post('/soon', { onRequest: async (_request, reply) => acquire(reply) }, answer)
  server.post<{ Params: { key: string } }>(
    '/of/:key',
    { onRequest: async (request, reply) => takePlaceOfKey(reply, request.params.key) },
    answer,
  )
  server.get('/waits', waitAtGate)
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

const answer = async (): Promise<string> => 'done'
const waitAtGate = async (): Promise<string> => {
  begun += 1
  await gate.promise
  return 'done'
}
const open = async () => {
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
/** They are gone, and the server knows. */
const hangUp = async (sockets: Socket[]) => {
  const ports = sockets.map(({ localPort }) => localPort)
  for (const socket of sockets) socket.destroy()
  await expect.poll(() => ports.some(each => connected.has(each))).toBe(false)
}

it('a request whose client is gone before its place is taken keeps none', async () => {
  begun = 0
  const sockets = await Promise.all(Array.from({ length: 2 * MOST }, () => send(head('/late'))))
  await expect.poll(() => begun).toBe(2 * MOST)
  await hangUp(sockets)
  await open()
  expect(await post('/soon')).toBe(200)
})

it('a request whose answer waits behind another one keeps none once its client is gone', async () => {
  begun = 0
  const sockets = await Promise.all(
    Array.from({ length: MOST }, () => send(head('/waits', 'GET') + head('/soon') + head('/soon'))),
  )
  await expect.poll(() => begun).toBe(MOST)
  await hangUp(sockets)
  expect(await post('/soon')).toBe(200)
  await open()
})

it('places are held while bodies come in, and free once they are answered', async () => {
  const slow = await Promise.all(Array.from({ length: MOST }, () => send(head('/soon', 'POST', 4))))
  await expect.poll(() => post('/soon')).toBe(503)
  for (const socket of slow) socket.write('body')
  await Promise.all(slow.map(socket => once(socket, 'data')))
  for (let n = 0; n < 3 * MOST; n += 1) expect(await post('/soon')).toBe(200)
  for (const socket of slow) socket.destroy()
})

it('one key leaves places to others', async () => {
  const slow = await Promise.all(Array.from({ length: MOST }, () => send(head('/of/greedy', 'POST', 4))))
  await expect.poll(() => post('/of/greedy')).toBe(503)
  expect(await post('/of/other')).toBe(200)
  for (const socket of slow) socket.destroy()
})
