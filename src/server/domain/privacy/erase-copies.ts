import type { Context } from '../../kernel/context.ts'
import { decryptResponse, ERASED_RESPONSE } from '../../kernel/stored-responses.ts'
import type { PersonRecords } from './personal-data.ts'

/** Stored responses decrypted at a time. */
const PAGE_SIZE = 1_000

/**
 * Erases the copies of a person's data that are kept for a while: in events and their deliveries, in stored responses
 * to requests with an idempotency key, and in all exports of the account.
 */
export async function eraseCopies(ctx: Context, records: PersonRecords): Promise<void> {
  const { sql, accountId } = ctx
  const { names, emails, phones, linkedinUrls, ...byId } = records
  const identifiers = [...names, ...emails, ...phones, ...linkedinUrls]
  const isAboutPerson = sql`
    account_id = ${accountId}
    and (object_id = any(${Object.values(byId).flat()}::uuid[])
         -- Finds objects that were deleted, such as Do Not Contact entries.
         or exists (select from unnest(${identifiers}::text[]) identifier where strpos(data, identifier) > 0))`
  await sql`update events set data = null where data is not null and ${isAboutPerson}`
  // Counting the attempt here discards the result of a delivery in progress, which would store the data again.
  await sql`
    update webhook_deliveries
       set data = null, response = null, error = null,
           attempts = attempts + case status when 'pending' then 1 else 0 end, updated_at = now()
     where (data is not null or status = 'pending') and ${isAboutPerson}`
  await eraseResponses(ctx, [...byId.person, ...byId.prospects, ...identifiers])
  await sql`delete from exports where account_id = ${accountId}`
}

type StoredResponse = { userId: string; key: string; answer: string }

/** Erases the stored responses that contain one of the strings. They are encrypted, so each one is decrypted. */
async function eraseResponses({ app, sql, accountId }: Context, strings: readonly string[]): Promise<void> {
  const escaped = strings.map(text => JSON.stringify(text).slice(1, -1))
  let last: StoredResponse | undefined
  do {
    const page: StoredResponse[] = await sql<StoredResponse[]>`
      select user_id as "userId", key, answer
        from idempotency_keys
       where account_id = ${accountId}
         and (user_id, key) > (${last?.userId ?? '00000000-0000-0000-0000-000000000000'}::uuid, ${last?.key ?? ''})
       order by user_id, key
       limit ${PAGE_SIZE}`
    for (const { userId, key, answer } of page) {
      const text = decryptResponse({ app, accountId, userId, key }, answer)
      if (text && escaped.some(each => text.includes(each)))
        await sql`
          update idempotency_keys set answer = ${ERASED_RESPONSE}
           where account_id = ${accountId} and user_id = ${userId} and key = ${key}`
    }
    last = page.length === PAGE_SIZE ? page.at(-1) : undefined
  } while (last)
}
