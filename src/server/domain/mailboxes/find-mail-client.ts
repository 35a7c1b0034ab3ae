import type { App } from '../../kernel/context.ts'
import { decrypt } from '../../kernel/crypto.ts'
import type { Sql } from '../../kernel/db/database.ts'
import type { MailClient, MailClientKind } from '../../protocols/mail-oauth/provider.ts'

/** Finds the client through which mailboxes of this kind connect: the account's own, otherwise the installation's. */
export async function findMailClient(
  app: Pick<App, 'config' | 'keys'>,
  tx: Sql,
  { accountId, kind }: { accountId: string; kind: MailClientKind },
): Promise<MailClient | undefined> {
  const [own] = await tx<{ clientId: string; secret: Uint8Array; tenant: string | null }[]>`
    select client_id as "clientId", secret, tenant
      from mail_clients where account_id = current_account_id() and kind = ${kind}`
  if (!own) return getInstallationClient(app, kind)
  const secret = decrypt(app.keys, own.secret, toSecretContext(accountId, kind))
  return { kind, clientId: own.clientId, secret, tenant: own.tenant ?? undefined }
}

/**
 * Returns the client that the operator configured for all accounts. Application clients, which need no user's consent,
 * are never shared.
 */
export function getInstallationClient(
  { config }: Pick<App, 'config'>,
  kind: MailClientKind,
): MailClient | undefined {
  const clients = {
    google: { clientId: config.googleClientId, secret: config.googleClientSecret },
    microsoft: {
      clientId: config.microsoftClientId,
      secret: config.microsoftClientSecret,
      tenant: config.microsoftTenant,
    },
  }
  if (kind !== 'google' && kind !== 'microsoft') return undefined
  const { clientId, secret, ...others } = clients[kind]
  return clientId && secret ? { kind, clientId, secret, ...others } : undefined
}

export const toSecretContext = (accountId: string, kind: MailClientKind): string =>
  `mail_client ${accountId} ${kind} secret`
