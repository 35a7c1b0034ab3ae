import type { DatabaseConnection } from '../../../src/server/kernel/db/database.ts'
import { FaultProxy } from '../../chaos/fault-proxy.ts'

/** Opens a proxy to the same database through a network that can fail. */
export async function openDatabaseProxy(
  connection: DatabaseConnection,
): Promise<AsyncDisposable & { proxy: FaultProxy; connection: DatabaseConnection }> {
  const url = 'url' in connection ? new URL(connection.url) : undefined
  const { host, port } =
    'options' in connection ? connection.options : { host: '', port: Number(url!.port || 5432) }
  const proxy = await FaultProxy.open(host.startsWith('/') ? `${host}/.s.PGSQL.${port}` : port)
  if (url) url.host = `127.0.0.1:${proxy.port}`
  return {
    proxy,
    connection:
      'url' in connection
        ? { url: url!.href }
        : { options: { ...connection.options, host: '127.0.0.1', port: proxy.port } },
    [Symbol.asyncDispose]: () => proxy[Symbol.asyncDispose](),
  }
}
