import type { Context } from '../../kernel/context.ts'
import type { OptOutIdentifier } from '../../protocols/identity/opt-out-identifier.ts'
import { type Author, audit } from '../accounts/audit-log.ts'
import { type OwnAct, storeOptOuts } from '../people/opt-outs/store-opt-outs.ts'
import { endOptedOutProspects } from '../prospects/stop-opted-out.ts'

/**
 * A person's own request to opt out. `emailMessageId` is our message that they reply to, `linkedinMessageId` their own,
 * `phone` the number they spoke from.
 */
type OwnOptOut =
  | {
      source: 'reply'
      emails: readonly string[]
      linkedinUrl: string | null | undefined
      linkedinMessageId: string
    }
  | { source: Exclude<OwnAct, 'call'>; emails: readonly string[]; emailMessageId: string }
  | { source: 'call'; phone: string; callId: string }

/**
 * Records a person's own request to opt out: puts their addresses or number on the Do Not Contact list and ends their
 * prospects in every campaign of the account. Idempotent. Requires a transaction within the account.
 */
export async function recordOwnOptOut(
  who: Author & Pick<Context, 'sql' | 'accountId'>,
  act: OwnOptOut,
): Promise<void> {
  const [objectType, objectId] =
    act.source === 'call'
      ? (['call', act.callId] as const)
      : 'linkedinMessageId' in act
        ? (['linkedin_message', act.linkedinMessageId] as const)
        : (['email_message', act.emailMessageId] as const)
  const entries = entriesOf(act)
  const messageId = objectType === 'email_message' ? objectId : undefined
  const added = await storeOptOuts(who, entries, act.source, messageId)
  const ended = await endOptedOutProspects(who, entries, act.source)
  if (added + ended > 0) await audit(who, 'opt_out', objectType, objectId)
}

function entriesOf(act: OwnOptOut): OptOutIdentifier[] {
  if (act.source === 'call') return [{ kind: 'phone', value: act.phone }]
  const emails = act.emails.map(value => ({ kind: 'email' as const, value }))
  return 'linkedinMessageId' in act && act.linkedinUrl
    ? [...emails, { kind: 'linkedin', value: act.linkedinUrl }]
    : emails
}
