import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { openAccess } from './accounts/access.ts'
import type { Config } from './config.ts'
import type { App } from './context.ts'
import { openSandbox } from './email/sandbox.ts'
import { openEngine } from './engine/loop.ts'
import { openRateLimits } from './http/rate-limits.ts'
import { openHttp } from './http/server.ts'
import type { Installation } from './installation.ts'

/** A running server; disposing it stops taking work, lets what is under way end (bounded), then closes. */
export type Running = AsyncDisposable & { app: App; url: string | undefined }

/** Starts the roles of this process on an opened installation: `web` answers requests, `engine` sends. */
export async function serve(config: Config, installation: Installation): Promise<Running> {
  await using opened = new AsyncDisposableStack()
  let { app } = installation
  let url: string | undefined
  if (config.roles.includes('engine')) {
    const sandbox = opened.use(await openSandbox({ dir: join(installation.dataDir, 'sandbox') }))
    app = { ...app, sandbox }
    opened.use(openEngine(app))
  }
  if (config.roles.includes('web')) {
    const access = opened.use(await openAccess(app))
    const limits = opened.use(openRateLimits(config, app.log))
    const server = await openHttp(app, { access, limits })
    opened.defer(() => server.close())
    await server.listen({ port: config.port, host: config.host })
    const { port } = server.server.address() as AddressInfo
    url = config.publicUrl ?? `http://${config.host.includes(':') ? `[${config.host}]` : config.host}:${port}`
  }
  const all = opened.move()
  return { app, url, [Symbol.asyncDispose]: () => all.disposeAsync() }
}
