import type { Input, Output } from '../../../contract/index.ts'
import type { Context } from '../../kernel/context.ts'
import { conflict, notFound, outOfScope } from '../../kernel/errors.ts'
import type { Json } from '../../kernel/json.ts'
import { audit } from '../accounts/audit-log.ts'
import { isInScope } from '../accounts/permission-scope.ts'
import { setDelivery } from '../messages/write-email-messages.ts'
import { confirmSend, repeatSend } from '../outbox/sends.ts'
import { getEmailMessage } from './email-messages.ts'

/**
 * Resolves an unconfirmed message as a user decided. A message that is sent again keeps its Message-ID and passes the
 * gate again.
 */
export async function resolveEmailMessage(
  ctx: Context,
  { emailMessageId, as }: Input<'resolveEmailMessage'>,
): Promise<Json<Output<'resolveEmailMessage'>>> {
  const message = await findResolvable(ctx, emailMessageId)
  if (as === 'sent') {
    const response = 'A person marked it as sent'
    if (!(await confirmSend(ctx.sql, { messageId: emailMessageId, response })))
      throw conflict(noLongerUnconfirmed)
  } else {
    checkRepeat(message)
    if (!(await repeatSend(ctx.sql, emailMessageId, ctx.app.now()))) throw conflict(noLongerUnconfirmed)
    await setDelivery(ctx.sql, emailMessageId, 'queued', 'A person requested that it be sent again')
  }
  await audit(ctx, `resolve_${as}`, 'email_message', emailMessageId)
  return getEmailMessage(ctx, { emailMessageId })
}

const noLongerUnconfirmed = 'This message is no longer unconfirmed. Read it again.'

type ResolvableMessage = {
  status: string | null
  deliveryStatus: string | null
  isReadable: boolean
  isSendable: boolean
  mailboxStatus: string | null
  /** The status of the prospect, if the message is a campaign step. */
  prospectStatus: string | null
}

async function findResolvable(ctx: Context, id: string): Promise<ResolvableMessage> {
  const repId = ctx.sql`m.rep_id`
  const [message] = await ctx.sql<ResolvableMessage[]>`
    select m.status, m.delivery_status as "deliveryStatus", b.status as "mailboxStatus", r.status as "prospectStatus",
           ${isInScope(ctx, 'Inbox.ReadInbox', repId)} as "isReadable",
           ${isInScope(ctx, 'Inbox.SendMessage', repId)} as "isSendable"
      from email_messages m
      left join email_sends e on e.account_id = m.account_id and e.message_id = m.id
      -- The mailbox can't be deleted until the transaction ends.
      left join lateral (
             select status from mailboxes
              where account_id = e.account_id and id = e.mailbox_id and removed_at is null
                for key share) b on true
      left join prospects r on r.account_id = e.account_id and r.id = e.prospect_id
     where m.account_id = ${ctx.accountId} and m.id = ${id}`
  if (!message?.isReadable) throw notFound('email message')
  if (!message.isSendable) throw outOfScope('Inbox.SendMessage', 'this email message belongs to another rep')
  if (message.deliveryStatus !== 'unconfirmed') {
    throw conflict(
      `This message is ${message.deliveryStatus ?? message.status ?? 'being sent'}. Only unconfirmed messages can be resolved.`,
    )
  }
  return message
}

function checkRepeat({ mailboxStatus, prospectStatus }: ResolvableMessage): void {
  if (mailboxStatus !== 'active') {
    throw conflict('The mailbox of this message is not active. Verify it, then send the message again.')
  }
  if (['replied', 'stopped', 'bounced', 'opted_out'].includes(prospectStatus ?? '')) {
    throw conflict(
      `The prospect has the status ${prospectStatus}, so this message can't be sent again. Mark it as sent.`,
    )
  }
}
