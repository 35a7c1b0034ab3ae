import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import { openTestServer, type TestServer } from '../../../../test/support/http/server.ts'
import { toNetwork } from './to-network.ts'

const sockets = new Set<Socket>()
afterEach(() => {
  for (const socket of sockets) socket.destroy()
  sockets.clear()
})

/** Returns an open connection, or undefined if the server refused it. */
async function connectTo({ url }: TestServer, from = '127.0.0.1'): Promise<Socket | undefined> {
  const { hostname, port } = new URL(url)
  const socket = connect({ host: hostname, port: Number(port), localAddress: from })
  sockets.add(socket)
  const closed = once(socket, 'close').catch(() => {})
  socket.on('error', () => {})
  socket.write('GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n')
  return Promise.race([
    once(socket, 'data').then(
      () => socket,
      () => undefined,
    ),
    closed.then(() => undefined),
  ])
}
const connectMany = async (server: TestServer, count: number, from?: string) => {
  const all: (Socket | undefined)[] = []
  for (let n = 0; n < count; n += 1) all.push(await connectTo(server, from))
  return all.filter(socket => socket !== undefined)
}

describe('connection limits', () => {
  it('refuse connections beyond the limit per address until others close', async () => {
    await using server = await openTestServer({ MAX_CONNECTIONS_PER_ADDRESS: '3' })
    const [first] = await connectMany(server, 3)
    expect(await connectTo(server)).toBeUndefined()
    expect(await connectMany(server, 4, '127.0.0.2')).toHaveLength(3)
    expect((await server.app.metrics.refusedConnections.get()).values).toEqual([
      { labels: { limit: 'address' }, value: 2 },
    ])
    first!.destroy()
    await expect.poll(() => connectTo(server).then(socket => socket !== undefined)).toBe(true)
  })

  it('apply only the total limit to a trusted proxy', async () => {
    await using server = await openTestServer({
      MAX_CONNECTIONS: '6',
      MAX_CONNECTIONS_PER_ADDRESS: '2',
      TRUSTED_PROXIES: '127.0.0.1',
    })
    expect(await connectMany(server, 5)).toHaveLength(5)
    expect(await connectMany(server, 2, '127.0.0.2')).toHaveLength(1)
    expect(await connectTo(server)).toBeUndefined()
    expect((await server.app.metrics.refusedConnections.get()).values).toContainEqual({
      labels: { limit: 'total' },
      value: 2,
    })
  })

  it('count all addresses of an IPv6 network as one', () => {
    expect(toNetwork('2001:db8:1:2::3')).toBe(toNetwork('2001:db8:1:2:ffff:0:0:1'))
    expect(toNetwork('2001:db8:1:2::3')).not.toBe(toNetwork('2001:db8:1:3::3'))
    expect(toNetwork('fe80::1%eth0')).toBe(toNetwork('fe80::2%eth1'))
    expect(toNetwork('::1')).toBe(toNetwork('::2'))
    expect(toNetwork('::ffff:192.0.2.1')).toBe('192.0.2.1')
    expect(toNetwork('192.0.2.1')).toBe('192.0.2.1')
    expect(toNetwork('192.0.2.1:443')).toBe('192.0.2.1')
    expect(toNetwork('[::ffff:192.0.2.1]:443')).toBe('192.0.2.1')
    expect(toNetwork('[2001:db8:1:2::3]:443')).toBe(toNetwork('2001:db8:1:2::3'))
  })
})
