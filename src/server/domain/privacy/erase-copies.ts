import type { Context } from '../../kernel/context.ts'
import { decryptResponse, ERASED_RESPONSE } from '../../kernel/stored-responses.ts'
import type { PersonRecords } from './personal-data.ts'

/** Number of stored responses decrypted at a time. */
const PAGE_SIZE = 1_000

/**
 * Letters and digits of the alphabets that separate words: Latin, Greek, Cyrillic and Armenian. Other scripts write
 * words together or attach particles to names. Uses ranges, because PostgreSQL's character classes depend on its
 * locale.
 */
const WORD_CHARACTERS = String.raw`0-9A-Za-z\u00c0-\u058f\u1e00-\u1fff`
/** The character before a word in JSON. The letter that ends an escape, such as \n, isn't part of the word. */
const BEFORE_WORD = String.raw`(?:[^${WORD_CHARACTERS}\\]|\\[\\bfnrt]|\\u[0-9a-f]{4})`
const AFTER_WORD = `[^${WORD_CHARACTERS}]`
const startsWithWord = new RegExp(`^[${WORD_CHARACTERS}]`)
const endsWithWord = new RegExp(`[${WORD_CHARACTERS}]$`)

/** Returns the text as it appears in JSON. */
const escapeJson = (text: string): string => JSON.stringify(text).slice(1, -1)

/**
 * Returns a pattern, for JavaScript and PostgreSQL, that finds escaped text as whole words in JSON: “Li” isn't found in
 * “LinkedIn”.
 */
function toWordPattern(text: string): string {
  const start = startsWithWord.test(text) ? BEFORE_WORD : ''
  const end = endsWithWord.test(text) ? AFTER_WORD : ''
  return `${start}${text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')}${end}`
}

/**
 * Erases the copies of a person's data that are kept for a while: in events and their deliveries, in stored responses
 * to requests with an idempotency key, and in all exports of the account.
 */
export async function eraseCopies(ctx: Context, records: PersonRecords): Promise<void> {
  const { sql, accountId } = ctx
  const { names, emails, phones, linkedinUrls, ...byId } = records
  const identifiers = [...emails, ...phones, ...linkedinUrls].map(escapeJson)
  const patterns = names.map(name => toWordPattern(escapeJson(name)))
  const isAboutPerson = sql`
    account_id = ${accountId}
    and (object_id = any(${Object.values(byId).flat()}::uuid[])
         -- Finds objects that were deleted, such as Do Not Contact entries.
         or exists (select from unnest(${identifiers}::text[]) identifier where strpos(data, identifier) > 0)
         or data ~ any(${patterns}::text[]))`
  await sql`update events set data = null where data is not null and ${isAboutPerson}`
  // Counting the attempt here discards the result of a delivery in progress, which would store the data again.
  await sql`
    update webhook_deliveries
       set data = null, response = null, error = null,
           attempts = attempts + case status when 'pending' then 1 else 0 end, updated_at = now()
     where (data is not null or status = 'pending') and ${isAboutPerson}`
  const fragments = [...byId.person, ...byId.prospects, ...identifiers]
  const words = patterns.map(pattern => new RegExp(pattern))
  await eraseResponses(
    ctx,
    text => fragments.some(each => text.includes(each)) || words.some(word => word.test(text)),
  )
  await sql`delete from exports where account_id = ${accountId}`
}

type StoredResponse = { userId: string; key: string; response: string }

/** Erases the stored responses about the person. They are encrypted, so each one is decrypted. */
async function eraseResponses(
  { app, sql, accountId }: Context,
  isAboutPerson: (text: string) => boolean,
): Promise<void> {
  let last: StoredResponse | undefined
  do {
    const page: StoredResponse[] = await sql<StoredResponse[]>`
      select user_id as "userId", key, response
        from idempotency_keys
       where account_id = ${accountId} and response is not null
         and (user_id, key) > (${last?.userId ?? '00000000-0000-0000-0000-000000000000'}::uuid, ${last?.key ?? ''})
       order by user_id, key
       limit ${PAGE_SIZE}`
    for (const { userId, key, response } of page) {
      const text = decryptResponse({ app, accountId, userId, key }, response)
      if (text && isAboutPerson(text))
        await sql`
          update idempotency_keys set response = ${ERASED_RESPONSE}
           where account_id = ${accountId} and user_id = ${userId} and key = ${key}`
    }
    last = page.length === PAGE_SIZE ? page.at(-1) : undefined
  } while (last)
}
