import type { App } from '../../kernel/context.ts'
import { ImapConnection, ImapError, type ImapSettings } from '../../protocols/imap/imap-connection.ts'
import { type AccessOptions, getAccessToken } from './access-token.ts'
import { type StoredImapSettings, toImapTransport } from './imap-settings.ts'

/**
 * Connects to a mailbox's IMAP server and signs in with its password or an access token. When the server rejects a
 * token that should be valid, tries once with a new one. Throws ImapError.
 */
export async function openImap(
  app: App,
  stored: StoredImapSettings,
  {
    ignoresBackoff,
    ...settings
  }: Pick<ImapSettings, 'signal' | 'timeouts'> & Omit<AccessOptions, 'rejected'>,
): Promise<ImapConnection> {
  const transport = { ...toImapTransport(app, stored), ...settings }
  if (stored.password) return ImapConnection.open(transport)
  const getToken = async (rejected?: string): Promise<string> => {
    const access = await getAccessToken(app, stored, { rejected, ignoresBackoff })
    if ('token' in access) return access.token
    const isRefused = access.error.class !== 'transient'
    throw Object.assign(new ImapError(access.error.reason), { isSignInRefused: isRefused })
  }
  const accessToken = await getToken()
  try {
    return await ImapConnection.open({ ...transport, accessToken })
  } catch (error) {
    if (!(error instanceof ImapError && error.isSignInRefused)) throw error
    return ImapConnection.open({ ...transport, accessToken: await getToken(accessToken) })
  }
}
