import {
  Client,
  type OAuthClientProvider,
  StreamableHTTPClientTransport,
  UnauthorizedError,
} from '@modelcontextprotocol/client'
import type { Browser } from './browser.ts'

/** Connection data that a client application stores. */
export type Kept = Partial<{
  client: object
  tokens: { access_token: string; refresh_token?: string }
  verifier: string
  discovery: object
}>

/** Connects with the SDK's own OAuth flow, with a browser that allows the request. */
export async function connectBySdk(
  url: string,
  browser: Browser,
  options: { mode?: 'auto' | 'legacy'; redirectUri?: string; clientMetadataUrl?: string; kept?: Kept } = {},
): Promise<{ client: Client; kept: Kept; asked: URL }> {
  const {
    mode = 'auto',
    redirectUri = 'http://localhost:7777/callback',
    clientMetadataUrl,
    kept = {},
  } = options
  let back: URL | undefined
  let asked: URL | undefined
  const authProvider = {
    redirectUrl: redirectUri,
    clientMetadataUrl,
    clientMetadata: { client_name: 'Test client', redirect_uris: [redirectUri] },
    clientInformation: () => kept.client,
    saveClientInformation: (client: object) => {
      kept.client = client
    },
    tokens: () => kept.tokens,
    saveTokens: (tokens: Kept['tokens']) => {
      kept.tokens = tokens!
    },
    saveCodeVerifier: (verifier: string) => {
      kept.verifier = verifier
    },
    codeVerifier: () => kept.verifier!,
    discoveryState: () => kept.discovery,
    saveDiscoveryState: (state: object) => {
      kept.discovery = state
    },
    redirectToAuthorization: async (at: URL) => {
      asked = at
      back = new URL(await browser.allow(at.href))
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
  await first.transport.finishAuth(back!.searchParams)
  const second = open()
  await second.client.connect(second.transport)
  return { client: second.client, kept, asked: asked! }
}
