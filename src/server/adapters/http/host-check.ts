import { isIP } from 'node:net'
import { hostname } from 'node:os'
import type { FastifyRequest } from 'fastify'
import type { Config } from '../../kernel/config.ts'
import { AppError } from '../../kernel/errors.ts'

/** Load balancers ask these under names of their own, and the answers hold nothing worth protecting. */
const probes = ['/healthz', '/readyz']

/**
 * Refuses requests for a host name that is not ours, as a browser sends them after the name of a hostile page was
 * pointed at this server (DNS rebinding). Always accepted are IP addresses, which nobody can point elsewhere, and
 * requests without a host, which no browser sends.
 */
export function openHostCheck(config: Config): (request: FastifyRequest) => void {
  const isOurs = hostMatcher(config)
  return request => {
    // `request.host` is the X-Forwarded-Host of a trusted proxy. A page can send that header too, so it never replaces
    // the host that the browser asked for.
    const stranger = [request.headers.host ?? '', request.host].find(host => !isOurs(toHostName(host)))
    if (stranger === undefined || probes.includes(request.url.split('?')[0]!)) return
    throw new AppError(
      'Forbidden',
      `This server does not answer to the host name ${JSON.stringify(stranger.slice(0, 253))}. Set PUBLIC_URL to the address that people use, or add the name to ALLOWED_HOSTS.`,
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

/** Until a public address is set, people on the same network also reach the machine by its own name. */
function configuredNames({ publicUrl, host, allowedHosts }: Config): string[] {
  const own = publicUrl === undefined ? [hostname(), `${hostname()}.local`] : [new URL(publicUrl).host]
  return [...own, host, ...allowedHosts].map(toHostName)
}

/** The host without its port and the root's dot, in lower case. */
const toHostName = (host: string): string => host.replace(/:\d*$/, '').replace(/\.$/, '').toLowerCase()
