import type { Connection } from '../../src/server/db.ts'
import { FaultProxy } from '../chaos/fault-proxy.ts'

/** A way to the same database over a network that can fail. */
export async function openDatabaseProxy(
  connection: Connection,
): Promise<AsyncDisposable & { proxy: FaultProxy; connection: Connection }> {
  const url = 'url' in connection ? new URL(connection.url) : undefined
  const options = 'options' in connection ? connection.options : {}
  const port = Number(url?.port || (options.port ?? 5432))
  const proxy = await FaultProxy.open(options.path ? String(options.path) : port)
  if (url) url.host = `127.0.0.1:${proxy.port}`
  const { path: _, ...others } = options
  return {
    proxy,
    connection: url ? { url: url.href } : { options: { ...others, host: '127.0.0.1', port: proxy.port } },
    [Symbol.asyncDispose]: () => proxy[Symbol.asyncDispose](),
  }
}
