import { authorize, type Context, inAccount } from '../../kernel/context.ts'
import { notFound } from '../../kernel/errors.ts'
import { toSafeBodyParts } from '../../protocols/mime/body.ts'
import { isInScope } from '../accounts/permission-scope.ts'

/** Returns the sanitized HTML of a message. That of received messages is stored; our own are sanitized here. Throws NotFound. */
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
  if (!message) throw notFound('HTML of this message')
  return message.html ?? (await toSafeBodyParts(message.body, 'html', ctx.accountId)).html
}
