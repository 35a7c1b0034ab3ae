import { randomUUIDv7 } from 'node:crypto'
import type { Input, Output } from '../../../contract/index.ts'
import { findSendingLimits } from '../../../contract/mail-providers.ts'
import type { Context } from '../../kernel/context.ts'
import type { Fragment, Sql } from '../../kernel/db/database.ts'
import { AppError, conflict, invalid, notFound } from '../../kernel/errors.ts'
import { findJson, Json } from '../../kernel/json.ts'
import { normalizeHost } from '../../kernel/net/outbound-host.ts'
import { afterCursor, listPage, orderAndLimit } from '../../kernel/page.ts'
import { getEmailDomain, requireEmail } from '../../protocols/identity/email.ts'
import { audit } from '../accounts/audit-log.ts'
import { addDomain } from '../domains/domains.ts'
import { lockEditableRep } from '../reps/reps.ts'
import { connectionJson, createGrant, getProviderServers, removeGrant, signInJson } from './grant-mailbox.ts'
import { deleteImapSettings, storeImapSettings } from './imap-settings.ts'
import { findInboundUrl } from './inbound-url.ts'
import { addProviderLimits, storeSendingLimits } from './sending-limits.ts'
import { dropSentCopies, needsSentCopies } from './sent-copies.ts'
import { aliasesJson, senderEmail, setSenderAlias } from './stored-aliases.ts'
import { encryptPassword, findMailbox, requiresPassword, type StoredMailbox } from './transport.ts'
import { usageJson } from './usage.ts'

/** Selects the mailbox `b` as JSON, with `usage` if given. */
export const mailboxJson = (sql: Sql, usage = sql`null::json`): Fragment => sql`
  json_strip_nulls(json_build_object(
    'id', b.id,
    'objectType', 'mailbox',
    'createdAt', api_time(b.created_at),
    'updatedAt', api_time(b.updated_at),
    'repId', b.rep_id,
    'kind', b.kind,
    'email', b.email,
    'senderName', b.sender_name,
    'fromEmail', nullif(${senderEmail(sql)}, b.email),
    'aliases', ${aliasesJson(sql)},
    'smtp', case when b.kind = 'smtp' then json_build_object(
      'host', b.smtp_host,
      'port', b.smtp_port,
      'tls', b.smtp_tls,
      'user', b.smtp_user) end,
    'imap', case when i.host is not null then json_build_object(
      'host', i.host,
      'port', i.port,
      'tls', i.tls,
      'user', i.login,
      'syncFrom', api_time(i.sync_from)) end,
    'connection', ${connectionJson(sql)},
    'signIn', ${signInJson(sql)},
    'dailyCap', b.daily_cap,
    'minGapSeconds', nullif(b.min_gap_seconds, 0),
    'rampUp', case when b.ramp_since is not null then json_build_object(
      'start', b.ramp_start,
      'increase', b.ramp_increase,
      'since', api_time(b.ramp_since),
      'steppedBackAt', api_time(b.ramp_stepped_back_at)) end,
    'plusAddressing', b.plus_addressing,
    'savesSentCopies', case when i.host is not null then b.saves_sent_copies end,
    'sentCopyError', i.sent_copy_error,
    'status', b.status,
    'statusReason', b.status_reason,
    'health', case when b.failure_count > 0 then json_build_object(
      'reason', b.status_reason,
      'failures', b.failure_count,
      'retryAt', api_time(b.retry_at)) end,
    'usage', ${usage},
    'pausedAt', api_time(b.paused_at),
    'pauseReason', b.pause_reason,
    'verifiedAt', api_time(b.verified_at),
    'syncStatus', i.status,
    'syncStatusReason', i.status_reason,
    'lastSyncedAt', api_time(i.last_synced_at),
    'skippedMails', (select nullif(count(*), 0)
                       from mailbox_skips k
                      where k.account_id = b.account_id and k.mailbox_id = b.id)))::text as json`

/** Joins mailboxes `b` with their IMAP settings `i`, if any. */
export const mailboxesWithImap = (sql: Sql): Fragment => sql`
  mailboxes b
  left join mailbox_syncs i on i.account_id = b.account_id and i.mailbox_id = b.id`

export const listMailboxes = (
  ctx: Context,
  input: Input<'listMailboxes'>,
): Promise<Json<Output<'listMailboxes'>>> =>
  listPage(
    ctx,
    'listMailboxes',
    input,
    page => ctx.sql`
      select b.id, api_time(b.created_at) as at, ${mailboxJson(ctx.sql, usageJson(ctx.sql, ctx.app.now()))}
        from ${mailboxesWithImap(ctx.sql)}
       where b.account_id = s.account_id and b.removed_at is null
         ${page.filters.repId ? ctx.sql`and b.rep_id = ${page.filters.repId}` : ctx.sql``}
         ${afterCursor(ctx.sql, page, 'b.created_at', 'b.id')}
         ${orderAndLimit(ctx.sql, page, 'b.created_at', 'b.id')}`,
  )

export async function getMailbox(
  ctx: Context,
  { mailboxId }: Input<'getMailbox'>,
): Promise<Json<Output<'getMailbox'>>> {
  const mailbox = await readMailbox(ctx, mailboxId, usageJson(ctx.sql, ctx.app.now()))
  const url = await findInboundUrl(ctx, mailboxId)
  return url ? new Json(`${mailbox.text.slice(0, -1)},"inboundUrl":${JSON.stringify(url)}}`) : mailbox
}

/** Reads a mailbox without its inbound URL, which must not be stored with an idempotency key. */
export const readMailbox = (
  ctx: Context,
  mailboxId: string,
  usage?: Fragment,
): Promise<Json<Output<'getMailbox'>>> =>
  findJson(
    ctx,
    'mailbox',
    ctx.sql`
      select ${mailboxJson(ctx.sql, usage)}
        from ${mailboxesWithImap(ctx.sql)}
       where b.account_id = s.account_id and b.id = ${mailboxId} and b.removed_at is null`,
  )

export async function createMailbox(
  ctx: Context,
  {
    repId,
    kind,
    email: address,
    senderName,
    plusAddressing,
    smtp,
    imap,
    provider,
    isShared = false,
    savesSentCopies = provider ? isShared : needsSentCopies(smtp?.host),
    ...limits
  }: Input<'createMailbox'>,
): Promise<Json<Output<'createMailbox'>>> {
  await lockEditableRep(ctx, repId, invalid('repId', 'must be the ID of a rep in this account'))
  const email = requireEmail(address)
  const mailboxId = randomUUIDv7()
  const server: Server | undefined = provider
    ? { ...getProviderServers(ctx, provider).smtp, user: email }
    : smtp && checkServer(smtp)
  const password =
    smtp?.password && encryptPassword(ctx.app, { accountId: ctx.accountId, id: mailboxId }, smtp.password)
  const created = await ctx.sql`
    insert into mailboxes (account_id, id, rep_id, kind, email, sender_name, plus_addressing,
                           saves_sent_copies, status, smtp_host, smtp_port, smtp_tls, smtp_user, smtp_password)
    values (${ctx.accountId}, ${mailboxId}, ${repId}, ${kind}, ${email}, ${senderName ?? null}, ${plusAddressing ?? false},
            ${savesSentCopies}, ${kind === 'sandbox' ? 'active' : 'unverified'},
            ${server?.host ?? null}, ${server?.port ?? null}, ${server?.tls ?? null}, ${server?.user ?? null},
            ${password ?? null})
    on conflict (account_id, email) where removed_at is null do nothing`
  if (created.count === 0) throw conflict(`A mailbox with the address ${email} already exists.`)
  if (imap)
    await storeImapSettings(
      ctx,
      { accountId: ctx.accountId, id: mailboxId },
      normalizeServerHost('imap', imap),
    )
  if (provider) await createGrant(ctx, { mailboxId, email, kind: provider, isShared })
  const providerLimits = findSendingLimits({ email, smtpHost: smtp?.host, signInProvider: provider })
  await storeSendingLimits(ctx, mailboxId, addProviderLimits(limits, providerLimits))
  if (kind === 'smtp') await addDomain(ctx, getEmailDomain(email))
  await audit(ctx, 'create', 'mailbox', mailboxId)
  return readMailbox(ctx, mailboxId)
}

export async function updateMailbox(
  ctx: Context,
  {
    mailboxId,
    senderName,
    fromEmail,
    plusAddressing,
    savesSentCopies,
    renewInboundUrl,
    smtp,
    imap,
    ...limits
  }: Input<'updateMailbox'>,
): Promise<Json<Output<'updateMailbox'>>> {
  const mailbox = await lockEditableMailbox(ctx, mailboxId)
  if (mailbox.grantKind && (smtp || imap !== undefined))
    throw invalid(smtp ? 'smtp' : 'imap', 'is set by the provider of this mailbox')
  const fields = [senderName, plusAddressing, savesSentCopies, renewInboundUrl]
  if (fields.some(value => value !== undefined)) {
    await ctx.sql`
      update mailboxes
         set sender_name = ${senderName === undefined ? ctx.sql`sender_name` : senderName},
             plus_addressing = coalesce(${plusAddressing ?? null}, plus_addressing),
             saves_sent_copies = coalesce(${savesSentCopies ?? null}, saves_sent_copies),
             inbound_key_number = inbound_key_number + ${renewInboundUrl ? 1 : 0}, updated_at = now()
       where account_id = ${ctx.accountId} and id = ${mailboxId}`
  }
  if (fromEmail !== undefined) await setSenderAlias(ctx, mailboxId, fromEmail)
  const limitChange = await storeSendingLimits(ctx, mailboxId, limits)
  if (savesSentCopies === false) await dropSentCopies(ctx.sql, mailboxId)
  if (smtp) await changeServer(ctx, mailbox, smtp, savesSentCopies)
  if (imap && mailbox.kind !== 'smtp') throw invalid('imap', 'is not allowed for a sandbox mailbox')
  if (imap) await storeImapSettings(ctx, mailbox, normalizeServerHost('imap', imap))
  if (imap === null) await deleteImapSettings(ctx.sql, mailboxId)
  if (limitChange) await audit(ctx, limitChange, 'mailbox', mailboxId)
  const hasOtherChanges = [...fields, fromEmail, smtp, imap].some(value => value !== undefined)
  if (!limitChange || hasOtherChanges) await audit(ctx, 'update', 'mailbox', mailboxId)
  return readMailbox(ctx, mailboxId)
}

async function changeServer(
  ctx: Context,
  mailbox: StoredMailbox,
  change: NonNullable<Input<'updateMailbox'>['smtp']>,
  savesSentCopies: boolean | undefined,
): Promise<void> {
  if (mailbox.kind !== 'smtp') throw invalid('smtp', 'is not allowed for a sandbox mailbox')
  const { host, port, tls, user } = checkServer({
    host: change.host ?? mailbox.host!,
    port: change.port ?? mailbox.port!,
    tls: change.tls ?? mailbox.tls!,
    user: change.user === null ? undefined : (change.user ?? mailbox.user ?? undefined),
    password: change.password,
  })
  const keptPassword = change.user === null ? null : mailbox.password
  const stored = { host: mailbox.host!, port: mailbox.port!, tls: mailbox.tls! }
  if (keptPassword && !change.password && requiresPassword(stored, { host, port, tls })) {
    throw invalid('smtp.password', 'is required for a different host or port, or for weaker TLS')
  }
  const password = change.password ? encryptPassword(ctx.app, mailbox, change.password) : keptPassword
  const ownDefault = host === mailbox.host ? undefined : needsSentCopies(host)
  await ctx.sql`
    update mailboxes
       set saves_sent_copies = coalesce(${savesSentCopies ?? ownDefault ?? null}, saves_sent_copies), smtp_host = ${host}, smtp_port = ${port}, smtp_tls = ${tls}, smtp_user = ${user ?? null},
           smtp_password = ${password}, status = 'unverified', status_reason = null, verified_at = null, failure_count = 0,
           retry_at = null,
           updated_at = now()
     where account_id = ${ctx.accountId} and id = ${mailbox.id}`
}

/**
 * Keeps the row, because messages refer to it, but deletes its passwords. `withdrawSteps` deletes the queued emails of
 * steps, which are planned again.
 */
export async function deleteMailbox(
  ctx: Context,
  { mailboxId }: Input<'deleteMailbox'>,
  withdrawSteps: (ctx: Context, mailboxId: string) => Promise<void>,
): Promise<Output<'deleteMailbox'>> {
  await lockEditableMailbox(ctx, mailboxId)
  await withdrawSteps(ctx, mailboxId)
  const [queued] = await ctx.sql`
    select from email_sends
     where account_id = ${ctx.accountId} and mailbox_id = ${mailboxId}
       and state in ('queued', 'claimed', 'dot_pending')
     limit 1`
  if (queued) {
    throw conflict(
      'This mailbox still has queued emails. Cancel its scheduled emails, or try again once they are sent.',
    )
  }
  await ctx.sql`
    update mailboxes set removed_at = now(), smtp_password = null, updated_at = now()
     where account_id = ${ctx.accountId} and id = ${mailboxId}`
  await deleteImapSettings(ctx.sql, mailboxId)
  await removeGrant(ctx, mailboxId)
  await audit(ctx, 'delete', 'mailbox', mailboxId)
  return { ok: true }
}

/** Locks the mailbox. Throws NotFound if there is none, Forbidden if its rep is outside the caller's scope. */
export async function lockEditableMailbox(ctx: Context, mailboxId: string): Promise<StoredMailbox> {
  const mailbox = await findMailbox(ctx.sql, mailboxId, 'update')
  if (!mailbox) throw notFound('mailbox')
  await lockEditableRep(ctx, mailbox.repId)
  return mailbox
}

type Server = NonNullable<Input<'createMailbox'>['smtp']>

function checkServer(server: Server): Server {
  if (server.password && !server.user) throw invalid('smtp.user', 'is required with a password')
  return normalizeServerHost('smtp', server)
}

/** Returns the server with a normalized host. */
function normalizeServerHost<T extends { host?: string | undefined }>(path: 'smtp' | 'imap', server: T): T {
  if (server.host === undefined) return server
  try {
    return { ...server, host: normalizeHost(server.host) }
  } catch (error) {
    if (error instanceof AppError) throw invalid(`${path}.host`, error.details?.[0]?.message ?? error.message)
    throw error
  }
}
