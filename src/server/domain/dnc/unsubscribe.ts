import { type App, inAccount } from '../../kernel/context.ts'
import { retryOnDeadlock, type Sql } from '../../kernel/db/database.ts'
import { findOptOut } from '../people/opt-outs/find-opt-outs.ts'
import type { OptOutRequestSource } from '../people/opt-outs/store-opt-outs.ts'
import type { LinkRecipient, Unsubscriber } from '../people/opt-outs/unsubscribe-token.ts'
import { selectEmailPersonId } from '../people/persons/person-emails.ts'
import { recordOptOutRequest } from './record-opt-out-request.ts'

/** Returns the contents of an unsubscribe page; undefined when the account was deleted. Changes nothing. */
export const getUnsubscribePage = (
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
 * Opts the recipient out; an erased recipient is already opted out. Returns the account's name; undefined when the
 * account was deleted.
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
  const ctx = { app, sql, accountId, actor: source, ...from }
  const personId = await findPersonId(sql, emailMessageId)
  await recordOptOutRequest(ctx, { source, personId, emails: [email], emailMessageId })
}

/**
 * Finds the person who received the email. Their address may have changed since, and the current address must be opted
 * out too.
 */
async function findPersonId(sql: Sql, emailMessageId: string): Promise<string | null> {
  const [message] = await sql<{ personId: string | null }[]>`
    select ${selectEmailPersonId(sql)} as "personId"
      from email_messages m
     where m.account_id = current_account_id() and m.id = ${emailMessageId}`
  return message?.personId ?? null
}
