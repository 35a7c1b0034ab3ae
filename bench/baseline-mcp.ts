import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createMcpHandler, McpServer } from '@modelcontextprotocol/server'
import { z } from 'zod'

/** The baseline of `mcp-call`: the SDK's server with one empty tool, without tokens, a database or rate limits. */
const handler = createMcpHandler(() => {
  const server = new McpServer({ name: 'baseline', version: '1.0.0' })
  const inputSchema = z.object({ campaignId: z.string() })
  server.registerTool('get_campaign', { inputSchema }, () => ({ content: [{ type: 'text', text: '{}' }] }))
  return server
})

const server = createServer((request, response) => {
  const parts: Buffer[] = []
  request.on('data', part => parts.push(part))
  request.on('end', async () => {
    const result = await handler.fetch(
      new Request('http://localhost/mcp', {
        method: 'POST',
        headers: request.headers as Record<string, string>,
        body: Buffer.concat(parts),
      }),
    )
    response.writeHead(result.status, Object.fromEntries(result.headers)).end(await result.text())
  })
})
server.listen(0, '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo
  console.log(JSON.stringify({ url: `http://127.0.0.1:${port}` }))
})
