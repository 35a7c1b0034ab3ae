import { type ClientMetadata, parseClientMetadata } from './client-metadata.ts'

const toClient = (client_id: string, client_name: string, redirect_uris: string[]): ClientMetadata =>
  parseClientMetadata({ client_name, redirect_uris }, client_id)

const claude = ['https://claude.ai/api/mcp/auth_callback', 'https://claude.com/api/mcp/auth_callback']
const chatGpt = ['https://chatgpt.com/connector_platform_oauth_redirect']
const loopback = ['http://127.0.0.1/callback', 'http://localhost/callback']

/** Clients with a fixed ID, recognized by their redirect URIs when they register. */
const presets = [toClient('claude', 'Claude', claude), toClient('chatgpt', 'ChatGPT', chatGpt)]

export const findPresetClient = (redirectUris: readonly string[]): ClientMetadata | undefined =>
  presets.find(({ redirect_uris }) => redirectUris.every(uri => redirect_uris.includes(uri)))

/**
 * Copies of published client metadata documents. They are not fetched, because their hosts sometimes block servers as
 * bots.
 */
const publishedClients = [
  toClient('https://claude.ai/oauth/mcp-oauth-client-metadata', 'Claude', claude),
  toClient('https://claude.ai/oauth/claude-code-client-metadata', 'Claude Code', loopback),
  toClient('https://chatgpt.com/oauth/client.json', 'ChatGPT', chatGpt),
  toClient('https://chatgpt.com/oauth/codex/client.json', 'Codex', loopback),
  toClient('https://vscode.dev/oauth/client-metadata.json', 'Visual Studio Code', [
    'http://127.0.0.1:33418/',
    'https://vscode.dev/redirect',
  ]),
]

const knownClients = new Map(
  [...presets, ...publishedClients].map(metadata => [metadata.client_id, metadata]),
)

export const findKnownClient = (id: string): ClientMetadata | undefined => knownClients.get(id)
