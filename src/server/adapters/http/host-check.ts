import { isIP } from 'node:net'
import { hostname } from 'node:os'
import type { FastifyRequest } from 'fastify'
import type { Config } from '../../kernel/config.ts'
import { AppError } from '../../kernel/errors.ts'

/** Load balancers use their own host names, and these responses contain nothing to protect. */
const probes = ['/healthz', '/readyz']

/**
 * Returns a check that rejects requests for unknown host names. Browsers send them when a hostile page has pointed its
 * own host name at this server (DNS rebinding). IP addresses, which cannot be repointed, and requests without a host
 * are always accepted.
 */
export function openHostCheck(config: Config): (request: FastifyRequest) => void {
  const isOurs = hostMatcher(config)
  return request => {
    // Behind a trusted proxy, `request.host` is X-Forwarded-Host. Pages can send that header too, so both are checked.
    const unknownHost = [request.headers.host ?? '', request.host].find(host => !isOurs(toHostName(host)))
    if (unknownHost === undefined || probes.includes(request.url.split('?')[0]!)) return
    throw new AppError(
      'Forbidden',
      `This server does not answer to the host name ${JSON.stringify(unknownHost.slice(0, 253))}. Set PUBLIC_URL to the URL people use, or add the name to ALLOWED_HOSTS.`,
    )
  }
}

function hostMatcher(config: Config): (name: string) => boolean {
  const names = new Set(['', 'localhost', ...configuredNames(config)])
  const suffixes = ['.localhost', ...config.allowedHosts.filter(host => host.startsWith('.'))]
  return name =>
    names.has(name) ||
    isIP(name.replace(/^\[|\]$/g, '')) !== 0 ||
    suffixes.some(suffix => `.${name}`.endsWith(suffix))
}

/** Returns the accepted names. Without a public URL, people on the same network also use the machine's own name. */
function configuredNames({ publicUrl, host, allowedHosts }: Config): string[] {
  const own = publicUrl === undefined ? [hostname(), `${hostname()}.local`] : [new URL(publicUrl).host]
  return [...own, host, ...allowedHosts].map(toHostName)
}

/** Returns the host in lower case, without port or trailing dot. */
const toHostName = (host: string): string => host.replace(/:\d*$/, '').replace(/\.$/, '').toLowerCase()
