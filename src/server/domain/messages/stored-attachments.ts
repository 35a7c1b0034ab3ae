import { randomUUIDv7 } from 'node:crypto'
import { currentAccount, type Sql } from '../../kernel/db/database.ts'
import { invalid } from '../../kernel/errors.ts'
import { writeContent } from './attachment-content.ts'
import type { EmailFile } from './write-email-messages.ts'

const MAX_NAME_LENGTH = 200
/** Files of this size, once encoded, fit into the largest email that servers commonly accept. */
export const MAX_BYTES_PER_EMAIL = 14_000_000
const MEGABYTE = 1_000_000
const DELETE_BATCH = 1_000

/** A file with its content. */
export type NewFile = { name: string; type: string; content: Uint8Array }

type StoredFile = EmailFile & { id: string }

/**
 * Makes a sender's file name safe in a header and on disk: removes the path, and any control or invisible characters,
 * which could hide the real extension.
 */
export function cleanFileName(name: string): string {
  const base = name
    .toWellFormed()
    .replace(/^.*[/\\]/s, '')
    .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}<>:"|?*]+/gu, '')
    .replace(/\s+/g, ' ')
    .replace(/^[. ]+|[. ]+$/g, '')
  const extension = /\.[\p{L}\p{N}]{1,10}$/u.exec(base)?.[0] ?? ''
  return base.length > MAX_NAME_LENGTH
    ? base.slice(0, MAX_NAME_LENGTH - extension.length).toWellFormed() + extension
    : base || 'attachment'
}

/** Stores a file that a user uploaded or that a received message contains. */
export async function insertAttachment(
  tx: Sql,
  { name, type, content }: NewFile,
  owner: { userId: string } | { id: string; emailMessageId: string },
): Promise<StoredFile> {
  const file = {
    id: 'id' in owner ? owner.id : randomUUIDv7(),
    name: cleanFileName(name),
    type,
    size: content.length,
  }
  const [userId, messageId] = 'userId' in owner ? [owner.userId, null] : [null, owner.emailMessageId]
  await tx`
    insert into attachments (account_id, id, email_message_id, user_id, name, type, size)
    values (current_account_id(), ${file.id}, ${messageId}, ${userId}, ${file.name}, ${type}, ${file.size})`
  await writeContent(tx, file.id, content)
  return file
}

/**
 * Returns how many bytes the account may still store. With `isLocked`, other uploads wait until the transaction ends.
 */
export async function findFreeBytes(tx: Sql, { isLocked }: { isLocked: boolean }): Promise<number> {
  const [account] = await tx<{ megabytes: number }[]>`
    select max_attachment_megabytes as megabytes
      from accounts
     where id = current_account_id() ${isLocked ? tx`for no key update` : tx``}`
  const [used] = await tx<{ bytes: number }[]>`
    select coalesce(sum(size), 0)::float8 as bytes from attachments where account_id = ${currentAccount(tx)}`
  return account!.megabytes * MEGABYTE - used!.bytes
}

/** Attaches these files to a draft and deletes its other files. Throws `invalid`. */
export async function attachFiles(
  tx: Sql,
  emailMessageId: string,
  { userId, ids }: { userId: string; ids: readonly string[] },
): Promise<StoredFile[]> {
  const rows = await tx<StoredFile[]>`
    select id, name, type, size
      from attachments
     where account_id = ${currentAccount(tx)} and id = any(${[...ids]}::uuid[])
       and (email_message_id = ${emailMessageId} or email_message_id is null and user_id = ${userId})
     order by id
       for update`
  const found = new Map(rows.map(row => [row.id, row]))
  const listed = ids.map((id, index) => {
    const file = found.get(id.toLowerCase())
    if (!file)
      throw invalid(`attachmentIds.${index}`, 'must be the ID of a file that you uploaded for this email')
    return file
  })
  const files = [...new Set(listed)]
  if (files.reduce((sum, { size }) => sum + size, 0) > MAX_BYTES_PER_EMAIL)
    throw invalid('attachmentIds', 'must be at most 14 MB in total')
  await tx`
    delete from attachments
     where account_id = ${currentAccount(tx)} and email_message_id = ${emailMessageId} and id <> all(${[...found.keys()]}::uuid[])`
  await tx`
    update attachments set email_message_id = ${emailMessageId}
     where account_id = ${currentAccount(tx)} and id = any(${[...found.keys()]}::uuid[])`
  return files
}

/** Deletes uploads older than a day that are not attached to a draft. Requires the engine's role. */
export const deleteUnusedUploads = (engine: Sql, now: Date) => engine`
  delete from attachments
   where email_message_id is null
     and (account_id, id) in (
           select account_id, id
             from attachments
            where email_message_id is null and created_at < ${now}::timestamptz - interval '1 day'
            order by created_at
            limit ${DELETE_BATCH})`
