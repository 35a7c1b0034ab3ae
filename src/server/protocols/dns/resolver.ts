import { Resolver } from 'node:dns/promises'

const ATTEMPT_TIMEOUT_MS = 2_000
const ATTEMPTS = 2
/** Time limit for all queries of one resolver together. */
const DEADLINE_MS = 15_000

/** A DNS resolver. Queries return nothing for a name without records, and throw DnsError when they fail. */
export type DnsResolver = Disposable & {
  txt: (name: string) => Promise<string[]>
  /** Returns hosts in order of preference. */
  mx: (name: string) => Promise<string[]>
  /** Returns services by priority and weight; empty if the domain declares that it has none. */
  srv: (name: string) => Promise<{ host: string; port: number }[]>
  hasAddress: (name: string) => Promise<boolean>
}

export class DnsError extends Error {
  override name = 'DnsError'
}

/**
 * Opens a resolver that queries `servers` (`address` or `address:port`), or the system's servers if there are none.
 * Queries fail once `deadlineMs` have passed since the resolver was opened.
 */
export function openDns(servers: readonly string[], deadlineMs = DEADLINE_MS): DnsResolver {
  const resolver = new Resolver({ timeout: ATTEMPT_TIMEOUT_MS, tries: ATTEMPTS })
  if (servers.length > 0) resolver.setServers(servers)
  const deadline = setTimeout(() => resolver.cancel(), deadlineMs)
  const resolve = async <T>(query: Promise<T[]>): Promise<T[]> => {
    try {
      return await query
    } catch (cause) {
      const code = (cause as NodeJS.ErrnoException).code ?? ''
      if (code === 'ENOTFOUND' || code === 'ENODATA') return []
      throw new DnsError(`DNS query failed (${code})`, { cause })
    }
  }
  return {
    txt: async name => (await resolve(resolver.resolveTxt(name))).map(parts => parts.join('')),
    mx: async name =>
      (await resolve(resolver.resolveMx(name)))
        .toSorted((a, b) => a.priority - b.priority)
        .map(({ exchange }) => exchange),
    srv: async name =>
      (await resolve(resolver.resolveSrv(name)))
        .toSorted((a, b) => a.priority - b.priority || b.weight - a.weight)
        .filter(({ name }) => name !== '' && name !== '.')
        .map(({ name, port }) => ({ host: name, port })),
    hasAddress: async name =>
      (await resolve(resolver.resolve4(name))).length > 0 ||
      (await resolve(resolver.resolve6(name))).length > 0,
    [Symbol.dispose]: () => {
      clearTimeout(deadline)
      resolver.cancel()
    },
  }
}
