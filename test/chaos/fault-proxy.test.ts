import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { FaultProxy } from './fault-proxy.ts'

/** Echoes in capitals, so that the two directions can be told apart. */
const heard: string[] = []
const sockets = new Set<Socket>()
const server = createServer(socket => {
  sockets.add(socket)
  socket.on('data', said => {
    heard.push(String(said))
    socket.write(String(said).toUpperCase())
  })
  socket.on('error', () => undefined)
})
beforeAll(() => once(server.listen(0, '127.0.0.1'), 'listening'))
afterAll(() => {
  for (const socket of sockets) socket.destroy()
  server.close()
})

/** A client of the server with a proxy in between. */
async function openPair() {
  const { port } = server.address() as { port: number }
  const proxy = await FaultProxy.open(port)
  const client = connect(proxy.port, '127.0.0.1')
  await once(client, 'connect')
  let got = ''
  let ended: string | undefined
  client.on('data', said => {
    got += said
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
    got: () => got,
    ended: () => ended,
    /** Sends the words and returns the answer. */
    ask: async (words: string) => {
      const before = got.length
      client.write(words)
      while (got.length < before + words.length) await once(client, 'data')
      return got.slice(before)
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
  for (const words of ['one', 'two', 'three']) await other.ask(words)
}

describe('the fault proxy', () => {
  it('passes all data through without a fault', async () => {
    await using pair = await openPair()
    expect(await pair.ask('hello')).toBe('HELLO')
    expect(pair.proxy.connections).toBe(1)
  })

  it('delays each chunk and keeps their order when the delay ends', async () => {
    await using pair = await openPair()
    pair.proxy.fault = { kind: 'delay', ms: 80 }
    pair.client.write('first ')
    await waitForRoundTrips()
    expect(pair.got()).toBe('')
    pair.proxy.fault = undefined
    expect(await pair.ask('second')).toMatch(/^FIRST /)
  })

  it('closes or resets a connection after the given number of bytes, which are delivered', async () => {
    for (const [kind, sign] of [
      ['cut', 'end'],
      ['reset', 'ECONNRESET'],
    ] as const) {
      await using pair = await openPair()
      pair.proxy.fault = { kind, afterBytes: 8 }
      expect(await pair.ask(`${kind}:`)).toBe(`${kind.toUpperCase()}:`)
      const over = waitForClose(pair.client)
      pair.client.write('much more than that')
      pair.client.end()
      await over
      expect(pair.ended()).toBe(sign)
      await waitForRoundTrips()
      const said = heard.join('')
      expect(said).toContain(`${kind}:${'much more'.slice(0, 8 - kind.length - 1)}`)
      expect(said).not.toContain('more than')
    }
  })

  it('closes a connection right after the given text from the server', async () => {
    await using pair = await openPair()
    pair.proxy.fault = { kind: 'cut_answer', after: 'ENOUGH' }
    expect(await pair.ask('more')).toBe('MORE')
    const over = waitForClose(pair.client)
    pair.client.write('enough of it')
    await over
    expect([pair.got(), pair.ended()]).toEqual(['MOREENOUGH', 'end'])
  })

  it('drops data in both directions silently, for open and new connections', async () => {
    await using pair = await openPair()
    await pair.ask('hello')
    pair.proxy.fault = { kind: 'blackhole' }
    pair.client.write('into the void')
    const late = connect(pair.proxy.port, '127.0.0.1')
    await once(late, 'connect')
    late.write('nor this')
    await waitForRoundTrips()
    expect(heard.join('')).not.toMatch(/void|nor this/)
    expect([pair.got(), pair.ended()]).toEqual(['HELLO', undefined])
    late.destroy()
  })

  it('delivers data to the server but not to the client when half open', async () => {
    await using pair = await openPair()
    pair.proxy.fault = { kind: 'half_open' }
    pair.client.write('anybody there?')
    while (!heard.join('').includes('anybody there?')) await waitForRoundTrips()
    await waitForRoundTrips()
    expect([pair.got(), pair.ended()]).toEqual(['', undefined])
  })

  it('resets all connections at once and can be disposed afterwards', async () => {
    await using one = await openPair()
    const two = connect(one.proxy.port, '127.0.0.1').on('error', () => undefined)
    await once(two, 'connect')
    await one.ask('hello')
    const over = Promise.all([waitForClose(one.client), waitForClose(two)])
    one.proxy.resetAll()
    await over
    expect(one.ended()).toBe('ECONNRESET')
  })
})
