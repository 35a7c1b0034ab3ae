import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'

/** What goes through, as it is to be passed on; undefined ends the connection. */
export type InBetween = {
  asked?: (words: Buffer) => Buffer | undefined
  answered?: (words: Buffer) => Buffer | undefined
}

/** Stands between a client and a server of this machine. */
export async function openInBetween(
  target: number,
  { asked = words => words, answered = words => words }: InBetween,
): Promise<AsyncDisposable & { port: number }> {
  const sockets = new Set<Socket>()
  const server = createServer(client => {
    const upstream = connect(target, '127.0.0.1')
    const end = () => [client, upstream].map(each => each.destroy())
    const pass = (from: Socket, to: Socket, through: (words: Buffer) => Buffer | undefined) => {
      sockets.add(from)
      from.on('error', () => undefined).on('close', end)
      from.on('data', (words: Buffer) => {
        const passed = through(words)
        if (passed) to.write(passed)
        else end()
      })
    }
    pass(client, upstream, asked)
    pass(upstream, client, answered)
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
