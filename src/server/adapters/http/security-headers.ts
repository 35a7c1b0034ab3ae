import type { Config } from '../../kernel/config.ts'

const ONE_YEAR_SECONDS = 31_536_000

/**
 * Returns the default headers of every response. They block everything in browsers; pages and files override them
 * where needed.
 */
export function defaultHeaders({ publicUrl }: Config, requestId: string): Record<string, string> {
  return {
    'x-request-id': requestId,
    'x-content-type-options': 'nosniff',
    'cache-control': 'no-store',
    'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
    'x-frame-options': 'DENY',
    // Invitation and password links contain a secret.
    'referrer-policy': 'no-referrer',
    ...(publicUrl?.startsWith('https:') && {
      'strict-transport-security': `max-age=${ONE_YEAR_SECONDS}`,
    }),
  }
}
