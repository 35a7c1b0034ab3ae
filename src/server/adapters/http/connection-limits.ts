import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import type { App } from '../../kernel/context.ts'
import { createAddressCheck } from '../../kernel/net/address-check.ts'
import { toNetwork } from './to-network.ts'

const WARN_INTERVAL_MS = 60_000

/**
 * Limits a server's open connections, in total and per address. Resets excess connections before reading a byte. The
 * limit per address does not apply to trusted proxies, because they carry many clients.
 */
export function limitConnections(server: Server, { config, log, metrics }: App): void {
  const isProxy = createAddressCheck(config.trustedProxies)
  const open = new Map<string, number>()
  let warnedAt = Number.NEGATIVE_INFINITY
  const report = (limit: 'address' | 'total', address = '') => {
    metrics.refusedConnections.inc({ limit })
    if (performance.now() - warnedAt < WARN_INTERVAL_MS) return
    warnedAt = performance.now()
    const setting = limit === 'total' ? 'MAX_CONNECTIONS' : 'MAX_CONNECTIONS_PER_ADDRESS'
    log.warn({ address }, `http: refused a connection beyond ${setting}`)
  }
  server.maxConnections = config.maxConnections
  server.on('drop', data => report('total', data?.remoteAddress))
  // Runs before Node's own listener, which starts reading.
  server.prependListener('connection', (socket: Socket) => {
    const { remoteAddress = '' } = socket
    if (isProxy(remoteAddress)) return
    const network = toNetwork(remoteAddress)
    const count = open.get(network) ?? 0
    if (count >= config.maxConnectionsPerAddress) {
      socket.resetAndDestroy()
      return report('address', remoteAddress)
    }
    open.set(network, count + 1)
    socket.once('close', () => {
      const left = open.get(network)! - 1
      if (left > 0) open.set(network, left)
      else open.delete(network)
    })
  })
}
