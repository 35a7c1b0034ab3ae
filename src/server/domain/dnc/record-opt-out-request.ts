import type { App } from '../../kernel/context.ts'
import type { OptOutIdentifier } from '../../protocols/identity/opt-out-identifier.ts'
import { type Author, audit } from '../accounts/audit-log.ts'
import { stopColleagues } from '../outbox/stop-colleagues.ts'
import type { OptOutList } from '../people/opt-outs/erased-identifiers.ts'
import { type OptOutRequestSource, storeOptOuts } from '../people/opt-outs/store-opt-outs.ts'
import { endOptedOutProspects } from '../prospects/stop-opted-out.ts'

/**
 * A person's own request to opt out. `emailMessageId` is our message that they reply to, `linkedinMessageId` their
 * own, `phone` the number of the call.
 */
type NewOptOutRequest =
  | {
      source: 'reply'
      emails: readonly string[]
      linkedinUrl: string | null | undefined
      linkedinMessageId: string
    }
  | { source: Exclude<OptOutRequestSource, 'call'>; emails: readonly string[]; emailMessageId: string }
  | { source: 'call'; phone: string; callId: string }

export type OptOutRequestContext = OptOutList & { app: Pick<App, 'now'> }

/**
 * Records a person's own request to opt out: puts their addresses or number on the Do Not Contact list and ends their
 * prospects in every campaign of the account. Also stops their colleagues in campaigns that are configured to.
 * Idempotent. Requires a transaction within the account.
 */
export async function recordOptOutRequest(
  ctx: Author & OptOutRequestContext,
  request: NewOptOutRequest,
): Promise<void> {
  const [objectType, objectId] =
    request.source === 'call'
      ? (['call', request.callId] as const)
      : 'linkedinMessageId' in request
        ? (['linkedin_message', request.linkedinMessageId] as const)
        : (['email_message', request.emailMessageId] as const)
  const entries = toEntries(request)
  const messageId = objectType === 'email_message' ? objectId : undefined
  const added = await storeOptOuts(ctx, entries, { source: request.source, emailMessageId: messageId })
  const ended = await endOptedOutProspects(ctx, entries, request.source)
  await stopColleagues(ctx.sql, ended, ctx.app.now())
  if (added + ended.length > 0) await audit(ctx, 'opt_out', objectType, objectId)
}

function toEntries(request: NewOptOutRequest): OptOutIdentifier[] {
  if (request.source === 'call') return [{ kind: 'phone', value: request.phone }]
  const emails = request.emails.map(value => ({ kind: 'email' as const, value }))
  return 'linkedinMessageId' in request && request.linkedinUrl
    ? [...emails, { kind: 'linkedin', value: request.linkedinUrl }]
    : emails
}
