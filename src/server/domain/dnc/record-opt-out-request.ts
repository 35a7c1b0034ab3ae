import type { App } from '../../kernel/context.ts'
import type { OptOutIdentifier } from '../../protocols/identity/opt-out-identifier.ts'
import { type Author, audit } from '../accounts/audit-log.ts'
import { stopColleagues } from '../outbox/stop-colleagues.ts'
import type { OptOutList } from '../people/opt-outs/erased-identifiers.ts'
import { type OptOutRequestSource, storeOptOuts } from '../people/opt-outs/store-opt-outs.ts'
import { endOptedOutProspects } from '../prospects/stop-opted-out.ts'

/**
 * A person's own request to opt out. `emails` are the addresses that the request came from or that we wrote to, and
 * `phone` is the number of the call; the person may have others by now. `emailMessageId` is our message that the person
 * responds to; `linkedinMessageId` is the person's own message.
 */
type NewOptOutRequest = { personId: string | null; emails: readonly string[] } & (
  | { source: 'reply'; linkedinMessageId: string }
  | { source: Exclude<OptOutRequestSource, 'call'>; emailMessageId: string }
  | { source: 'call'; phone: string; callId: string }
)

export type OptOutRequestContext = OptOutList & { app: Pick<App, 'now'> }

/**
 * Records a person's own request to opt out: adds their addresses or numbers, including current ones, to the Do Not
 * Contact list, and ends their prospects in every campaign of the account. Also stops their colleagues in campaigns
 * that are configured to do so. Idempotent. Requires a transaction within the account.
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
  const person = await findContact(ctx, request.personId)
  const entries = toEntries(request, person)
  const messageId = objectType === 'email_message' ? objectId : undefined
  const added = await storeOptOuts(ctx, entries, { source: request.source, emailMessageId: messageId })
  const ended = await endOptedOutProspects(ctx, entries, request.source, person?.id ?? null)
  await stopColleagues(ctx.sql, ended, ctx.app.now())
  if (added + ended.length > 0) await audit(ctx, 'opt_out', objectType, objectId)
}

type Contact = { id: string; email: string | null; linkedinUrl: string | null; phone: string | null }

/**
 * Locks the person, whose identifiers must not change before they are on the list. If the person was merged, perhaps
 * while this waited for the lock, returns the remaining person.
 */
async function findContact(ctx: OptOutList, personId: string | null): Promise<Contact | undefined> {
  const [person] = await ctx.sql<(Contact & { mergedIntoId: string | null })[]>`
    select id, email, linkedin_url as "linkedinUrl", phone, merged_into_id as "mergedIntoId"
      from persons
     where account_id = ${ctx.accountId} and id = ${personId}
       for share`
  return person?.mergedIntoId ? findContact(ctx, person.mergedIntoId) : person
}

/**
 * Returns the identifiers to put on the list: all addresses, and the LinkedIn profile or phone number if the request
 * came through it. A person without an address is listed by profile or number, because an entry must match the person
 * as they are now.
 */
function toEntries(request: NewOptOutRequest, person: Contact | undefined): OptOutIdentifier[] {
  const list = (kind: OptOutIdentifier['kind'], values: readonly (string | null | undefined)[]) =>
    [...new Set(values)].flatMap(value => (value ? [{ kind, value }] : []))
  const { email, linkedinUrl, phone } = person ?? {}
  return [
    ...list('email', [...request.emails, email]),
    ...list('linkedin', 'linkedinMessageId' in request || !email ? [linkedinUrl] : []),
    ...list(
      'phone',
      request.source === 'call' ? [request.phone, phone] : email || linkedinUrl ? [] : [phone],
    ),
  ]
}
