import {
  Client,
  type OAuthClientProvider,
  StreamableHTTPClientTransport,
  UnauthorizedError,
} from '@modelcontextprotocol/client'
import type { Browser } from './browser.ts'

/** Connection data that a client application stores. */
export type StoredConnection = Partial<{
  client: object
  tokens: { access_token: string; refresh_token?: string }
  verifier: string
  discovery: object
}>

/** Connects with the SDK's own OAuth flow, with a browser that allows the request. */
export async function connectBySdk(
  url: string,
  browser: Browser,
  options: {
    mode?: 'auto' | 'legacy'
    redirectUri?: string
    clientMetadataUrl?: string
    stored?: StoredConnection
  } = {},
): Promise<{ client: Client; stored: StoredConnection; authorizationUrl: URL }> {
  const {
    mode = 'auto',
    redirectUri = 'http://localhost:7777/callback',
    clientMetadataUrl,
    stored = {},
  } = options
  let callbackUrl: URL | undefined
  let authorizationUrl: URL | undefined
  const authProvider = {
    redirectUrl: redirectUri,
    clientMetadataUrl,
    clientMetadata: { client_name: 'Test client', redirect_uris: [redirectUri] },
    clientInformation: () => stored.client,
    saveClientInformation: (client: object) => {
      stored.client = client
    },
    tokens: () => stored.tokens,
    saveTokens: (tokens: StoredConnection['tokens']) => {
      stored.tokens = tokens!
    },
    saveCodeVerifier: (verifier: string) => {
      stored.verifier = verifier
    },
    codeVerifier: () => stored.verifier!,
    discoveryState: () => stored.discovery,
    saveDiscoveryState: (state: object) => {
      stored.discovery = state
    },
    redirectToAuthorization: async (target: URL) => {
      authorizationUrl = target
      callbackUrl = new URL(await browser.decide(target.href))
    },
  } as unknown as OAuthClientProvider
  const open = () => ({
    client: new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode } }),
    transport: new StreamableHTTPClientTransport(new URL(url), { authProvider }),
  })
  const first = open()
  try {
    await first.client.connect(first.transport)
  } catch (error) {
    if (!(error instanceof UnauthorizedError)) throw error
  }
  await first.transport.finishAuth(callbackUrl!.searchParams)
  const second = open()
  await second.client.connect(second.transport)
  return { client: second.client, stored, authorizationUrl: authorizationUrl! }
}
