import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { FaultProxy } from './fault-proxy.ts'

/** Says what it hears in capitals, so that both directions can be told apart. */
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
    /** Says it, and waits for the answer. */
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

/** However it came about. */
const closed = (socket: Socket): Promise<void> =>
  new Promise(resolve => socket.once('close', () => resolve()))

/** So long that whatever was on its way on this machine has arrived: another connection went there and back. */
async function afterAnother(): Promise<void> {
  await using other = await openPair()
  for (const words of ['one', 'two', 'three']) await other.ask(words)
}

describe('a proxy', () => {
  it('lets everything through unless told', async () => {
    await using pair = await openPair()
    expect(await pair.ask('hello')).toBe('HELLO')
    expect(pair.proxy.connections).toBe(1)
  })

  it('delays each piece, and keeps their order when the delay ends', async () => {
    await using pair = await openPair()
    pair.proxy.fault = { kind: 'delay', ms: 80 }
    pair.client.write('first ')
    await afterAnother()
    expect(pair.got()).toBe('')
    pair.proxy.fault = undefined
    expect(await pair.ask('second')).toMatch(/^FIRST /)
  })

  it('cuts, and resets, after so many bytes, which arrive', async () => {
    for (const [kind, sign] of [
      ['cut', 'end'],
      ['reset', 'ECONNRESET'],
    ] as const) {
      await using pair = await openPair()
      pair.proxy.fault = { kind, afterBytes: 8 }
      expect(await pair.ask(`${kind}:`)).toBe(`${kind.toUpperCase()}:`)
      const over = closed(pair.client)
      pair.client.write('much more than that')
      pair.client.end()
      await over
      expect(pair.ended()).toBe(sign)
      await afterAnother()
      const said = heard.join('')
      expect(said).toContain(`${kind}:${'much more'.slice(0, 8 - kind.length - 1)}`)
      expect(said).not.toContain('more than')
    }
  })

  it('cuts right behind what the server says', async () => {
    await using pair = await openPair()
    pair.proxy.fault = { kind: 'cut_answer', after: 'ENOUGH' }
    expect(await pair.ask('more')).toBe('MORE')
    const over = closed(pair.client)
    pair.client.write('enough of it')
    await over
    expect([pair.got(), pair.ended()]).toEqual(['MOREENOUGH', 'end'])
  })

  it('swallows both directions, for open and new connections, and tells nobody', async () => {
    await using pair = await openPair()
    await pair.ask('hello')
    pair.proxy.fault = { kind: 'blackhole' }
    pair.client.write('into the void')
    const late = connect(pair.proxy.port, '127.0.0.1')
    await once(late, 'connect')
    late.write('nor this')
    await afterAnother()
    expect(heard.join('')).not.toMatch(/void|nor this/)
    expect([pair.got(), pair.ended()]).toEqual(['HELLO', undefined])
    late.destroy()
  })

  it('half open, lets the server hear and not be heard', async () => {
    await using pair = await openPair()
    pair.proxy.fault = { kind: 'half_open' }
    pair.client.write('anybody there?')
    while (!heard.join('').includes('anybody there?')) await afterAnother()
    await afterAnother()
    expect([pair.got(), pair.ended()]).toEqual(['', undefined])
  })

  it('breaks all connections at once, and ends however many were broken', async () => {
    await using one = await openPair()
    const two = connect(one.proxy.port, '127.0.0.1').on('error', () => undefined)
    await once(two, 'connect')
    await one.ask('hello')
    const over = Promise.all([closed(one.client), closed(two)])
    one.proxy.resetAll()
    await over
    expect(one.ended()).toBe('ECONNRESET')
  })
})
