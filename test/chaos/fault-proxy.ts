import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

/**
 * What a network does to a connection. `cut` ends it and `reset` breaks it after so many bytes from the client,
 * `cut_answer` ends it right behind these words of the server; `blackhole` lets nothing pass any more, `half_open`
 * nothing that the server says, and neither tells anybody.
 */
export type NetworkFault =
  | { kind: 'delay'; ms: number }
  | { kind: 'cut' | 'reset'; afterBytes: number }
  | { kind: 'cut_answer'; after: string }
  | { kind: 'blackhole' | 'half_open' }

type Pair = { client: Socket; server: Socket }

/** Stands between a client and a server on this machine. Its fault can change at any time, for open connections too. */
export class FaultProxy implements AsyncDisposable {
  #fault: NetworkFault | undefined
  /** How often an answer was cut. */
  cuts = 0
  readonly #pairs = new Set<Pair>()
  readonly #target: number | string
  // Half of a connection may end while the other goes on.
  readonly #listener = createServer({ allowHalfOpen: true }, client => this.#join(client))

  private constructor(target: number | string) {
    this.#target = target
  }

  /** To a port of this machine, or a socket's path. */
  static async open(target: number | string): Promise<FaultProxy> {
    const proxy = new FaultProxy(target)
    proxy.#listener.listen(0, '127.0.0.1')
    await once(proxy.#listener, 'listening')
    return proxy
  }

  get fault(): NetworkFault | undefined {
    return this.#fault
  }

  /** Whose other side went away in silence is told so by the next sign of life (TCP's keepalive) that meets nobody. */
  set fault(fault: NetworkFault | undefined) {
    this.#fault = fault
    if (fault) return
    for (const { client, server } of this.#pairs) {
      if (client.destroyed || client.readableEnded) server.destroy()
      else if (server.destroyed || server.readableEnded) client.resetAndDestroy()
    }
  }

  get port(): number {
    return (this.#listener.address() as { port: number }).port
  }

  /** Those that a client holds. */
  get connections(): number {
    return [...this.#pairs].filter(({ client }) => !client.destroyed).length
  }

  /** Breaks every connection that is open now. */
  resetAll(): void {
    for (const { client, server } of this.#pairs) {
      client.resetAndDestroy()
      server.destroy()
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const { client, server } of this.#pairs) {
      client.destroy()
      server.destroy()
    }
    this.#listener.close()
    await once(this.#listener, 'close')
  }

  #join(client: Socket): void {
    const place =
      typeof this.#target === 'string' ? { path: this.#target } : { port: this.#target, host: '127.0.0.1' }
    const server = connect({ ...place, allowHalfOpen: true })
    const pair = { client, server }
    this.#pairs.add(pair)
    let passed = 0
    const isSilent = (from: Socket): boolean =>
      this.#fault?.kind === 'blackhole' || (this.#fault?.kind === 'half_open' && from === server)
    const pass = (from: Socket, to: Socket): void => {
      // One after the other, so that bytes keep their order when the fault changes.
      let before = Promise.resolve()
      const later = (work: () => void): void => {
        before = before
          .then(() => (this.#fault?.kind === 'delay' ? sleep(this.#fault.ms) : undefined))
          .then(work)
      }
      from.on('data', (chunk: Buffer) => {
        if (isSilent(from)) return
        if (from === client) passed += chunk.length
        const { fault } = this
        if (fault?.kind === 'cut_answer' && from === server && chunk.includes(fault.after)) {
          this.cuts += 1
          client.end(chunk.subarray(0, chunk.indexOf(fault.after) + fault.after.length))
          server.destroy()
          return
        }
        if ((fault?.kind !== 'cut' && fault?.kind !== 'reset') || passed <= fault.afterBytes) {
          later(() => void to.write(chunk))
          return
        }
        const rest = chunk.length - (passed - fault.afterBytes)
        if (from === client && rest > 0) server.write(chunk.subarray(0, rest))
        server.end()
        if (fault.kind === 'cut') client.end()
        else client.resetAndDestroy()
      })
      from.on('end', () => !isSilent(from) && later(() => to.end()))
      from.on('error', () => undefined)
      from.on('close', () => {
        // Nobody tells the other side while all is silent, so that one stays.
        if (to.destroyed) this.#pairs.delete(pair)
        else if (!isSilent(from)) to.destroy()
      })
    }
    pass(client, server)
    pass(server, client)
  }
}
