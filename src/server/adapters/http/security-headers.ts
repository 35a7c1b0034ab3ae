import type { Config } from '../../kernel/config.ts'

const ONE_YEAR_SECONDS = 31_536_000

/**
 * Returns the headers that every answer begins with. They allow a browser nothing; pages and files widen what they need.
 */
export function usualHeaders({ publicUrl }: Config, requestId: string): Record<string, string> {
  return {
    'x-request-id': requestId,
    'x-content-type-options': 'nosniff',
    'cache-control': 'no-store',
    'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
    'x-frame-options': 'DENY',
    // Some addresses hold a secret: an invitation's, a password link's.
    'referrer-policy': 'no-referrer',
    ...(publicUrl?.startsWith('https:') && {
      'strict-transport-security': `max-age=${ONE_YEAR_SECONDS}`,
    }),
  }
}
