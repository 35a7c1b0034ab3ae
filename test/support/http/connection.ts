import { randomUUID, randomUUIDv7 } from 'node:crypto'
import { type CallToolResult, Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { importJWK, type JWTPayload, SignJWT } from 'jose'
import { getIssuer } from '../../../src/server/adapters/oauth/issuer.ts'
import { openSigningKeys } from '../../../src/server/adapters/oauth/signing-keys.ts'
import { storeGrant } from '../../../src/server/domain/auth/grants.ts'
import type { App } from '../../../src/server/kernel/context.ts'

/** A connected client: a user's grant and an access token for it. */
export type TestConnection = { grantId: string; token: string }

/** Creates a connection directly, without the OAuth flow. `claims` override the token's claims. */
export async function connectAs(
  app: Pick<App, 'config' | 'db' | 'keys' | 'now'>,
  { userId, accountId }: { userId: string; accountId: string },
  {
    scopes = ['outreach.read', 'outreach.write'],
    claims = {},
    header = {},
  }: { scopes?: string[]; claims?: JWTPayload; header?: object } = {},
): Promise<TestConnection> {
  const grantId = randomUUIDv7()
  await storeGrant(app.db.auth, {
    id: grantId,
    accountId,
    userId,
    clientId: 'test-client',
    clientName: 'Test',
    clientHost: 'client.example',
    scopes,
    payload: {},
    expiresAt: new Date('2100-01-01'),
  })
  const { jwks } = await openSigningKeys(app)()
  const token = await new SignJWT({
    sub: userId,
    iss: getIssuer(app),
    aud: `${getIssuer(app)}/mcp`,
    jti: randomUUID(),
    client_id: 'test-client',
    grant_id: grantId,
    scope: scopes.join(' '),
    iat: Math.floor(Date.now() / 1000),
    exp: Math.floor(Date.now() / 1000) + 1800,
    ...claims,
  })
    .setProtectedHeader({ alg: 'ES256', typ: 'at+jwt', kid: jwks[0]!.kid!, ...header })
    .sign(await importJWK(jwks[0]!, 'ES256'))
  return { grantId, token }
}

/** Opens an MCP client for the 2026 protocol, or the 2025 protocol with `legacy`. */
export async function openClient(
  url: string,
  token: string,
  mode: 'auto' | 'legacy' = 'auto',
): Promise<Client> {
  const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode } })
  const requestInit = { headers: { authorization: `Bearer ${token}` } }
  await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit }))
  return client
}

export const callTool = async (client: Client, name: string, args: object): Promise<CallToolResult> =>
  (await client.callTool({ name, arguments: { ...args } })) as CallToolResult

/** Returns the text of a tool's result. */
export const getText = ({ content }: CallToolResult): string => (content[0] as { text: string }).text
