import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { composeSound } from '../../../src/demo/recordings.ts'

/** An HTTP server that serves one recording and supports range requests. */
export class SoundServer implements AsyncDisposable {
  /** The Range header of each request. */
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
    return new SoundServer(server, composeSound([], seconds))
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/1.wav`
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections()
    await new Promise(resolve => this.#server.close(resolve))
  }
}
