import type { Input, Output } from '../../../contract/index.ts'
import { meetingProviders } from '../../../contract/meetings.ts'
import { getPublicUrl } from '../../kernel/config.ts'
import { type Context, withAccount } from '../../kernel/context.ts'
import { decrypt, encrypt, type Keys, signToken, verifyToken } from '../../kernel/crypto.ts'
import type { Sql } from '../../kernel/db/database.ts'
import { audit } from '../accounts/audit-log.ts'

export type MeetingProvider = (typeof meetingProviders)[number]
type MeetingWebhook = Output<'setMeetingWebhook'>

const PURPOSE = 'inbound meetings v1'
const toSecretContext = (accountId: string, provider: MeetingProvider) =>
  `${accountId} meeting webhook ${provider}`

export async function listMeetingWebhooks(ctx: Context): Promise<Output<'listMeetingWebhooks'>> {
  const stored = await ctx.sql<{ provider: MeetingProvider; lastReceivedAt: string | null }[]>`
    select w.*
      from ${withAccount(ctx)}
     cross join lateral (
       select provider, api_time(last_received_at) as "lastReceivedAt"
         from meeting_webhooks
        where account_id = s.account_id) w`
  return {
    data: meetingProviders.map(provider =>
      toWebhook(
        ctx,
        provider,
        stored.find(each => each.provider === provider),
      ),
    ),
  }
}

export async function setMeetingWebhook(
  ctx: Context,
  { provider, signingSecret }: Input<'setMeetingWebhook'>,
): Promise<MeetingWebhook> {
  const { sql, accountId, app } = ctx
  if (signingSecret === null) {
    await sql`delete from meeting_webhooks where account_id = ${accountId} and provider = ${provider}`
  } else {
    const secret = encrypt(app.keys, signingSecret, toSecretContext(accountId, provider))
    await sql`
      insert into meeting_webhooks (account_id, provider, signing_secret)
      values (${accountId}, ${provider}, ${secret})
      on conflict (account_id, provider) do update
         set signing_secret = excluded.signing_secret, last_received_at = null, updated_at = now()`
  }
  await audit(ctx, signingSecret === null ? 'delete' : 'set', 'meeting_webhook')
  return toWebhook(ctx, provider, signingSecret === null ? undefined : { lastReceivedAt: null })
}

const toWebhook = (
  { app, accountId }: Context,
  provider: MeetingProvider,
  stored: { lastReceivedAt: string | null } | undefined,
): MeetingWebhook => ({
  objectType: 'meeting_webhook',
  provider,
  url: `${getPublicUrl(app.config)}/v1/inbound/meetings/${signToken(app.keys, PURPOSE, `${accountId} ${provider}`)}`,
  isConnected: stored !== undefined,
  ...(stored?.lastReceivedAt && { lastReceivedAt: stored.lastReceivedAt }),
})

/** Returns the account that a key belongs to, and the provider as `id`; undefined for an invalid key. */
export function verifyMeetingKey(keys: Keys, key: string): { accountId: string; id: string } | undefined {
  const [accountId, id] = verifyToken(keys, PURPOSE, key)?.split(' ') ?? []
  return accountId && id ? { accountId, id } : undefined
}

/** Returns the secret of a connected provider. */
export async function findSigningSecret(
  tx: Sql,
  keys: Keys,
  { accountId, provider }: { accountId: string; provider: MeetingProvider },
): Promise<string | undefined> {
  const [stored] = await tx<{ secret: Uint8Array }[]>`
    select signing_secret as secret from meeting_webhooks
     where account_id = current_account_id() and provider = ${provider}`
  return stored && decrypt(keys, stored.secret, toSecretContext(accountId, provider))
}

/** Records that a valid event arrived, to the minute. */
export const recordReceipt = (tx: Sql, provider: MeetingProvider, now: Date) => tx`
  update meeting_webhooks
     set last_received_at = ${now}
   where account_id = current_account_id() and provider = ${provider}
     and (last_received_at is null or last_received_at < ${new Date(now.getTime() - 60_000)})`
