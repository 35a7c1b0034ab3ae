import type { tlsModes } from '../../../contract/mailbox-inputs.ts'
import type { mailboxKinds, mailboxStatuses } from '../../../contract/mailboxes.ts'
import type { App } from '../../kernel/context.ts'
import { decrypt, encrypt } from '../../kernel/crypto.ts'
import type { Sql } from '../../kernel/db/database.ts'
import { AppError } from '../../kernel/errors.ts'
import type { MailClientKind } from '../../protocols/mail-oauth/provider.ts'
import type { SmtpSettings } from '../../protocols/smtp/connection.ts'
import { type AccessOptions, getAccessToken } from './access-token.ts'

/** A mailbox as stored; the password is still encrypted. */
export type StoredMailbox = {
  accountId: string
  id: string
  repId: string
  kind: (typeof mailboxKinds)[number]
  email: string
  /** Other addresses that the mailbox may send as. */
  aliases: string[]
  senderName: string | null
  plusAddressing: boolean
  status: (typeof mailboxStatuses)[number]
  host: string | null
  port: number | null
  tls: (typeof tlsModes)[number] | null
  user: string | null
  password: Uint8Array | null
  /** The type of OAuth grant it signs in with; null when it signs in with a password or not at all. */
  grantKind: MailClientKind | null
  /** Consecutive failures since the server last accepted an email. */
  failureCount: number
  statusReason: string | null
  retryAt: Date | null
  /** True while its campaign emails are paused. */
  isPaused: boolean
  minGapSeconds: number
  dailyCap: number | null
  /** True when a copy of each sent email is stored in the Sent folder. */
  savesSentCopies: boolean
}

type Server = { host: string; port: number; tls: (typeof tlsModes)[number] }

const tlsStrength = { none: 0, starttls: 1, implicit: 2 }

/**
 * Reports whether a change would send the stored password to another server, or over weaker TLS. The password is then
 * required again: otherwise anyone who may change a mailbox could have it sent to a server of their own.
 */
export const requiresPassword = (stored: Server, changed: Server): boolean =>
  stored.host !== changed.host ||
  stored.port !== changed.port ||
  tlsStrength[changed.tls] < tlsStrength[stored.tls]

/** Finds a mailbox that was not removed. Runs in the account’s transaction. */
export const findMailbox = async (
  tx: Sql,
  mailboxId: string,
  lock: 'none' | 'update' = 'none',
): Promise<StoredMailbox | undefined> => (await findMailboxes(tx, [mailboxId], lock))[0]

/** Finds several mailboxes, in no particular order. */
export const findMailboxes = (
  tx: Sql,
  mailboxIds: readonly string[],
  lock: 'none' | 'update' = 'none',
): Promise<StoredMailbox[]> => tx<StoredMailbox[]>`
  select b.account_id as "accountId", b.id, b.rep_id as "repId", b.kind, b.email, b.sender_name as "senderName",
         array(select email from mailbox_aliases a
                where a.account_id = b.account_id and a.mailbox_id = b.id and a.status = 'verified') as aliases,
         b.plus_addressing as "plusAddressing", b.status, b.smtp_host as host, b.smtp_port as port, b.smtp_tls as tls,
         b.smtp_user as user, b.smtp_password as password,
         (select kind from mailbox_grants g where g.account_id = b.account_id and g.mailbox_id = b.id) as "grantKind",
         b.failure_count as "failureCount", b.status_reason as "statusReason", b.retry_at as "retryAt",
         b.paused_at is not null as "isPaused",
         b.min_gap_seconds as "minGapSeconds", b.daily_cap as "dailyCap",
         b.saves_sent_copies and exists (select from mailbox_syncs i where i.account_id = b.account_id and i.mailbox_id = b.id)
           as "savesSentCopies"
    from mailboxes b
   where b.account_id = current_account_id() and b.id = any(${[...mailboxIds]}::uuid[]) and b.removed_at is null
     ${lock === 'update' ? tx`for update of b` : tx``}`

/** Returns the connection settings with the password decrypted. Never log or store them. */
function toTransport(app: App, mailbox: StoredMailbox): SmtpSettings {
  if (mailbox.kind === 'sandbox') {
    if (!app.sandbox) throw new Error('This process sends nothing, so it has no sandbox.')
    const { host, port, password } = app.sandbox
    return { host, port, tls: 'none', user: mailbox.email, password, allowPrivateHosts: true }
  }
  return {
    host: mailbox.host!,
    port: mailbox.port!,
    tls: mailbox.tls!,
    user: mailbox.user ?? undefined,
    password: mailbox.password ? decryptPassword(app, mailbox, mailbox.password) : undefined,
    allowPrivateHosts: app.config.privateHosts,
  }
}

/** Connection settings, or why there are none; with `retryAt` for an error that is not the mailbox's own. */
export type OpenedTransport = { transport: SmtpSettings } | { reason: string; retryAt?: Date }

/**
 * Returns the connection settings with the password or a valid access token. May request a token from the provider, so
 * it must not run in a transaction.
 */
export async function openTransport(
  app: App,
  mailbox: StoredMailbox,
  options?: AccessOptions,
): Promise<OpenedTransport> {
  const transport = tryTransport(app, mailbox)
  if (typeof transport === 'string') return { reason: transport }
  if (!mailbox.grantKind) return { transport }
  const access = await getAccessToken(app, { accountId: mailbox.accountId, mailboxId: mailbox.id }, options)
  if ('token' in access) return { transport: { ...transport, accessToken: access.token } }
  const { error, retryAt } = access
  const isOwn = error.class === 'user' || error.class === 'admin'
  return { reason: error.reason, ...(!isOwn && { retryAt }) }
}

/** Returns the connection settings, or why the password can’t be decrypted. */
function tryTransport(app: App, mailbox: StoredMailbox): SmtpSettings | string {
  try {
    return toTransport(app, mailbox)
  } catch (error) {
    if (error instanceof AppError) return error.message
    throw error
  }
}

export const encryptPassword = (
  app: App,
  mailbox: Pick<StoredMailbox, 'accountId' | 'id'>,
  password: string,
): Buffer => encrypt(app.keys, password, toSecretContext(mailbox))

function decryptPassword(app: App, mailbox: StoredMailbox, password: Uint8Array): string {
  try {
    return decrypt(app.keys, password, toSecretContext(mailbox))
  } catch (cause) {
    const message = 'The password of this mailbox was encrypted with a different secret. Enter it again.'
    throw new AppError('Conflict', message, { cause })
  }
}

const toSecretContext = ({ accountId, id }: Pick<StoredMailbox, 'accountId' | 'id'>): string =>
  `mailbox ${accountId} ${id} smtp_password`
