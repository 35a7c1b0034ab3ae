import type { mailboxKinds, mailboxStatuses, tlsModes } from '../../../contract/mailboxes.ts'
import type { App } from '../../kernel/context.ts'
import { decrypt, encrypt } from '../../kernel/crypto.ts'
import type { Sql } from '../../kernel/db/database.ts'
import { AppError } from '../../kernel/errors.ts'
import type { SmtpSettings } from '../../protocols/smtp/connection.ts'

/** A mailbox as stored; the password is still encrypted. */
export type StoredMailbox = {
  accountId: string
  id: string
  repId: string
  kind: (typeof mailboxKinds)[number]
  email: string
  senderName: string | null
  plusAddressing: boolean
  status: (typeof mailboxStatuses)[number]
  host: string | null
  port: number | null
  tls: (typeof tlsModes)[number] | null
  user: string | null
  password: Uint8Array | null
  /** Consecutive failures since the server last accepted an email. */
  faultCount: number
  statusReason: string | null
  retryAt: Date | null
  minGapSeconds: number
  dailyCap: number | null
}

type Server = { host: string; port: number; tls: (typeof tlsModes)[number] }

const tlsStrength = { none: 0, starttls: 1, implicit: 2 }

/**
 * True when a change would send the stored password to another server, or over weaker TLS. The password is then
 * required again: otherwise anyone who may change a mailbox could have it sent to a server of their own.
 */
export const needsPasswordAgain = (stored: Server, changed: Server): boolean =>
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
  select account_id as "accountId", id, rep_id as "repId", kind, email, sender_name as "senderName",
         plus_addressing as "plusAddressing", status, smtp_host as host, smtp_port as port, smtp_tls as tls, smtp_user as user, smtp_password as password,
         fault_count as "faultCount", status_reason as "statusReason", retry_at as "retryAt",
         min_gap_seconds as "minGapSeconds", daily_cap as "dailyCap"
    from mailboxes
   where account_id = current_account_id() and id = any(${[...mailboxIds]}::uuid[]) and removed_at is null
     ${lock === 'update' ? tx`for update` : tx``}`

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

/** Returns the connection settings, or why the password can’t be decrypted. */
export function tryTransport(app: App, mailbox: StoredMailbox): SmtpSettings | string {
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
    const message = 'The password of this mailbox was stored under another secret. Enter it again.'
    throw new AppError('Conflict', message, { cause })
  }
}

const toSecretContext = ({ accountId, id }: Pick<StoredMailbox, 'accountId' | 'id'>): string =>
  `mailbox ${accountId} ${id} smtp_password`
