import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { FaultProxy } from './fault-proxy.ts'

const serverInput: string[] = []
const sockets = new Set<Socket>()
/** Echoes in capitals, so that the two directions differ. */
const server = createServer(socket => {
  sockets.add(socket)
  socket.on('data', data => {
    serverInput.push(String(data))
    socket.write(String(data).toUpperCase())
  })
  socket.on('error', () => undefined)
})
beforeAll(() => once(server.listen(0, '127.0.0.1'), 'listening'))
afterAll(() => {
  for (const socket of sockets) socket.destroy()
  server.close()
})

/** Connects a client to the server through a proxy. */
async function openPair() {
  const { port } = server.address() as { port: number }
  const proxy = await FaultProxy.open(port)
  const client = connect(proxy.port, '127.0.0.1')
  await once(client, 'connect')
  let clientInput = ''
  let ended: string | undefined
  client.on('data', data => {
    clientInput += data
  })
  client.on('error', (error: NodeJS.ErrnoException) => {
    ended = error.code
  })
  client.on('end', () => {
    ended ??= 'end'
  })
  return {
    proxy,
    client,
    clientInput: () => clientInput,
    ended: () => ended,
    /** Sends the text and returns the response. */
    send: async (text: string) => {
      const before = clientInput.length
      client.write(text)
      while (clientInput.length < before + text.length) await once(client, 'data')
      return clientInput.slice(before)
    },
    [Symbol.asyncDispose]: async () => {
      client.destroy()
      await proxy[Symbol.asyncDispose]()
    },
  }
}

/** Resolves when the socket closes, with or without an error. */
const waitForClose = (socket: Socket): Promise<void> =>
  new Promise(resolve => socket.once('close', () => resolve()))

/** Waits until data in flight has arrived: another connection makes three round trips. */
async function waitForRoundTrips(): Promise<void> {
  await using other = await openPair()
  for (const text of ['one', 'two', 'three']) await other.send(text)
}

describe('the fault proxy', () => {
  it('passes all data through without a fault', async () => {
    await using pair = await openPair()
    expect(await pair.send('hello')).toBe('HELLO')
    expect(pair.proxy.connections).toBe(1)
  })

  it('delays chunks and keeps their order when the delay ends', async () => {
    await using pair = await openPair()
    pair.proxy.fault = { kind: 'delay', ms: 80 }
    pair.client.write('first ')
    await waitForRoundTrips()
    expect(pair.clientInput()).toBe('')
    pair.proxy.fault = undefined
    expect(await pair.send('second')).toMatch(/^FIRST /)
  })

  it('delivers the given number of bytes, then closes or resets the connection', async () => {
    for (const [kind, expectedEnd] of [
      ['cut', 'end'],
      ['reset', 'ECONNRESET'],
    ] as const) {
      await using pair = await openPair()
      pair.proxy.fault = { kind, afterBytes: 8 }
      expect(await pair.send(`${kind}:`)).toBe(`${kind.toUpperCase()}:`)
      const over = waitForClose(pair.client)
      pair.client.write('much more than that')
      pair.client.end()
      await over
      expect(pair.ended()).toBe(expectedEnd)
      await waitForRoundTrips()
      const data = serverInput.join('')
      expect(data).toContain(`${kind}:${'much more'.slice(0, 8 - kind.length - 1)}`)
      expect(data).not.toContain('more than')
    }
  })

  it('closes a connection right after the given text from the server', async () => {
    await using pair = await openPair()
    pair.proxy.fault = { kind: 'cut_response', after: 'ENOUGH' }
    expect(await pair.send('more')).toBe('MORE')
    const over = waitForClose(pair.client)
    pair.client.write('enough of it')
    await over
    expect([pair.clientInput(), pair.ended()]).toEqual(['MOREENOUGH', 'end'])
  })

  it('silently drops data in both directions, for open and new connections', async () => {
    await using pair = await openPair()
    await pair.send('hello')
    pair.proxy.fault = { kind: 'blackhole' }
    pair.client.write('into the void')
    const late = connect(pair.proxy.port, '127.0.0.1')
    await once(late, 'connect')
    late.write('nor this')
    await waitForRoundTrips()
    expect(serverInput.join('')).not.toMatch(/void|nor this/)
    expect([pair.clientInput(), pair.ended()]).toEqual(['HELLO', undefined])
    late.destroy()
  })

  it('delivers data to the server but not to the client when half open', async () => {
    await using pair = await openPair()
    pair.proxy.fault = { kind: 'half_open' }
    pair.client.write('anybody there?')
    while (!serverInput.join('').includes('anybody there?')) await waitForRoundTrips()
    await waitForRoundTrips()
    expect([pair.clientInput(), pair.ended()]).toEqual(['', undefined])
  })

  it('resets all open connections and can be disposed afterwards', async () => {
    await using one = await openPair()
    const two = connect(one.proxy.port, '127.0.0.1').on('error', () => undefined)
    await once(two, 'connect')
    await one.send('hello')
    const over = Promise.all([waitForClose(one.client), waitForClose(two)])
    one.proxy.resetAll()
    await over
    expect(one.ended()).toBe('ECONNRESET')
  })
})
