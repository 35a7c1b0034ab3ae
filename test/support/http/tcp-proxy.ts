import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'

/** A function that transforms data before it is forwarded; undefined closes the connection. */
type Transform = (data: Buffer) => Buffer | undefined | Promise<Buffer>
export type ProxyOptions = { toServer?: Transform; toClient?: Transform }

/** Opens a TCP proxy to a local server. */
export async function openTcpProxy(
  target: number,
  { toServer = data => data, toClient = data => data }: ProxyOptions,
): Promise<AsyncDisposable & { port: number }> {
  const sockets = new Set<Socket>()
  const server = createServer(client => {
    const upstream = connect(target, '127.0.0.1')
    const end = () => [client, upstream].map(each => each.destroy())
    const pass = (from: Socket, to: Socket, through: Transform) => {
      sockets.add(from)
      from.on('error', () => undefined).on('close', end)
      let before = Promise.resolve()
      from.on('data', (data: Buffer) => {
        before = before.then(async () => {
          const passed = await through(data)
          if (passed) to.write(passed)
          else end()
        })
      })
    }
    pass(client, upstream, toServer)
    pass(upstream, client, toClient)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    port: (server.address() as { port: number }).port,
    [Symbol.asyncDispose]: async () => {
      for (const socket of sockets) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}
