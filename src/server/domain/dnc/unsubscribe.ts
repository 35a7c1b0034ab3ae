import { type App, inAccount } from '../../kernel/context.ts'
import { retryOnDeadlock, type Sql } from '../../kernel/db/database.ts'
import { findOptOut } from '../people/opt-outs/find-opt-outs.ts'
import type { OptOutRequestSource } from '../people/opt-outs/store-opt-outs.ts'
import type { LinkRecipient, Unsubscriber } from '../people/opt-outs/unsubscribe-token.ts'
import { recordOptOutRequest } from './record-opt-out-request.ts'

/** Returns the contents of an unsubscribe page; undefined when the account was deleted. Changes nothing. */
export const findUnsubscriber = (
  app: App,
  { accountId, email }: LinkRecipient,
): Promise<{ accountName: string; isOptedOut: boolean } | undefined> =>
  inAccount(app.db.app, accountId, async sql => {
    const [account] = await sql<{ name: string }[]>`select name from accounts where id = current_account_id()`
    if (!account) return undefined
    const isOptedOut =
      !email || (await findOptOut({ sql, accountId, app }, { personId: undefined, emails: [email] }))
    return { accountName: account.name, isOptedOut: Boolean(isOptedOut) }
  })

type Source = Extract<OptOutRequestSource, 'unsubscribe_link' | 'unsubscribe_mail'>

/**
 * Opts the recipient out; an erased one is opted out already. Returns the account's name; undefined when the account was
 * deleted.
 */
export const unsubscribe = (
  app: App,
  { email, ...link }: LinkRecipient,
  source: Source,
  from: { address?: string; requestId?: string } = {},
): Promise<string | undefined> =>
  retryOnDeadlock(() =>
    inAccount(app.db.app, link.accountId, async sql => {
      const [account] = await sql<
        { name: string }[]
      >`select name from accounts where id = current_account_id()`
      if (!account) return undefined
      if (email) await unsubscribeInTransaction({ app, sql }, { ...link, email }, source, from)
      return account.name
    }),
  )

/** Opts the recipient out within a transaction of the account. */
export async function unsubscribeInTransaction(
  { app, sql }: { app: App; sql: Sql },
  { accountId, emailMessageId, email }: Unsubscriber,
  source: Source,
  from: { address?: string; requestId?: string } = {},
): Promise<void> {
  const emails = new Set([email, ...(await findCurrentEmail(sql, emailMessageId))])
  const ctx = { app, sql, accountId, actor: source, ...from }
  await recordOptOutRequest(ctx, { source, emails: [...emails], emailMessageId })
}

/** Returns the person's current address, which may have changed since: the person opts out, not an old address. */
const findCurrentEmail = async (sql: Sql, emailMessageId: string): Promise<string[]> => {
  const rows = await sql<{ email: string }[]>`
    select p.email
      from email_messages m
      join prospects r on r.account_id = m.account_id and r.id = m.prospect_id
      join persons p on p.account_id = r.account_id and p.id = r.person_id
     where m.account_id = current_account_id() and m.id = ${emailMessageId} and p.email is not null`
  return rows.map(row => row.email)
}
