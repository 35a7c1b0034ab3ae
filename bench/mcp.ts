import type { App } from '../src/server/kernel/context.ts'
import { connectAs } from '../test/support/http/connection.ts'
import { findFreePort } from '../test/support/processes/ports.ts'
import type { Target } from './measure.ts'
import { overture, startServer } from './process.ts'
import type { Pair } from './request-pairs.ts'
import type { SeededIds } from './seed.ts'

/** Starts our server and the baseline to compare an MCP tool that reads one row. */
export async function openMcpPair(
  app: App,
  { dataDir, ids }: { dataDir: string; ids: SeededIds },
): Promise<AsyncDisposable & { pair: Pair; pid: number }> {
  await using opened = new AsyncDisposableStack()
  const port = await findFreePort()
  const publicUrl = `http://localhost:${port}`
  const ours = opened.use(
    await startServer(
      [overture, 'serve', '--json', '--port', `${port}`, '--data', dataDir, '--role', 'web'],
      {
        PUBLIC_URL: publicUrl,
        // The rate limit of an MCP client would be reached immediately.
        RATE_LIMIT_PER_MINUTE: '0',
      },
    ),
  )
  const baseline = opened.use(await startServer([process.execPath, 'baseline-mcp.ts'], {}))
  const { token } = await connectAs({ ...app, config: { ...app.config, publicUrl } }, ids)
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
        params: { name: 'get_campaign', arguments: { campaignId: ids.emptyCampaignId } },
      }),
  })
  const servers = opened.move()
  return {
    pid: ours.pid,
    pair: {
      name: 'mcp-call',
      ours: { target: call(`${ours.url}/v1/mcp`, { authorization: `Bearer ${token}` }), pid: ours.pid },
      baseline: { target: call(baseline.url, {}), pid: baseline.pid },
    },
    [Symbol.asyncDispose]: () => servers.disposeAsync(),
  }
}
