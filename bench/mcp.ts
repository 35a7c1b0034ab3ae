import type { App } from '../src/server/kernel/context.ts'
import { connectAs } from '../test/support/http/connection.ts'
import { freePort } from '../test/support/processes/ports.ts'
import type { Target } from './measure.ts'
import { overture, startServer } from './process.ts'
import type { Pair } from './rig.ts'
import type { World } from './seed.ts'

/** A tool that reads one row, through ours and through the SDK's bare server, each as a process of its own. */
export async function openMcpRig(
  app: App,
  { dataDir, world }: { dataDir: string; world: World },
): Promise<AsyncDisposable & { pair: Pair; pid: number }> {
  await using opened = new AsyncDisposableStack()
  const port = await freePort()
  const publicUrl = `http://localhost:${port}`
  const ours = opened.use(
    await startServer(
      [overture, 'serve', '--json', '--port', `${port}`, '--data', dataDir, '--role', 'web'],
      {
        PUBLIC_URL: publicUrl,
        // The bucket of an assistant would be empty after a moment.
        RATE_LIMIT_PER_MINUTE: '0',
      },
    ),
  )
  const bare = opened.use(await startServer([process.execPath, 'bare-mcp.ts'], {}))
  const { token } = await connectAs({ ...app, config: { ...app.config, publicUrl } }, world)
  const call = (url: string, headers: Record<string, string>): Target => ({
    url,
    headers: {
      ...headers,
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': '2025-11-25',
    },
    nextBody: () =>
      JSON.stringify({
        jsonrpc: '2.0',
        id: 1,
        method: 'tools/call',
        params: { name: 'get_campaign', arguments: { campaignId: world.emptyCampaignId } },
      }),
  })
  const all = opened.move()
  return {
    pid: ours.pid,
    pair: {
      name: 'mcp-call',
      ours: { target: call(`${ours.url}/v1/mcp`, { authorization: `Bearer ${token}` }), pid: ours.pid },
      limit: { target: call(bare.url, {}), pid: bare.pid },
    },
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  }
}
