import { getPermissionScope } from '../../../contract/permissions.ts'
import { getPublicUrl } from '../../kernel/config.ts'
import { type App, type Context, inAccount, ownRepsOnly, withAccount } from '../../kernel/context.ts'
import { signToken, verifyToken } from '../../kernel/crypto.ts'

/** The mailbox that an inbound URL belongs to. */
type InboundMailbox = { accountId: string; mailboxId: string }

const PURPOSE = 'inbound v1'

/**
 * Returns the URL that accepts mail for the mailbox; undefined when the caller may not edit the mailbox. The key is
 * signed, not stored: incrementing the mailbox's key number revokes it.
 */
export async function findInboundUrl(ctx: Context, mailboxId: string): Promise<string | undefined> {
  if (ctx.isReadOnly || !getPermissionScope(ctx.role, 'Rep.EditRep')) return undefined
  const [mailbox] = await ctx.sql<{ number: number }[]>`
    select found.number
      from ${withAccount(ctx)} cross join lateral (
           select b.inbound_key_number as number
             from mailboxes b
            where b.account_id = s.account_id and b.id = ${mailboxId} and b.removed_at is null
              ${ownRepsOnly(ctx, 'Rep.EditRep', ctx.sql`b.rep_id`)}) found`
  if (!mailbox) return undefined
  const key = signToken(ctx.app.keys, PURPOSE, [ctx.accountId, mailboxId, mailbox.number].join(' '))
  return `${getPublicUrl(ctx.app.config)}/v1/inbound/email/${key}`
}

/** Finds the mailbox that an inbound key belongs to; undefined when the key is invalid or revoked. */
export async function findInboundMailbox(app: App, key: string): Promise<InboundMailbox | undefined> {
  const [accountId, mailboxId, number] = verifyToken(app.keys, PURPOSE, key)?.split(' ') ?? []
  if (!accountId || !mailboxId || !number) return undefined
  const [mailbox] = await inAccount(
    app.db.app,
    accountId,
    tx => tx`
      select from mailboxes
       where account_id = current_account_id() and id = ${mailboxId} and inbound_key_number = ${number}
         and removed_at is null`,
  )
  return mailbox && { accountId, mailboxId }
}
