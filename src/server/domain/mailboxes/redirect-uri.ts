import { isIP } from 'node:net'
import { getPublicUrl, loopbackHosts } from '../../kernel/config.ts'
import type { App } from '../../kernel/context.ts'
import { conflict } from '../../kernel/errors.ts'

/** Returns the page of the web app to which Google and Microsoft redirect. */
export const getRedirectUri = ({ config }: Pick<App, 'config'>): string =>
  `${getPublicUrl(config)}/settings/senders/connected`

/** Returns why Google and Microsoft reject the redirect URI of this installation; undefined if they accept it. */
export function findRedirectUriProblem({ config }: Pick<App, 'config'>): string | undefined {
  const url = getPublicUrl(config)
  const { protocol, hostname } = new URL(url)
  const isAddress = isIP(hostname.replace(/^\[|\]$/g, '')) > 0
  if (loopbackHosts.includes(hostname) || (protocol === 'https:' && !isAddress)) return undefined
  return `Nobody can sign in with Google or Microsoft, because they accept only https URLs with a host name and this server is at ${url}. Give the server a host name with a certificate, set PUBLIC_URL to its https URL, and register the redirect URI again.`
}

export function requireRedirectUri(app: Pick<App, 'config'>): void {
  const problem = findRedirectUriProblem(app)
  if (problem) throw conflict(problem)
}
