import { type OAuthMode, OAuthServer, type TokenReaction } from '../support/mail/oauth-server.ts'

const faults = ['unavailable', 'throttled', 'lost', 'cut'] as const satisfies TokenReaction[]
const FAULT_RATE = 0.3

/**
 * Opens an OAuth server whose token endpoint often fails: it is unavailable, limits requests, or loses its response
 * after issuing tokens. No grant is ever revoked.
 */
export async function openFaultyOAuth(
  random: () => number,
  mode: OAuthMode = 'microsoft',
): Promise<OAuthServer> {
  const oauth = await OAuthServer.open(mode)
  oauth.onToken = () => (random() < FAULT_RATE ? faults[Math.floor(random() * faults.length)] : undefined)
  return oauth
}

/** Reads the user name and the access token from `AUTH XOAUTH2`. */
export function readXoauth2(line: string): { user: string; token: string } {
  const text = Buffer.from(line.split(' ')[2] ?? '', 'base64').toString()
  const [user = '', token = ''] = text.split('\x01')
  return { user: user.replace(/^user=/, ''), token: token.replace(/^auth=Bearer /, '') }
}
