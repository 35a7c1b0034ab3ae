import type { Context } from '../../kernel/context.ts'
import { decryptAnswer, ERASED_ANSWER } from '../../kernel/stored-answers.ts'
import type { PersonRecords } from './personal-data.ts'

/** Answers that are decrypted at a time. */
const PAGE_SIZE = 1_000

/**
 * Erases the copies of a person's data that are kept for a while: in events and their deliveries, in answers to requests
 * with an idempotency key, and in all files that users of the account exported.
 */
export async function eraseCopies(ctx: Context, records: PersonRecords): Promise<void> {
  const { sql, accountId } = ctx
  const { names, emails, phones, linkedinUrls, ...byId } = records
  const texts = [...names, ...emails, ...phones, ...linkedinUrls]
  const isAboutPerson = sql`
    account_id = ${accountId}
    and (object_id = any(${Object.values(byId).flat()}::uuid[])
         -- Objects that were deleted, such as Do Not Contact entries.
         or exists (select from unnest(${texts}::text[]) identifier where strpos(data, identifier) > 0))`
  await sql`update events set data = null where data is not null and ${isAboutPerson}`
  // A delivery in progress is not recorded, because its attempt is counted here: it would store the data again.
  await sql`
    update webhook_deliveries
       set data = null, response = null, error = null,
           attempts = attempts + case status when 'pending' then 1 else 0 end, updated_at = now()
     where (data is not null or status = 'pending') and ${isAboutPerson}`
  await eraseAnswers(ctx, [...byId.person, ...byId.prospects, ...texts])
  await sql`delete from exports where account_id = ${accountId}`
}

type StoredAnswer = { userId: string; key: string; answer: string }

/** Erases the answers that contain one of the texts. They are encrypted, so each has to be read. */
async function eraseAnswers({ app, sql, accountId }: Context, texts: readonly string[]): Promise<void> {
  const escaped = texts.map(text => JSON.stringify(text).slice(1, -1))
  let last: StoredAnswer | undefined
  do {
    const page: StoredAnswer[] = await sql<StoredAnswer[]>`
      select user_id as "userId", key, answer
        from idempotency_keys
       where account_id = ${accountId}
         and (user_id, key) > (${last?.userId ?? '00000000-0000-0000-0000-000000000000'}::uuid, ${last?.key ?? ''})
       order by user_id, key
       limit ${PAGE_SIZE}`
    for (const { userId, key, answer } of page) {
      const text = decryptAnswer({ app, accountId, userId, key }, answer)
      if (text && escaped.some(each => text.includes(each)))
        await sql`
          update idempotency_keys set answer = ${ERASED_ANSWER}
           where account_id = ${accountId} and user_id = ${userId} and key = ${key}`
    }
    last = page.length === PAGE_SIZE ? page.at(-1) : undefined
  } while (last)
}
