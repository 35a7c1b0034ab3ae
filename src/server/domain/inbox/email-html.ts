import { authorize, type Context, inAccount } from '../../kernel/context.ts'
import { notFound } from '../../kernel/errors.ts'
import { toSafeBodyParts } from '../../protocols/mime/body.ts'
import { isInScope } from '../accounts/permission-scope.ts'

/**
 * Returns the sanitized HTML of a message: as stored for received messages, and sanitized here for our own. Throws
 * NotFound.
 */
export async function getEmailHtml(ctx: Context, emailMessageId: string): Promise<string> {
  authorize(ctx, 'Inbox.ReadInbox')
  const [message] = await inAccount(
    ctx.app.db.app,
    ctx.accountId,
    sql => sql<{ html: string | null; body: string }[]>`
      select m.html, m.body
        from email_messages m
       where m.account_id = ${ctx.accountId} and m.id = ${emailMessageId} and (m.html is not null or m.body_format = 'html')
         and ${isInScope({ ...ctx, sql }, 'Inbox.ReadInbox', sql`m.rep_id`)}`,
  )
  if (!message) throw notFound('email message with HTML')
  return message.html ?? (await toSafeBodyParts(message.body, 'html', ctx.accountId)).html
}
