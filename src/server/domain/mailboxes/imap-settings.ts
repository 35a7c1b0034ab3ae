import type { tlsModes } from '../../../contract/mailbox-inputs.ts'
import type { Context } from '../../kernel/context.ts'
import { decrypt, encrypt } from '../../kernel/crypto.ts'
import type { Sql } from '../../kernel/db/database.ts'
import { AppError, invalid } from '../../kernel/errors.ts'
import type { ImapSettings } from '../../protocols/imap/imap-connection.ts'
import { requiresPassword, type StoredMailbox } from './transport.ts'

/** The time after an email within which a reply to it is expected. */
export const REPLY_WINDOW_MS = 60 * 24 * 60 * 60_000

/** A mailbox's IMAP settings as stored, the password still encrypted, and the state of its sync. */
export type StoredImapSettings = {
  accountId: string
  mailboxId: string
  host: string
  port: number
  tls: (typeof tlsModes)[number]
  user: string
  /** Null when the mailbox signs in by OAuth. */
  password: Uint8Array | null
  syncFrom: Date
  epoch: bigint
  failures: number
}

/** A change of IMAP settings with a normalized host; undefined fields keep their values. */
type ImapChange = {
  host?: string | undefined
  port?: number | undefined
  tls?: StoredImapSettings['tls'] | undefined
  user?: string | undefined
  password?: string | undefined
  syncFrom?: string | undefined
}

/** Finds a mailbox's IMAP settings; undefined when it has none. Runs in the account's transaction. */
export async function findImapSettings(tx: Sql, mailboxId: string): Promise<StoredImapSettings | undefined> {
  const [settings] = await tx<StoredImapSettings[]>`
    select account_id as "accountId", mailbox_id as "mailboxId", host, port, tls, login as "user", password,
           sync_from as "syncFrom", epoch, failures
      from mailbox_syncs
     where account_id = current_account_id() and mailbox_id = ${mailboxId}`
  return settings
}

/** Creates or changes the IMAP settings. A sync that runs with the old settings loses its claim. */
export async function storeImapSettings(
  ctx: Context,
  mailbox: Pick<StoredMailbox, 'accountId' | 'id'>,
  change: ImapChange,
): Promise<void> {
  const { accountId, id: mailboxId } = mailbox
  const stored = await findImapSettings(ctx.sql, mailboxId)
  const { host, port, tls, user, syncFrom } = { ...stored, ...omitUndefined(change) }
  for (const [name, value] of Object.entries({ host, port, tls, user })) {
    if (value === undefined) throw invalid(`imap.${name}`, 'is required to receive mail')
  }
  if (!stored?.password && !change.password) throw invalid('imap.password', 'is required')
  if (stored && !change.password && requiresPassword(stored, { host: host!, port: port!, tls: tls! })) {
    throw invalid('imap.password', 'is required for a different host or port, or for weaker TLS')
  }
  const password = change.password
    ? encrypt(ctx.app.keys, change.password, toSecretContext({ accountId, mailboxId }))
    : stored!.password
  const isOtherMail = host !== stored?.host || user !== stored?.user || syncFrom !== stored?.syncFrom
  await ctx.sql`
    insert into mailbox_syncs as r (account_id, mailbox_id, host, port, tls, login, password, sync_from, due_at)
    values (${accountId}, ${mailboxId}, ${host!}, ${port!}, ${tls!}, ${user!}, ${password},
            ${syncFrom ?? (await findFirstSendTime(ctx, mailboxId)) ?? ctx.app.now()}, ${ctx.app.now()})
    on conflict (account_id, mailbox_id) do update
       set host = excluded.host, port = excluded.port, tls = excluded.tls, login = excluded.login,
           password = excluded.password, sync_from = excluded.sync_from, status = 'waiting', status_reason = null,
           last_synced_at = case when ${isOtherMail} then null else r.last_synced_at end,
           due_at = excluded.due_at, epoch = r.epoch + 1, failures = 0, updated_at = now()`
  // UIDs of another server or login are meaningless. Emails that were already synced are not stored twice.
  if (stored && isOtherMail) await deleteSyncCursors(ctx.sql, mailboxId)
}

/**
 * Finds the time at which this address first sent an email, through any mailbox, within the reply window: replies may
 * have arrived since then.
 */
async function findFirstSendTime({ sql, app }: Context, mailboxId: string): Promise<Date | undefined> {
  const since = new Date(app.now().getTime() - REPLY_WINDOW_MS)
  const [sent] = await sql<{ at: Date | null }[]>`
    select min(e.created_at) as at
      from mailboxes b
      join mailboxes same on same.account_id = b.account_id and same.email = b.email
      join email_sends e on e.account_id = same.account_id and e.mailbox_id = same.id and e.created_at > ${since}
     where b.account_id = current_account_id() and b.id = ${mailboxId}`
  return sent?.at ?? undefined
}

export async function deleteImapSettings(sql: Sql, mailboxId: string): Promise<void> {
  await sql`
    delete from mailbox_syncs where account_id = current_account_id() and mailbox_id = ${mailboxId}`
}

const deleteSyncCursors = (sql: Sql, mailboxId: string) => sql`
  delete from mailbox_folders where account_id = current_account_id() and mailbox_id = ${mailboxId}`

/** Records the result of a verification; returns false if the settings have changed in the meantime. */
export async function recordImapCheck(
  tx: Sql,
  { mailboxId, host, port, tls, user, password }: StoredImapSettings,
  error: string | undefined,
): Promise<boolean> {
  const stored = await tx`
    update mailbox_syncs
       set status        = case when ${error !== undefined} then 'failing' when status = 'failing' then 'waiting' else status end,
           status_reason = ${error ?? null},
           due_at        = case when status = 'failing' then least(due_at, now()) else due_at end,
           failures      = case when ${error === undefined} then 0 else failures end,
           updated_at    = now()
     where account_id = current_account_id() and mailbox_id = ${mailboxId}
       and (host, port, tls, login, password)
           is not distinct from (${host}, ${port}::integer, ${tls}, ${user}, ${password}::bytea)`
  return stored.count === 1
}

/**
 * Makes a mailbox with a grant receive from its provider's server, and deletes its password. The first sync covers mail
 * since this address first sent an email within the reply window, or only mail that arrives from now on.
 */
export async function storeGrantImap(
  ctx: Context,
  { accountId, mailboxId }: { accountId: string; mailboxId: string },
  { host, port, tls, user }: Pick<StoredImapSettings, 'host' | 'port' | 'tls' | 'user'>,
): Promise<void> {
  const stored = await findImapSettings(ctx.sql, mailboxId)
  const isOtherMail = stored !== undefined && (stored.host !== host || stored.user !== user)
  await ctx.sql`
    insert into mailbox_syncs as r (account_id, mailbox_id, host, port, tls, login, sync_from, due_at)
    values (${accountId}, ${mailboxId}, ${host}, ${port}, ${tls}, ${user},
            ${(await findFirstSendTime(ctx, mailboxId)) ?? ctx.app.now()}, ${ctx.app.now()})
    on conflict (account_id, mailbox_id) do update
       set host = excluded.host, port = excluded.port, tls = excluded.tls, login = excluded.login, password = null,
           status = 'waiting', status_reason = null, due_at = excluded.due_at, epoch = r.epoch + 1, failures = 0,
           last_synced_at = case when ${isOtherMail} then null else r.last_synced_at end, updated_at = now()`
  if (isOtherMail) await deleteSyncCursors(ctx.sql, mailboxId)
}

/** Returns the connection settings with the password decrypted, if there is one. Never log or store them. */
export function toImapTransport(app: Context['app'], stored: StoredImapSettings): ImapSettings {
  const { host, port, tls, user } = stored
  try {
    const password = stored.password ? decrypt(app.keys, stored.password, toSecretContext(stored)) : ''
    return { host, port, tls, user, password, allowPrivateHosts: app.config.privateHosts }
  } catch (cause) {
    const message = 'The IMAP password was encrypted with a different secret. Enter it again.'
    throw new AppError('Conflict', message, { cause })
  }
}

const toSecretContext = ({
  accountId,
  mailboxId,
}: Pick<StoredImapSettings, 'accountId' | 'mailboxId'>): string =>
  `mailbox ${accountId} ${mailboxId} imap_password`

const omitUndefined = <T extends object>(fields: T): { [K in keyof T]?: NonNullable<T[K]> } =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as never
