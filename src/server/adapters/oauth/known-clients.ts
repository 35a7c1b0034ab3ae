import { type ClientMetadata, readClientMetadata } from './client-metadata.ts'

const client = (client_id: string, client_name: string, redirect_uris: string[]): ClientMetadata =>
  readClientMetadata({ client_name, redirect_uris }, client_id)

const claude = ['https://claude.ai/api/mcp/auth_callback', 'https://claude.com/api/mcp/auth_callback']
const chatGpt = ['https://chatgpt.com/connector_platform_oauth_redirect']
const loopback = ['http://127.0.0.1/callback', 'http://localhost/callback']

/** Applications that get the same client whoever registers them: their redirect URIs alone make them known. */
const presets = [client('claude', 'Claude', claude), client('chatgpt', 'ChatGPT', chatGpt)]

export const findPreset = (redirectUris: readonly string[]): ClientMetadata | undefined =>
  presets.find(({ redirect_uris }) => redirectUris.every(uri => redirect_uris.includes(uri)))

/**
 * Copies of what these applications publish of themselves, because their hosts answer servers with a riddle for
 * browsers now and then.
 */
const published = [
  client('https://claude.ai/oauth/mcp-oauth-client-metadata', 'Claude', claude),
  client('https://claude.ai/oauth/claude-code-client-metadata', 'Claude Code', loopback),
  client('https://chatgpt.com/oauth/client.json', 'ChatGPT', chatGpt),
  client('https://chatgpt.com/oauth/codex/client.json', 'Codex', loopback),
  client('https://vscode.dev/oauth/client-metadata.json', 'Visual Studio Code', [
    'http://127.0.0.1:33418/',
    'https://vscode.dev/redirect',
  ]),
]

const known = new Map([...presets, ...published].map(metadata => [metadata.client_id, metadata]))

export const findKnownClient = (id: string): ClientMetadata | undefined => known.get(id)
