import { hash } from 'node:crypto'
import { parse } from 'tldts'
import { loopbackHosts } from '../../kernel/config.ts'

/** Stored metadata of a client. All clients are public, so none has a secret. */
export type ClientMetadata = {
  client_id: string
  client_name: string
  redirect_uris: string[]
  application_type: 'web' | 'native'
  grant_types: ['authorization_code', 'refresh_token']
  response_types: ['code']
  token_endpoint_auth_method: 'none'
}

export class ClientMetadataError extends Error {
  readonly code: 'invalid_redirect_uri' | 'invalid_client_metadata'
  constructor(code: ClientMetadataError['code'], message: string) {
    super(message)
    this.code = code
  }
}

const MAX_URIS = 20
const MAX_URI_LENGTH = 2_000
const MAX_NAME_LENGTH = 80
/** Limit of the stored metadata of one client. */
const MAX_BYTES = 4096
/** Private-use schemes are reversed domain names, such as com.example.app (RFC 8252, section 7.1). */
const PRIVATE_SCHEME = /^[a-z]{2,}(\.[a-z0-9][a-z0-9-]*)+:$/
/**
 * Schemes that look like a reversed domain but open programs of the operating system, such as microsoft.windows.camera.
 */
const SYSTEM_SCHEME =
  /^(android|apple|chrome|data|microsoft|ms|office|skype|tel|windows|xbox|com\.(android|apple|microsoft))[.:]/
/**
 * Callbacks of well-known clients with other schemes. Only these URIs are allowed, because the schemes have other uses.
 */
const KNOWN_CALLBACKS = ['cursor://anysphere.cursor-mcp/oauth/callback']
/**
 * Matches a host without special characters. The host of a parsed URL may contain a semicolon, which would end a CSP
 * directive.
 */
const PLAIN_HOST = /^([a-z0-9_.-]+|\[[0-9a-f:.]+\])$/

export const isLoopback = (uri: string): boolean => {
  const url = URL.parse(uri)
  return url?.protocol === 'http:' && loopbackHosts.includes(url.hostname)
}

/** Returns the part of a redirect URI that people recognize: its host, or its scheme if that isn't http or https. */
export function toDisplayHost(redirectUri: string): string {
  const { protocol, host } = new URL(redirectUri)
  return protocol === 'https:' || protocol === 'http:' ? host : protocol
}

/**
 * Validates client metadata. The same name and redirect URIs always produce the same client ID. Throws
 * ClientMetadataError.
 */
export function parseClientMetadata(input: unknown, id?: string): ClientMetadata {
  if (typeof input !== 'object' || input === null || Array.isArray(input)) {
    throw new ClientMetadataError('invalid_client_metadata', 'The body must be a JSON object.')
  }
  const { redirect_uris, client_name, grant_types, response_types } = input as Record<string, unknown>
  requireValue('grant_types', grant_types, 'authorization_code')
  requireValue('response_types', response_types, 'code')
  const uris = parseRedirectUris(redirect_uris)
  const name = parseName(client_name)
  const metadata: ClientMetadata = {
    client_id: id ?? `ovc_${hash('sha256', JSON.stringify([name, uris]), 'base64url').slice(0, 32)}`,
    client_name: name,
    redirect_uris: uris,
    application_type: uris.every(uri => uri.startsWith('https:')) ? 'web' : 'native',
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    token_endpoint_auth_method: 'none',
  }
  if (Buffer.byteLength(JSON.stringify(metadata)) > MAX_BYTES) {
    throw new ClientMetadataError(
      'invalid_client_metadata',
      `The metadata must not exceed ${MAX_BYTES} bytes.`,
    )
  }
  return metadata
}

function requireValue(field: string, values: unknown, required: string): void {
  if (values === undefined || (Array.isArray(values) && values.includes(required))) return
  throw new ClientMetadataError('invalid_client_metadata', `${field} must include ${required}.`)
}

function parseRedirectUris(uris: unknown): string[] {
  if (!Array.isArray(uris) || uris.length === 0 || uris.length > MAX_URIS) {
    throw new ClientMetadataError('invalid_redirect_uri', `redirect_uris must contain 1 to ${MAX_URIS} URIs.`)
  }
  return [...new Set(uris.map(parseRedirectUri))].sort()
}

function parseRedirectUri(uri: unknown): string {
  const reject = (reason: string): never => {
    throw new ClientMetadataError(
      'invalid_redirect_uri',
      `${typeof uri === 'string' ? uri.slice(0, 200) : 'redirect_uris'}: ${reason}.`,
    )
  }
  if (typeof uri !== 'string') return reject('must be a string')
  if (uri.length > MAX_URI_LENGTH) return reject(`must not exceed ${MAX_URI_LENGTH} characters`)
  const url = URL.parse(uri)
  if (!url || /[\s\p{C}\\*]/u.test(uri)) return reject('must be a valid URI')
  if (uri.includes('#')) return reject('must not have a fragment')
  if (url.username || url.password || /^[a-z]+:\/\/[^/?]*@/i.test(uri))
    return reject('must not contain a user name')
  if (url.protocol === 'https:' || url.protocol === 'http:') {
    if (!PLAIN_HOST.test(url.hostname)) return reject('must have a plain host name')
    const isLocal = loopbackHosts.includes(url.hostname)
    if (url.protocol === 'https:' && isLocal) return reject('must use http for a loopback address')
    if (url.protocol === 'http:' && !isLocal) return reject('must use https, except for a loopback address')
  } else if (!isPrivateScheme(url.protocol) && !KNOWN_CALLBACKS.includes(uri)) {
    return reject('must use https, http with a loopback address, or a scheme such as com.example.app:')
  }
  // The provider compares URIs character by character; browsers normalize them.
  const [written, normalized] = [uri, url.href].map(text => text.toLowerCase())
  if (written !== normalized && `${written}/` !== normalized) return reject(`must be written as ${url.href}`)
  return uri
}

/**
 * Returns whether the scheme is a registrable domain in reverse. Schemes such as vnd.libreoffice.command only look
 * like one.
 */
function isPrivateScheme(protocol: string): boolean {
  if (!PRIVATE_SCHEME.test(protocol) || SYSTEM_SCHEME.test(protocol)) return false
  const { isIcann, domain } = parse(protocol.slice(0, -1).split('.').reverse().join('.'))
  return isIcann === true && domain !== null
}

function parseName(value: unknown): string {
  const name = typeof value === 'string' ? value.replace(/[\p{C}\s]+/gu, ' ').trim() : ''
  return name.slice(0, MAX_NAME_LENGTH).toWellFormed() || 'Unnamed application'
}
