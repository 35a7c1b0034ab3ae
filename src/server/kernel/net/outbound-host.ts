import type { LookupAddress } from 'node:dns'
import { lookup } from 'node:dns/promises'
import type { RequestOptions } from 'node:http'
import { BlockList, isIP } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { domainToASCII } from 'node:url'
import { invalid, unavailable } from '../errors.ts'

/** An address to connect to directly, because resolving the name again could lead elsewhere (DNS rebinding). */
export type OutboundAddress = { address: string; family: 4 | 6 }

/** `true` allows any address; a list names hosts and addresses that may be private. */
export type AllowPrivate = boolean | readonly string[]

const LOOKUP_TIMEOUT_MS = 10_000

// Each family has its own list, because a BlockList matches IPv4 addresses, in their mapped form, against IPv6 rules.
const specialIpv4 = createBlockList('ipv4', [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['168.63.129.16', 32], // Azure's host agent: metadata behind an address that looks public
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
])

// No address outside 2000::/3 is global. Inside it, these ranges embed IPv4 addresses or are not routed.
const specialIpv6 = createBlockList('ipv6', [
  ['::', 3],
  ['4000::', 2],
  ['8000::', 1],
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['3fff::', 20],
])

function createBlockList(family: 'ipv4' | 'ipv6', subnets: [string, number][]): BlockList {
  const list = new BlockList()
  for (const [network, prefix] of subnets) list.addSubnet(network, prefix, family)
  return list
}

export function isPublicAddress(address: string): boolean {
  const family = isIP(address)
  if (family === 4) return !specialIpv4.check(address, 'ipv4')
  return family === 6 && !address.includes('%') && !specialIpv6.check(address, 'ipv6')
}

/**
 * Resolves a host that a user supplied, once. The caller connects to the returned address and uses the name only for
 * TLS, so that a later DNS change can't redirect it. Throws ValidationError when the host is malformed or private,
 * ServiceUnavailable when no address is found.
 */
export async function resolveOutboundHost(
  host: string,
  { allowPrivate }: { allowPrivate: AllowPrivate },
): Promise<OutboundAddress> {
  const name = normalizeHost(host)
  const allowed = typeof allowPrivate === 'boolean' ? [] : allowPrivate.map(entry => entry.toLowerCase())
  const isAllowed = (address: string) =>
    allowPrivate === true || allowed.includes(name) || allowed.includes(address) || isPublicAddress(address)

  const found = isIP(name) ? [{ address: name, family: isIP(name) }] : await resolveName(name)
  const permitted = found.find(({ address }) => isAllowed(address))
  if (!permitted) {
    throw invalid(
      'host',
      `${name} is a private or reserved address; the operator of this server can allow it`,
    )
  }
  return { address: permitted.address, family: permitted.family === 6 ? 6 : 4 }
}

/** Returns the host of a URL, without the brackets around an IPv6 address. */
export const toHostname = (url: URL): string => url.hostname.replace(/^\[|\]$/g, '')

/** Returns options for a request to that address; the host name is used only for TLS and the Host header. */
export const toRequestOptions = (
  url: URL,
  { address, family }: OutboundAddress,
  headers: Record<string, string>,
): RequestOptions & { servername?: string } => ({
  host: address,
  family,
  port: url.port || undefined,
  path: url.pathname + url.search,
  ...(isIP(toHostname(url)) === 0 && { servername: url.hostname }),
  headers: { ...headers, host: url.host, 'user-agent': 'Overture' },
  agent: false,
})

/**
 * Returns the canonical spelling of a name or address. Rejects ports, paths, zones, and alternative spellings of
 * addresses that a URL parser or resolver would accept (0x7f.1, 2130706433, ①②⑦.⓪.⓪.①).
 */
export function normalizeHost(host: string): string {
  if (isIP(host) && !host.includes('%')) return host.toLowerCase()
  const ascii = /^[\p{L}\p{M}\p{N}._-]+$/u.test(host) ? domainToASCII(host).replace(/\.$/, '') : ''
  const isName = ascii.length <= 253 && /^[a-z0-9_-]{1,63}(?:\.[a-z0-9_-]{1,63})*$/.test(ascii)
  if (!isName || isIP(ascii)) throw invalid('host', 'must be a host name or an IP address, without a port')
  return ascii
}

/** Lookups in flight, shared by name: each one occupies a thread until it ends. */
const inFlight = new Map<string, Promise<LookupAddress[]>>()

function lookUpShared(name: string): Promise<LookupAddress[]> {
  const found =
    inFlight.get(name) ?? lookup(name, { all: true, order: 'ipv4first' }).finally(() => inFlight.delete(name))
  inFlight.set(name, found)
  return found
}

async function resolveName(name: string): Promise<LookupAddress[]> {
  // getaddrinfo has no timeout.
  const timer = new AbortController()
  const deadline = sleep(LOOKUP_TIMEOUT_MS, undefined, { signal: timer.signal }).then(() => {
    throw new Error('the lookup timed out')
  })
  try {
    return await Promise.race([lookUpShared(name), deadline])
  } catch (cause) {
    throw unavailable(`No address was found for ${name}.`, cause)
  } finally {
    timer.abort()
  }
}
