import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

/**
 * A network fault. `cut` closes and `reset` resets the connection after this many bytes from the client;
 * `cut_response` closes the connection right after this text from the server. `blackhole` silently drops all data, and
 * `half_open` drops data from the server.
 */
export type NetworkFault =
  | { kind: 'delay'; ms: number }
  | { kind: 'cut' | 'reset'; afterBytes: number }
  | { kind: 'cut_response'; after: string }
  | { kind: 'blackhole' | 'half_open' }

type Pair = { client: Socket; server: Socket }

/** A TCP proxy to a local server. Its fault can change at any time, and applies to open connections too. */
export class FaultProxy implements AsyncDisposable {
  #fault: NetworkFault | undefined
  /** Number of responses cut so far. */
  cuts = 0
  readonly #pairs = new Set<Pair>()
  readonly #target: number | string
  // One direction of a connection may end while the other stays open.
  readonly #listener = createServer({ allowHalfOpen: true }, client => this.#connect(client))

  private constructor(target: number | string) {
    this.#target = target
  }

  /** Opens a proxy to a local port or socket path. */
  static async open(target: number | string): Promise<FaultProxy> {
    const proxy = new FaultProxy(target)
    proxy.#listener.listen(0, '127.0.0.1')
    await once(proxy.#listener, 'listening')
    return proxy
  }

  get fault(): NetworkFault | undefined {
    return this.#fault
  }

  /** Sets the fault. Clearing it closes connections whose other side is gone, as a TCP keepalive probe would. */
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

  /** Number of connections that clients hold open. */
  get connections(): number {
    return [...this.#pairs].filter(({ client }) => !client.destroyed).length
  }

  /** Resets every open connection. */
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

  #connect(client: Socket): void {
    const address =
      typeof this.#target === 'string' ? { path: this.#target } : { port: this.#target, host: '127.0.0.1' }
    const server = connect({ ...address, allowHalfOpen: true })
    const pair = { client, server }
    this.#pairs.add(pair)
    let passed = 0
    const isSilent = (from: Socket): boolean =>
      this.#fault?.kind === 'blackhole' || (this.#fault?.kind === 'half_open' && from === server)
    const pass = (from: Socket, to: Socket): void => {
      // Chained, so that bytes keep their order when the fault changes.
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
        if (fault?.kind === 'cut_response' && from === server && chunk.includes(fault.after)) {
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
        // While the network is silent, the other side doesn't notice the close.
        if (to.destroyed) this.#pairs.delete(pair)
        else if (!isSilent(from)) to.destroy()
      })
    }
    pass(client, server)
    pass(server, client)
  }
}
