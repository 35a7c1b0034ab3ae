import { type Config, getPublicUrl } from '../../kernel/config.ts'
import type { ErrorDetail } from '../../kernel/errors.ts'
import { isInternetHost } from '../../kernel/net/internet-host.ts'

const PATH = 'PUBLIC_URL'

type LinkErrors = { errors: ErrorDetail[]; warnings: ErrorDetail[] }

/**
 * Checks that recipients can open the opt-out links of this installation. A link they cannot open prevents the launch
 * if one of the mail servers is on the internet; servers in a private network, such as in a trial, only cause a
 * warning.
 */
export function findOptOutLinkErrors(
  config: Pick<Config, 'publicUrl' | 'port'>,
  mailServers: readonly string[],
): LinkErrors {
  const url = new URL(getPublicUrl(config))
  if (!isInternetHost(url.hostname)) {
    const message = `recipients cannot open the opt-out link in the emails: it leads to ${url.origin}, which only your own network can reach. Set PUBLIC_URL on the server to an https address on the internet.`
    const found = [{ path: PATH, message }]
    return mailServers.some(isInternetHost)
      ? { errors: found, warnings: [] }
      : { errors: [], warnings: found }
  }
  if (url.protocol === 'https:') return { errors: [], warnings: [] }
  const message = `the opt-out link in the emails leads to ${url.origin}, which is not encrypted: browsers warn about it, and mail apps show no unsubscribe button. Set PUBLIC_URL on the server to an https address.`
  return { errors: [], warnings: [{ path: PATH, message }] }
}
