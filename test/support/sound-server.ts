import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'

const RATE = 8_000

/** So many seconds of silence that a browser plays: 8-bit PCM in a RIFF file. */
function silence(seconds: number): Buffer {
  const head = Buffer.alloc(44)
  const length = RATE * seconds
  head.write('RIFF', 0)
  head.writeUInt32LE(36 + length, 4)
  head.write('WAVEfmt ', 8)
  head.writeUInt32LE(16, 16)
  head.writeUInt16LE(1, 20)
  head.writeUInt16LE(1, 22)
  head.writeUInt32LE(RATE, 24)
  head.writeUInt32LE(RATE, 28)
  head.writeUInt16LE(1, 32)
  head.writeUInt16LE(8, 34)
  head.write('data', 36)
  head.writeUInt32LE(length, 40)
  return Buffer.concat([head, Buffer.alloc(length, 128)])
}

/** A store of recordings that knows one, and gives it whole or from a byte on. */
export class SoundServer implements AsyncDisposable {
  /** Of each request; undefined when it asked for all. */
  readonly ranges: (string | undefined)[] = []
  readonly #server: Server

  private constructor(server: Server, sound: Buffer) {
    this.#server = server
    server.on('request', ({ headers: { range } }, response) => {
      this.ranges.push(range)
      const from = Number(/^bytes=(\d+)-/.exec(range ?? '')?.[1] ?? 0)
      const part = sound.subarray(from)
      const partial = { 'content-range': `bytes ${from}-${sound.length - 1}/${sound.length}` }
      response
        .writeHead(range ? 206 : 200, {
          'content-type': 'audio/wav',
          'accept-ranges': 'bytes',
          'content-length': part.length,
          ...(range && partial),
        })
        .end(part)
    })
  }

  static async open(seconds: number): Promise<SoundServer> {
    const server = createServer().listen(0, '127.0.0.1')
    await once(server, 'listening')
    return new SoundServer(server, silence(seconds))
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/1.wav`
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections()
    await new Promise(resolve => this.#server.close(resolve))
  }
}
