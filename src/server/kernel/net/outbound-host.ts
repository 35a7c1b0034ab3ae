import type { LookupAddress } from 'node:dns'
import { lookup } from 'node:dns/promises'
import type { RequestOptions } from 'node:http'
import { BlockList, isIP } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { domainToASCII } from 'node:url'
import { invalid, unavailable } from '../errors.ts'

/** An address to connect to as it stands: looking the name up again could lead somewhere else. */
export type OutboundAddress = { address: string; family: 4 | 6 }

/** `true` for any address; a list names the hosts and addresses that may be private. */
export type AllowPrivate = boolean | readonly string[]

const lookupTimeoutMs = 10_000

// One list a family: a BlockList compares an IPv4 address with IPv6 rules in its mapped form.
const special4 = blockList('ipv4', [
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

// Only 2000::/3 is global; inside it, the ranges that carry an IPv4 address or lead nowhere.
const special6 = blockList('ipv6', [
  ['::', 3],
  ['4000::', 2],
  ['8000::', 1],
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['3fff::', 20],
])

function blockList(family: 'ipv4' | 'ipv6', subnets: [string, number][]): BlockList {
  const list = new BlockList()
  for (const [network, prefix] of subnets) list.addSubnet(network, prefix, family)
  return list
}

export function isPublicAddress(address: string): boolean {
  const family = isIP(address)
  if (family === 4) return !special4.check(address, 'ipv4')
  return family === 6 && !address.includes('%') && !special6.check(address, 'ipv6')
}

/**
 * Where a host that a user named may be reached. Looked up once; the caller connects to the answer
 * and keeps the name for TLS alone, so a name that changes its mind later gains nothing.
 * Throws `invalid` when the host is malformed or private, `unavailable` when no address is found.
 */
export async function resolveOutboundHost(
  host: string,
  { allowPrivate }: { allowPrivate: AllowPrivate },
): Promise<OutboundAddress> {
  const name = normalizeHost(host)
  const allowed = typeof allowPrivate === 'boolean' ? [] : allowPrivate.map(entry => entry.toLowerCase())
  const mayConnect = (address: string) =>
    allowPrivate === true || allowed.includes(name) || allowed.includes(address) || isPublicAddress(address)

  const found = isIP(name) ? [{ address: name, family: isIP(name) }] : await lookUp(name)
  const chosen = found.find(({ address }) => mayConnect(address))
  if (!chosen) {
    throw invalid(
      'host',
      `${name} is a private or reserved address; the operator of this server can allow it`,
    )
  }
  return { address: chosen.address, family: chosen.family === 6 ? 6 : 4 }
}

/** Without the brackets that an IPv6 address has in a URL. */
export const toHostname = (url: URL): string => url.hostname.replace(/^\[|\]$/g, '')

/** For a request of the URL at that very address; its host's name serves TLS and the header alone. */
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
 * One spelling for a name or address. Refuses what a URL parser or resolver would read as an address
 * although it is not written like one (0x7f.1, 2130706433, ①②⑦.⓪.⓪.①), ports, paths and zones.
 */
export function normalizeHost(host: string): string {
  if (isIP(host) && !host.includes('%')) return host.toLowerCase()
  const ascii = /^[\p{L}\p{M}\p{N}._-]+$/u.test(host) ? domainToASCII(host).replace(/\.$/, '') : ''
  const isName = ascii.length <= 253 && /^[a-z0-9_-]{1,63}(?:\.[a-z0-9_-]{1,63})*$/.test(ascii)
  if (!isName || isIP(ascii)) throw invalid('host', 'must be a host name or an IP address, without a port')
  return ascii
}

/** Look-ups under way: whoever asks for the same name waits for the same one, as each holds a thread until it ends. */
const underWay = new Map<string, Promise<LookupAddress[]>>()

function lookUpOnce(name: string): Promise<LookupAddress[]> {
  const found =
    underWay.get(name) ?? lookup(name, { all: true, order: 'ipv4first' }).finally(() => underWay.delete(name))
  underWay.set(name, found)
  return found
}

async function lookUp(name: string): Promise<LookupAddress[]> {
  // getaddrinfo knows no deadline of its own
  const timer = new AbortController()
  const deadline = sleep(lookupTimeoutMs, undefined, { signal: timer.signal }).then(() => {
    throw new Error('the look-up took too long')
  })
  try {
    return await Promise.race([lookUpOnce(name), deadline])
  } catch (cause) {
    throw unavailable(`No address was found for ${name}.`, cause)
  } finally {
    timer.abort()
  }
}
