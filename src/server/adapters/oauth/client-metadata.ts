import { hash } from 'node:crypto'
import { parse } from 'tldts'
import { loopbackHosts } from '../../kernel/config.ts'

/** What we keep of an application: all of them are public, so none has a secret. */
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
/** Of all that is kept of one application. */
const MAX_BYTES = 4096
/** Private-use schemes are reversed domain names, as in com.example.app (RFC 8252, section 7.1). */
const PRIVATE_SCHEME = /^[a-z]{2,}(\.[a-z0-9][a-z0-9-]*)+:$/
/** Where a system opens its own programs, though the name is below a real top-level domain: microsoft.windows.camera. */
const SYSTEM_SCHEME =
  /^(android|apple|chrome|data|microsoft|ms|office|skype|tel|windows|xbox|com\.(android|apple|microsoft))[.:]/
/** Callbacks of well-known clients with another scheme: the whole URI, because the same scheme opens other things too. */
const KNOWN_CALLBACKS = ['cursor://anysphere.cursor-mcp/oauth/callback']
/** A parsed URL may have more in its host, such as a semicolon, which would end a directive of a CSP. */
const PLAIN_HOST = /^([a-z0-9_.-]+|\[[0-9a-f:.]+\])$/

export const isLoopback = (uri: string): boolean => {
  const url = URL.parse(uri)
  return url?.protocol === 'http:' && loopbackHosts.includes(url.hostname)
}

/** Where a code goes, for a person to judge: a host, this computer, or the application of a scheme. */
export function hostOf(redirectUri: string): string {
  const { protocol, host } = new URL(redirectUri)
  return protocol === 'https:' || protocol === 'http:' ? host : protocol
}

/** Reads what an application says of itself. The same words always make the same client. */
export function readClientMetadata(given: unknown, id?: string): ClientMetadata {
  if (typeof given !== 'object' || given === null || Array.isArray(given)) {
    throw new ClientMetadataError('invalid_client_metadata', 'Send a JSON object.')
  }
  const { redirect_uris, client_name, grant_types, response_types } = given as Record<string, unknown>
  requireOneOf('grant_types', grant_types, 'authorization_code')
  requireOneOf('response_types', response_types, 'code')
  const uris = readRedirectUris(redirect_uris)
  const name = readName(client_name)
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
      `The metadata is longer than ${MAX_BYTES} bytes.`,
    )
  }
  return metadata
}

function requireOneOf(field: string, given: unknown, needed: string): void {
  if (given === undefined || (Array.isArray(given) && given.includes(needed))) return
  throw new ClientMetadataError('invalid_client_metadata', `${field} must hold ${needed}.`)
}

function readRedirectUris(given: unknown): string[] {
  if (!Array.isArray(given) || given.length === 0 || given.length > MAX_URIS) {
    throw new ClientMetadataError(
      'invalid_redirect_uri',
      `redirect_uris must hold 1 to ${MAX_URIS} addresses.`,
    )
  }
  return [...new Set(given.map(readRedirectUri))].sort()
}

function readRedirectUri(given: unknown): string {
  const refuse = (why: string): never => {
    throw new ClientMetadataError(
      'invalid_redirect_uri',
      `${typeof given === 'string' ? given.slice(0, 200) : 'One of redirect_uris'}: ${why}.`,
    )
  }
  if (typeof given !== 'string' || given.length > MAX_URI_LENGTH) return refuse('is no address')
  const url = URL.parse(given)
  if (!url || /[\s\p{C}\\*]/u.test(given)) return refuse('is no address')
  if (given.includes('#')) return refuse('may have no fragment')
  if (url.username || url.password || /^[a-z]+:\/\/[^/?]*@/i.test(given)) return refuse('may name no user')
  if (url.protocol === 'https:' || url.protocol === 'http:') {
    if (!PLAIN_HOST.test(url.hostname)) return refuse('must have a plain host name')
    const isLocal = loopbackHosts.includes(url.hostname)
    if (url.protocol === 'https:' && isLocal) return refuse('must use http on this computer')
    if (url.protocol === 'http:' && !isLocal) return refuse('must use https, except on this computer')
  } else if (!isPrivateScheme(url.protocol) && !KNOWN_CALLBACKS.includes(given)) {
    return refuse('must use https, http on this computer, or a reversed domain name such as com.example.app:')
  }
  // The provider compares character by character, and browsers follow what their parser makes of it.
  const [written, parsed] = [given, url.href].map(uri => uri.toLowerCase())
  if (written !== parsed && `${written}/` !== parsed) return refuse(`must be written as ${url.href}`)
  return given
}

/** A domain that somebody can register, in reverse. Names such as vnd.libreoffice.command look like one and are none. */
function isPrivateScheme(protocol: string): boolean {
  if (!PRIVATE_SCHEME.test(protocol) || SYSTEM_SCHEME.test(protocol)) return false
  const { isIcann, domain } = parse(protocol.slice(0, -1).split('.').reverse().join('.'))
  return isIcann === true && domain !== null
}

function readName(given: unknown): string {
  const name = typeof given === 'string' ? given.replace(/[\p{C}\s]+/gu, ' ').trim() : ''
  return name.slice(0, MAX_NAME_LENGTH).toWellFormed() || 'An application without a name'
}
