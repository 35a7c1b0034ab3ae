import type { mailboxKinds, mailboxStatuses, tlsModes } from '../../../contract/mailboxes.ts'
import type { App } from '../../kernel/context.ts'
import { decrypt, encrypt } from '../../kernel/crypto.ts'
import type { Sql } from '../../kernel/db/database.ts'
import { AppError } from '../../kernel/errors.ts'
import type { SmtpSettings } from '../../protocols/smtp/connection.ts'

/** A mailbox as it is stored; the password is still encrypted. */
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
  /** Since the last mail that its server took. */
  faultCount: number
  statusReason: string | null
  retryAt: Date | null
  minGapSeconds: number
}

type Server = { host: string; port: number; tls: (typeof tlsModes)[number] }

const tlsStrength = { none: 0, starttls: 1, implicit: 2 }

/**
 * Whether a password stored for one server would reach another one, or the same one less protected. It has to be given
 * again then: else whoever may change a mailbox could have it sent to a server of their own.
 */
export const needsPasswordAgain = (stored: Server, changed: Server): boolean =>
  stored.host !== changed.host ||
  stored.port !== changed.port ||
  tlsStrength[changed.tls] < tlsStrength[stored.tls]

/** The mailbox unless it was removed, in a transaction that sees the account. Locked, nobody changes it meanwhile. */
export const findMailbox = async (
  tx: Sql,
  mailboxId: string,
  lock: 'none' | 'update' = 'none',
): Promise<StoredMailbox | undefined> => (await findMailboxes(tx, [mailboxId], lock))[0]

/** The same of several, in no order. */
export const findMailboxes = (
  tx: Sql,
  mailboxIds: readonly string[],
  lock: 'none' | 'update' = 'none',
): Promise<StoredMailbox[]> => tx<StoredMailbox[]>`
  select account_id as "accountId", id, rep_id as "repId", kind, email, sender_name as "senderName",
         plus_addressing as "plusAddressing", status, smtp_host as host, smtp_port as port, smtp_tls as tls, smtp_user as user, smtp_password as password,
         fault_count as "faultCount", status_reason as "statusReason", retry_at as "retryAt",
         min_gap_seconds as "minGapSeconds"
    from mailboxes
   where account_id = current_account_id() and id = any(${[...mailboxIds]}::uuid[]) and removed_at is null
     ${lock === 'update' ? tx`for update` : tx``}`

/** How to reach the mailbox's server, password included: for the connection alone, never to be logged or stored. */
function mailboxTransport(app: App, mailbox: StoredMailbox): SmtpSettings {
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

/** The same, or why its password cannot be read. */
export function tryTransport(app: App, mailbox: StoredMailbox): SmtpSettings | string {
  try {
    return mailboxTransport(app, mailbox)
  } catch (fault) {
    if (fault instanceof AppError) return fault.message
    throw fault
  }
}

export const encryptPassword = (
  app: App,
  mailbox: Pick<StoredMailbox, 'accountId' | 'id'>,
  password: string,
): Buffer => encrypt(app.keys, password, placeOf(mailbox))

function decryptPassword(app: App, mailbox: StoredMailbox, password: Uint8Array): string {
  try {
    return decrypt(app.keys, password, placeOf(mailbox))
  } catch (cause) {
    const message = 'The password of this mailbox was stored under another secret. Give it again.'
    throw new AppError('Conflict', message, { cause })
  }
}

const placeOf = ({ accountId, id }: Pick<StoredMailbox, 'accountId' | 'id'>): string =>
  `mailbox ${accountId} ${id} smtp_password`
