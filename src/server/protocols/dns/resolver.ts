import { Resolver } from 'node:dns/promises'

const TRY_MS = 2_000
const TRIES = 2
/** For everything that is asked through one of them. */
const DEADLINE_MS = 15_000

/** What the DNS says; nothing where it says that there is nothing. Throws DnsError when it can't be asked. */
export type DnsResolver = Disposable & {
  txt: (name: string) => Promise<string[]>
  mx: (name: string) => Promise<string[]>
  hasAddress: (name: string) => Promise<boolean>
}

export class DnsError extends Error {
  override name = 'DnsError'
}

/** `servers` as `address` or `address:port`; those of the system when there is none. */
export function openDns(servers: readonly string[]): DnsResolver {
  const resolver = new Resolver({ timeout: TRY_MS, tries: TRIES })
  if (servers.length > 0) resolver.setServers(servers)
  const deadline = setTimeout(() => resolver.cancel(), DEADLINE_MS)
  const ask = async <T>(asked: Promise<T[]>): Promise<T[]> => {
    try {
      return await asked
    } catch (cause) {
      const code = (cause as NodeJS.ErrnoException).code ?? ''
      if (code === 'ENOTFOUND' || code === 'ENODATA') return []
      throw new DnsError(`the DNS gives no answer (${code})`, { cause })
    }
  }
  return {
    txt: async name => (await ask(resolver.resolveTxt(name))).map(parts => parts.join('')),
    mx: async name => (await ask(resolver.resolveMx(name))).map(({ exchange }) => exchange),
    hasAddress: async name =>
      (await ask(resolver.resolve4(name))).length > 0 || (await ask(resolver.resolve6(name))).length > 0,
    [Symbol.dispose]: () => {
      clearTimeout(deadline)
      resolver.cancel()
    },
  }
}
